// The small part of JSON Schema that describes what this plane takes and gives, and the types that
// follow from it.

import type { Schema } from '../../../fixtures/schemas/validate.ts';

export type { Schema };

type Names<S> = S extends { readonly required: readonly (infer N)[] } ? N : never;

type Members<S, P> = {
  readonly [K in keyof P as K extends Names<S> ? K : never]: ValueOf<P[K]>;
} & { readonly [K in keyof P as K extends Names<S> ? never : K]?: ValueOf<P[K]> };

type ByType<S, T> = T extends 'string'
  ? string
  : T extends 'integer' | 'number'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? readonly (S extends { readonly items: infer I } ? ValueOf<I> : unknown)[]
          : T extends 'object'
            ? S extends { readonly properties: infer P }
              ? Members<S, P>
              : Readonly<Record<string, unknown>>
            : unknown;

/** The type of the values that a schema written `as const` lets pass. */
export type ValueOf<S> = S extends { readonly enum: readonly (infer V)[] }
  ? V
  : S extends { readonly type: infer T }
    ? T extends readonly (infer One)[]
      ? ByType<S, One>
      : ByType<S, T>
    : unknown;

export const text = (description: string) =>
  ({ type: 'string', minLength: 1, maxLength: 1000, description }) as const;

export const flag = (description: string) => ({ type: 'boolean', description }) as const;

export const whole = (description: string, minimum: number, maximum: number) =>
  ({ type: 'integer', minimum, maximum, description }) as const;

/** Ids are decimal strings (CONV-1). */
export const id = (description: string) =>
  ({ type: 'string', pattern: '^[0-9]{1,19}$', description }) as const;

export const oneOf = <const V extends readonly string[]>(description: string, values: V) =>
  ({ type: 'string', enum: values, description }) as const;

type Nullable<S extends { readonly type: string }> = Omit<S, 'type' | 'enum'> & {
  readonly type: readonly [S['type'], 'null'];
} & (S extends { readonly enum: readonly (infer V)[] }
    ? { readonly enum: readonly (V | null)[] }
    : object);

/** The schema with null let in beside its own type. */
export function orNull<const S extends Schema & { readonly type: string }>(schema: S): Nullable<S> {
  const named = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...schema, type: [schema.type, 'null'], ...named } as unknown as Nullable<S>;
}

export const listOf = <const S extends Schema>(items: S, description: string) =>
  ({ type: 'array', items, description }) as const;

type Required<P> = { [K in keyof P & string]: K extends `${string}?` ? never : K }[keyof P &
  string];
type Bare<K> = K extends `${infer N}?` ? N : K;

/** An object of exactly these members; those whose names end in `?` may be left out. */
export function object<const P extends Readonly<Record<string, Schema>>>(
  description: string,
  members: P,
) {
  const entries = Object.entries(members);
  const properties = entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema]);
  const required = entries.map(([name]) => name).filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(properties) as { readonly [K in keyof P as Bare<K>]: P[K] },
    required: required as readonly string[] as readonly Required<P>[],
    additionalProperties: false,
  } as const;
}

export const maxClockMs = 253_402_300_799_999;
export const centuryMs = 3_155_760_000_000;
