// Reads a number by the numbering plans of the world. Loaded with them when the first number comes.
// What is used of them is named, so that no bundle holds the rest.
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** The E.164 form of a number with a possible length; null if it cannot be parsed. */
export function toE164(text: string, region: string | null): string | null {
  const code = region?.trim().toUpperCase() ?? '';
  const country = isSupportedCountry(code) ? code : undefined;
  const asSent = parsePhoneNumberFromString(text, country);
  if (asSent?.isPossible()) return settled(asSent.number);
  // 00 is the international prefix of most of the world: tried where the region's own plan says
  // nothing.
  const international = /^\D*00(?=\D*[1-9])/.exec(text);
  if (international === null) return null;
  return settled(`+${text.slice(international[0].length)}`);
}

// A number of zeros can lose another national prefix each time it is read. The form that is
// answered has to be one that reads as itself, or the same person could be created from their own
// answer.
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
