// Matchers for fields whose exact value is not known: types and formats in the
// specification's words.

import { type Json, printJson } from '../send/json.ts';

interface Matcher {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

function matcher(words: string, test: (value: unknown) => boolean): Matcher {
  return { words, test };
}

/** CONV-1a: a string of decimal digits. */
export const decimalId = matcher(
  'an id as a decimal string',
  (value) => typeof value === 'string' && /^[0-9]+$/.test(value),
);

/** CONV-2a: an amount in its string form. */
export const decimalString = matcher(
  'a decimal string',
  (value) => typeof value === 'string' && /^-?[0-9]+(\.[0-9]+)?$/.test(value),
);

export const text = matcher('a string', (value) => typeof value === 'string');
export const filledText = matcher(
  'a non-empty string',
  (value) => typeof value === 'string' && value !== '',
);
export const textOrNull = matcher(
  'a string or null',
  (value) => value === null || typeof value === 'string',
);
/** A JSON integer of any size: one that no number holds is read as a bigint. */
export const integer = matcher(
  'an integer',
  (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
);

/** CONV-4: an integer that is a time of this century in milliseconds and in no other unit. */
export const epochMs = matcher(
  'an integer in epoch milliseconds',
  (value) => Number.isSafeInteger(value) && Number(value) > 9.4e11 && Number(value) < 4.2e12,
);

/** The same decimal value, with any number of trailing zeros. */
export function sameAmount(amount: string): Matcher {
  const same = sum(amount);
  return matcher(
    `a decimal string equal to ${amount}`,
    (value) => typeof value === 'string' && same !== 'NaN' && sum(value) === same,
  );
}

export function oneOf(...values: (string | number | null)[]): Matcher {
  return matcher(`one of ${values.map(printJson).join(', ')}`, (value) =>
    values.some((each) => each === value),
  );
}

export function not(value: Json): Matcher {
  return matcher(`anything but ${printJson(value)}`, (seen) => seen !== value);
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
