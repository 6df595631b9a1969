// Parses phone numbers with the numbering plans of all countries. Loaded when the first phone
// number arrives. The imports are named so that a bundle contains nothing else.
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** The E.164 form of a number with a possible length; null if it cannot be parsed. */
export function toE164(text: string, region: string | null): string | null {
  const code = region?.trim().toUpperCase() ?? '';
  const country = isSupportedCountry(code) ? code : undefined;
  const asSent = parsePhoneNumberFromString(text, country);
  if (asSent?.isPossible()) return settled(asSent.number);
  // 00 is the international prefix in most countries. It is tried if the region's own plan cannot
  // parse the number.
  const international = /^\D*00(?=\D*[1-9])/.exec(text);
  if (international === null) return null;
  return settled(`+${text.slice(international[0].length)}`);
}

// A number of zeros can lose another national prefix each time it is parsed. Repeat until it no
// longer changes; otherwise an account created from the phone in an answer would get another phone.
function settled(text: string): string | null {
  let form = text;
  for (let readings = 0; readings < 16; readings += 1) {
    const number = parsePhoneNumberFromString(form);
    if (!number?.isPossible()) return null;
    if (number.number === form) return form;
    form = number.number;
  }
  return null;
}
