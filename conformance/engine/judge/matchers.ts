// Matchers for fields whose exact value is not known: types and formats in the specification's words.
import { type Json, printJson } from '../send/json.ts';

interface Matcher {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

function textLike(words: string, pattern: RegExp): Matcher {
  return { words, test: (value) => typeof value === 'string' && pattern.test(value) };
}

/** CONV-1a: a string of decimal digits. */
export const decimalId = textLike('an id as a decimal string', /^[0-9]+$/);

/** CONV-2a: an amount in its string form. */
export const decimalString = textLike('a decimal string', /^-?[0-9]+(\.[0-9]+)?$/);

export const text = textLike('a string', /^/);
export const filledText = textLike('a non-empty string', /./s);
export const textOrNull: Matcher = {
  words: 'a string or null',
  test: (value) => value === null || typeof value === 'string',
};

/** A JSON integer of any size: one that no number holds is read as a bigint. */
export const integer: Matcher = {
  words: 'an integer',
  test: (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
};

/** CONV-4: an integer that is a time of this century in milliseconds and in no other unit. */
export const epochMs: Matcher = {
  words: 'an integer in epoch milliseconds',
  test: (value) => Number.isSafeInteger(value) && Number(value) > 9.4e11 && Number(value) < 4.2e12,
};

/** The same decimal value, with any number of trailing zeros. */
export function sameAmount(amount: string): Matcher {
  const same = sum(amount);
  return {
    words: `a decimal string equal to ${amount}`,
    test: (value) => typeof value === 'string' && same !== 'NaN' && sum(value) === same,
  };
}

export function oneOf(...values: (string | number | null)[]): Matcher {
  return {
    words: `one of ${values.map(printJson).join(', ')}`,
    test: (value) => values.some((each) => each === value),
  };
}

export function not(value: Json): Matcher {
  return { words: `anything but ${printJson(value)}`, test: (seen) => seen !== value };
}

/** The exact sum in its shortest form, so that equal sums are equal texts; NaN if there is none. */
export function sum(...amounts: readonly string[]): string {
  const parts = amounts.map((each) => /^([-+]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?$/.exec(each));
  if (parts.includes(null)) return 'NaN';
  const places = Math.max(0, ...parts.map((each) => each?.[3]?.length ?? 0));
  let units = 0n;
  for (const part of parts) {
    const [, sign = '', whole = '0', fraction = ''] = part ?? [];
    units += BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`);
  }
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/(?<!0)0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
