// Building blocks of record schemas: each schema defines its type and the check of a saved state.

import {
  ofType,
  record,
  type Schema,
  type Typed,
  type ValueOf,
} from '../../fixtures/schemas/kit.ts';

export { ofType, record, type ValueOf };

/** The latest time that a Date can represent. */
const lastTimeMs = 8_640_000_000_000_000;

export const text = ofType<string>({ type: 'string' });
export const id = ofType<string>({ type: 'string', minLength: 1 });
export const url = ofType<string>({ type: 'string', format: 'uri' });
export const flag = ofType<boolean>({ type: 'boolean' });
export const number = ofType<number>({ type: 'number' });
/** Far below the numbers that adding one does not change: two records would get one id. */
const maxCounted = 2 ** 52;
export const count = ofType<number>({ type: 'integer', minimum: 0, maximum: maxCounted });
export const time = ofType<number>({ type: 'integer', minimum: 0, maximum: lastTimeMs });
export const rate = ofType<number | null>({ type: ['number', 'null'], minimum: 0 });
const decimal = ofType<string>({
  type: 'string',
  // Sums may be longer than what callers send; the exponent has the same bound (NS-49).
  pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d{1,3})?$',
  description: 'It is an exact decimal such as "10.50".',
});

/** Schemas of API members as they are stored: numbers are bounded, and decimals may be sums. */
export function stored<P extends Readonly<Record<string, Schema>>>(members: P): P {
  const kept = Object.entries(members).map(([name, schema]) => {
    const isNumber = [schema.type].flat().includes('integer');
    if (isNumber) return [name, { ...schema, maximum: maxCounted }];
    const { properties } = schema.items ?? {};
    if (properties !== undefined) {
      return [name, { ...schema, items: { ...schema.items, properties: stored(properties) } }];
    }
    return [name, schema.pattern?.includes('\\.') ? decimal : schema];
  });
  return Object.fromEntries(kept) as P;
}

export const orNull = <T>(schema: Typed<T>) =>
  ofType<T | null>({ ...schema, type: [...[schema.type ?? []].flat(), 'null'] });
export const oneOf = <const V extends string>(...values: readonly V[]) =>
  ofType<V>({ type: 'string', enum: values });
export const listOf = <T>(items: Typed<T>) => ofType<readonly T[]>({ type: 'array', items });
export const mapOf = <T>(values: Typed<T>) =>
  ofType<Readonly<Record<string, T>>>({
    type: 'object',
    properties: {},
    additionalProperties: values,
  });
