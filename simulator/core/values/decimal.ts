// Exact decimals as text: what counts as one, and sums without rounding.
import Big from 'big.js';

const plain = /^-?\d{1,64}(\.\d{1,64})?$/;
const withExponent = /^[+-]?(\d{1,64}(\.\d{0,64})?|\.\d{1,64})([eE][+-]?\d{1,3})?$/;

/**
 * NS-49: digits, with an optional minus and a fraction; up to 64 digits on either side of the
 * point.
 */
export function isPlainDecimal(text: string): boolean {
  return plain.test(text);
}

/** NS-49, the other choice: a leading plus, a bare point and an exponent are taken too. */
export function isLooseDecimal(text: string): boolean {
  return withExponent.test(text);
}

/** As a sum is written: no leading zeros, no plus, no exponent. */
const written = /^-?(0|[1-9]\d*)(\.\d+)?$/;
function exact(text: string): Big {
  return new Big(text.startsWith('+') ? text.slice(1) : text);
}

export function isZeroDecimal(text: string): boolean {
  return exact(text).eq(0);
}

export function isNegativeDecimal(text: string): boolean {
  if (plain.test(text)) return text.startsWith('-') && /[1-9]/.test(text);
  return exact(text).lt(0);
}

/** The exact sum, written plainly with as many decimals as the longer of the two. */
export function addDecimals(left: string, right: string): string {
  const sum = exact(left).plus(exact(right));
  return sum.toFixed(Math.max(places(left), places(right)));
}

export function absoluteDecimal(text: string): string {
  if (written.test(text)) return text.startsWith('-') ? text.slice(1) : text;
  return exact(text).abs().toFixed(places(text));
}

export function negateDecimal(text: string): string {
  if (written.test(text)) {
    if (text.startsWith('-')) return text.slice(1);
    return /[1-9]/.test(text) ? `-${text}` : text;
  }
  return exact(text).eq(0) ? absoluteDecimal(text) : exact(text).times(-1).toFixed(places(text));
}

/** -1, 0 or 1: how the first stands to the second. */
export function compareDecimals(left: string, right: string): number {
  return exact(left).cmp(exact(right));
}

function places(text: string): number {
  if (/e/i.test(text)) {
    const fixed = exact(text).toFixed();
    return places(fixed);
  }
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}
