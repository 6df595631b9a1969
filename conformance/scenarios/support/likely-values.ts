// Values that a member of an order is likely to take, by what a schema says of it or by its name.
import type { Json } from '../../engine/send/answer.ts';
import { isObject, type JsonObject } from './api-description.ts';

const BY_NAME: readonly (readonly [name: RegExp, values: readonly Json[]])[] = [
  [/instrument|symbol|ticker|pair|market|asset/i, ['EURUSD', 'GBPUSD', 'EUR/USD']],
  [
    /side|direction|action|operation|order_?type|^type$|cmd/i,
    ['buy', 'sell', 'long', 'short', 'BUY', 'SELL', 'Buy', 'Sell', 'LONG', 'SHORT', 'market'],
  ],
  [/volume|size|lots?|quantity|qty|amount|units/i, ['0.10', '0.20', '1', '1000', 0.1, 1]],
  [/price|rate|stop|limit|take/i, ['1.10', '1.20', 1.1]],
  [/leverage/i, ['1', '2', 1]],
  [/currency/i, ['USD', 'EUR']],
  [/time|expir|_at$/i, [1_900_000_000_000, '2030-01-01T00:00:00Z']],
  [/comment|note|reason|label/i, ['conformance check', 'another check']],
  [/_id$|^id$/i, ['1', '2']],
];

/** The likeliest first; never empty. */
export function valuesFor(name: string, schema?: JsonObject): readonly Json[] {
  const told = toldBy(schema);
  const [, guessed = ['conformance', 'another']] = BY_NAME.find(([each]) => each.test(name)) ?? [];
  if (Array.isArray(schema?.enum) && schema.enum.length > 0) return schema.enum;
  const all = [...told, ...guessed.filter((each) => !told.includes(each))];
  const { type } = schema ?? {};
  if (type === 'string') return texts(all);
  if (type === 'number' || type === 'integer') return numbers(all, type === 'integer');
  if (type === 'boolean') return [false, true];
  return all;
}

function toldBy(schema: JsonObject | undefined): Json[] {
  if (!isObject(schema)) return [];
  const { const: constant, example, examples, default: usual } = schema;
  const several = Array.isArray(examples) ? examples : [];
  return [constant, example, ...several, usual].filter((each) => each !== undefined);
}

function texts(values: readonly Json[]): readonly Json[] {
  const found = values.filter((each) => typeof each === 'string');
  return found.length > 0 ? found : ['conformance', 'another'];
}

function numbers(values: readonly Json[], whole: boolean): readonly Json[] {
  const all = values.map(Number).filter((each) => Number.isFinite(each) && each > 0);
  const found = [...new Set(whole ? all.map((each) => Math.max(1, Math.round(each))) : all)];
  return found.length > 0 ? found : [1, 2];
}
