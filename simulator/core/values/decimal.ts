// Exact decimals as text: parsing, and sums without rounding.
import Big from 'big.js';

const plain = /^-?\d{1,64}(\.\d{1,64})?$/;
const withExponent = /^[+-]?(\d{1,64}(\.\d{0,64})?|\.\d{1,64})([eE][+-]?\d{1,3})?$/;

/** NS-49: an optional minus, up to 64 digits, and up to 64 more after a point. */
export function isPlainDecimal(text: string): boolean {
  return plain.test(text);
}

/** NS-49, the other choice: a leading plus, a bare point and an exponent are accepted too. */
export function isLooseDecimal(text: string): boolean {
  return withExponent.test(text);
}

function exact(text: string): Big {
  return new Big(text.startsWith('+') ? text.slice(1) : text);
}

export function isZeroDecimal(text: string): boolean {
  return exact(text).eq(0);
}

export function isNegativeDecimal(text: string): boolean {
  return exact(text).lt(0);
}

/** The exact sum in plain notation, with as many decimals as the longer operand. */
export function addDecimals(left: string, right: string): string {
  return exact(left)
    .plus(exact(right))
    .toFixed(Math.max(places(left), places(right)));
}

export function absoluteDecimal(text: string): string {
  return exact(text).abs().toFixed(places(text));
}

export function negateDecimal(text: string): string {
  const number = exact(text);
  return (number.eq(0) ? number.abs() : number.times(-1)).toFixed(places(text));
}

/** -1, 0 or 1: compares the first with the second. */
export function compareDecimals(left: string, right: string): number {
  return exact(left).cmp(exact(right));
}

function places(text: string): number {
  if (/e/i.test(text)) return places(exact(text).toFixed());
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}
