// Amounts are compared by their value, as an API may write the same one in several ways.
import type { Json } from '../../engine/send/answer.ts';

/** CONV-2a: the value counts, for up to two decimals and fifteen digits. */
export function isSameAmount(target: Json, model: Json): boolean {
  if (typeof target !== 'string' || typeof model !== 'string') return target === model;
  const plain = /^-?\d+(\.\d+)?$/;
  if (!plain.test(target)) return target === model;
  const [whole = '', part = ''] = model.replace('-', '').split('.');
  if (part.length > 2 || whole.length + part.length > 15) return true;
  return normalDecimal(target) === normalDecimal(model);
}

export function normalDecimal(text: string): string {
  const [, sign = '', whole = '', part = ''] =
    /^(-?)(?:0+(?=\d))?(0|[1-9]\d*)(?:\.((?:\d*[1-9])?)0*)?$/.exec(text) ?? [];
  const value = part === '' ? whole : `${whole}.${part}`;
  return value === '0' ? '0' : `${sign}${value}`;
}
