// The values that records of a state are made of, as schemas.
import type { Schema } from '../../../fixtures/schemas/validate.ts';
import type { Call, Reply } from '../call.ts';
import { operationNames } from '../tables/operations.ts';
import { planRates } from '../tables/rate-plans.ts';

/** The last time that a date can be made of. */
export const lastTimeMs = 8_640_000_000_000_000;

/** An object of these members at least; one per member of the type, so that none is forgotten. */
export function record<T>(
  properties: Readonly<Record<keyof T & string, Schema>>,
  optional: readonly (keyof T & string)[] = [],
): Schema {
  const names = Object.keys(properties) as (keyof T & string)[];
  const required = names.filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

export const text: Schema = { type: 'string' };
export const id: Schema = { type: 'string', minLength: 1 };
export const flag: Schema = { type: 'boolean' };
export const number: Schema = { type: 'number' };
/** Far from where adding one makes no other number, which would give two records one id. */
const mostCounted = 2 ** 52;
export const count: Schema = { type: 'integer', minimum: 0, maximum: mostCounted };
export const time: Schema = { type: 'integer', minimum: 0, maximum: lastTimeMs };
export const rate: Schema = { type: ['number', 'null'], minimum: 0 };
export const decimal: Schema = {
  type: 'string',
  // Sums may be longer than what a caller may send; the exponent is bounded as there (NS-49).
  pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d{1,3})?$',
  description: 'It is an exact decimal such as "10.50".',
};
const headerValue: Schema = {
  type: 'string',
  pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
  description: 'It is the value of a header.',
};

export const orNull = (schema: Schema): Schema => ({
  ...schema,
  type: [...[schema.type ?? []].flat(), 'null'],
});
export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const mapOf = (values: Schema): Schema => ({
  type: 'object',
  properties: {},
  additionalProperties: values,
});
export const plan = oneOf(...Object.keys(planRates));
export const operation = oneOf(...operationNames);

export const reply = record<Reply>(
  {
    status: { type: 'integer', minimum: 100, maximum: 999 },
    contentType: orNull(
      oneOf('application/json', 'application/problem+json', 'text/plain', 'text/html'),
    ),
    body: text,
    etag: headerValue,
    headers: mapOf(headerValue),
    isForeign: flag,
  },
  ['etag', 'headers', 'isForeign'],
);

/** A call as it is written down: its body is base64. */
export const call = record<Call>(
  {
    method: text,
    target: text,
    // One by one they are a text or a list of them.
    headers: mapOf({ type: ['string', 'array'], items: text }),
    body: text,
    oversize: flag,
    upgrade: flag,
  },
  ['oversize', 'upgrade'],
);
