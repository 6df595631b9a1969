// Described wants for fields whose exact value is not known: types and formats in the
// specification's words.

interface Want {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

function want(words: string, test: (value: unknown) => boolean): Want {
  return { words, test };
}

/** CONV-1a: a string of decimal digits. */
export const decimalId = want(
  'an id as a decimal string',
  (value) => typeof value === 'string' && /^[0-9]+$/.test(value),
);

/** CONV-2a: an amount in its string form. */
export const decimalString = want(
  'a decimal string',
  (value) => typeof value === 'string' && /^-?[0-9]+(\.[0-9]+)?$/.test(value),
);

export const text = want('a string', (value) => typeof value === 'string');
export const filledText = want(
  'a non-empty string',
  (value) => typeof value === 'string' && value !== '',
);
export const textOrNull = want(
  'a string or null',
  (value) => value === null || typeof value === 'string',
);
export const integer = want('an integer', (value) => Number.isSafeInteger(value));
export const truth = want('a boolean', (value) => typeof value === 'boolean');
export const list = want('an array', (value) => Array.isArray(value));
export const absent = want('absent', (value) => value === undefined);
export const present = want('present', (value) => value !== undefined);

/** CONV-4: an integer that is a time of this century in milliseconds, and in no other unit. */
export const epochMs = want(
  'an integer in epoch milliseconds',
  (value) => Number.isSafeInteger(value) && Number(value) > 9.4e11 && Number(value) < 4.2e12,
);

/** The same decimal value, however many zeros follow the point. */
export function sameAmount(amount: string): Want {
  return want(
    `a decimal string equal to ${amount}`,
    (value) => typeof value === 'string' && plain(value) === plain(amount),
  );
}

export function oneOf(...values: (string | number | null)[]): Want {
  return want(`one of ${values.map((each) => JSON.stringify(each)).join(', ')}`, (value) =>
    values.some((each) => each === value),
  );
}

export function not(value: string | number | boolean | null): Want {
  return want(`anything but ${JSON.stringify(value)}`, (seen) => seen !== value);
}

function plain(amount: string): string {
  const match = /^([-+]?)0*([0-9]*)(?:\.([0-9]*?)0*)?$/.exec(amount);
  if (match === null) return `not a decimal: ${amount}`;
  const [, sign, whole, part] = match;
  const digits = `${whole === '' ? '0' : whole}${part ? `.${part}` : ''}`;
  return sign === '-' && digits !== '0' ? `-${digits}` : digits;
}
