// Normalises phone numbers, with tables that are loaded when the first phone number arrives.
import { knownPhones } from '../../../fixtures/worlds/phones.ts';

type Tables = typeof import('./phone-parser.ts');

let tables: Tables | null = null;

/**
 * The numbering plans take about 45 ms to load, so they are loaded when the first call contains a
 * phone. `load` may be called any number of times; after it normalising is synchronous.
 */
export const phoneTables = {
  ready: (): boolean => tables !== null,
  /** Whether the tables must be loaded before this number can be normalised. */
  needed: (raw: string): boolean => tables === null && !knownPhones.has(raw),
  load: async (): Promise<void> => {
    tables ??= await import('./phone-parser.ts');
  },
};

/**
 * ACC-11, NS-24: the E.164 form if the number can be parsed and has a possible length, otherwise
 * its digits, or the text as sent if it has no digit. Never refuses.
 *
 * ACC-12: `region` (two letters, in any case) is the country of a national number. It is ignored if
 * it is unknown, or if the number is international (`+…`, or the region's own prefix).
 *
 * `letters` is the setting for NS-62.
 *
 * Even a plain `+` with digits needs the tables: `+4402079460958` contains a national prefix that
 * E.164 does not have. Throws if the tables are needed and not loaded.
 */
export function normalisePhone(
  raw: string | null,
  region: string | null,
  letters: 'left_out' | 'keypad' = 'left_out',
): string | null {
  if (raw === null) return null;
  const text = withAsciiSigns(raw);
  if (!/\d/.test(text)) return raw;
  if (tables === null) {
    const known = knownPhones.get(raw);
    if (known !== undefined) return known;
    throw new Error('phone tables are not loaded: await phoneTables.load() before normalising');
  }
  // NS-62: an extension ("ext. 12") is parsed as written; other letters are not.
  const asSent = tables.toE164(text, region);
  if (asSent !== null || !/\p{L}/u.test(text)) return asSent ?? bareDigits(text);
  const spelled = letters === 'keypad' ? withKeypadDigits(text) : text.replace(/\p{L}/gu, '');
  return tables.toE164(spelled, region) ?? bareDigits(spelled);
}

/**
 * The key for comparing normalised phones: two equal keys belong to the same person; null never
 * conflicts (NS-24).
 */
export function phoneIdentity(normalised: string | null): string | null {
  return normalised !== null && /\d/.test(normalised) ? normalised : null;
}

const keypad = ['', '', 'abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];

function withKeypadDigits(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    String(keypad.findIndex((key) => key.includes(letter.toLowerCase()))),
  );
}

const bareDigits = (text: string): string => text.replace(/\D/g, '');

// In Unicode the digits 0 to 9 of every script are consecutive, so the offset from the script's
// zero is the digit.
function withAsciiSigns(raw: string): string {
  return raw.replaceAll('＋', '+').replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    let start = digit.codePointAt(0)!;
    while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
    return `${(digit.codePointAt(0)! - start) % 10}`;
  });
}
