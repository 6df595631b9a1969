// Exact decimals, by whole numbers of the smallest part.
const DECIMAL = /^-?\d+(\.\d+)?$/;
const LAX = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

export function isDecimal(text: string, isLax: boolean): boolean {
  return (isLax ? LAX : DECIMAL).test(text);
}

export function isZero(text: string): boolean {
  return !/[1-9]/.test(text);
}

export function isNegative(text: string): boolean {
  return text.startsWith('-') && !isZero(text);
}

export function negated(text: string): string {
  if (isZero(text)) return text;
  return text.startsWith('-') ? text.slice(1) : `-${text.replace(/^\+/, '')}`;
}

export function absolute(text: string): string {
  return text.replace(/^[+-]/, '');
}

/** The sum of decimal strings, with as many digits after the point as the longest has, and two. */
export function sumOf(amounts: readonly string[]): string {
  let places = 2;
  for (const each of amounts) places = Math.max(places, (each.split('.')[1] ?? '').length);
  let sum = 0n;
  for (const each of amounts) sum += smallestParts(each, places);
  const sign = sum < 0n ? '-' : '';
  const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, '0');
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function smallestParts(text: string, places: number): bigint {
  const [whole = '0', part = ''] = absolute(text).split('.');
  const parts = BigInt(`${whole || '0'}${part.padEnd(places, '0')}`);
  return text.startsWith('-') ? -parts : parts;
}

/** At least two digits after the point: 5 becomes 5.00, and 5.125 stays. */
export function withCents(text: string): string {
  const [whole = '0', part = ''] = text.replace(/^\+/, '').split('.');
  const signed = whole === '' ? '0' : whole === '-' ? '-0' : whole;
  return `${signed}.${part.padEnd(2, '0')}`;
}
