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
/** Up to 15 digits: most amounts are so short that their digits are exact as one number. */
const short = /^-?\d{1,12}(\.\d{1,3})?$/;

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
  if (short.test(left) && short.test(right)) return addShort(left, right);
  const sum = exact(left).plus(exact(right));
  return sum.toFixed(Math.max(places(left), places(right)));
}

/** In thousandths; the sum of two has 16 digits at the most, and the first of them is a 1. */
function addShort(left: string, right: string): string {
  const sum = thousandths(left) + thousandths(right);
  const digits = String(Math.abs(sum)).padStart(4, '0');
  const shown = Math.max(places(left), places(right));
  const whole = digits.slice(0, -3);
  const fraction = shown === 0 ? '' : `.${digits.slice(-3).slice(0, shown)}`;
  return `${sum < 0 ? '-' : ''}${whole}${fraction}`;
}

function thousandths(text: string): number {
  const point = text.indexOf('.');
  if (point < 0) return Number(text) * 1000;
  const fraction = text.slice(point + 1).padEnd(3, '0');
  return Number(`${text.slice(0, point)}${fraction}`);
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
