// Holds a value against a schema, and names the field and the remedy for whatever does not fit.
import { findNearest, isRecord, shown } from '../../fixtures/settings/parse.ts';
import type { Schema } from './schema.ts';

export interface Misfit {
  /** Path of the member, such as `effect.ms`; `body` for the whole. */
  readonly field: string;
  readonly message: string;
}

const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  object: 'an object',
  string: 'a string',
};

/** Everything in which a value does not fit; empty when it does. */
export function findMisfits(schema: Schema, value: unknown, field = ''): readonly Misfit[] {
  const wrong = (message: string): readonly Misfit[] => [{ field: field || 'body', message }];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    const words = types.map((type) => typeWords[type]).join(' or ');
    return wrong(`must be ${words}, not ${shown(value)}`);
  }
  if (value === null) return [];
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) {
    const listed = schema.enum.filter((each) => each !== null).join(', ');
    return wrong(`must be one of ${listed}, not ${shown(value)}`);
  }
  if (typeof value === 'string') return fitText(schema, value, wrong);
  if (typeof value === 'number') return fitNumber(schema, value, wrong);
  if (Array.isArray(value)) return fitList(schema, value, field, wrong);
  return isRecord(value) ? fitMembers(schema, value, field) : [];
}

type Wrong = (message: string) => readonly Misfit[];

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function fitText(schema: Schema, value: string, wrong: Wrong): readonly Misfit[] {
  if (schema.minLength !== undefined && value.trim().length < schema.minLength) {
    return wrong('must not be empty');
  }
  if (schema.maxLength !== undefined && value.length > schema.maxLength) {
    return wrong(`must have at most ${schema.maxLength} characters`);
  }
  if (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value)) return [];
  return wrong(`has not the right form: ${shown(value)}. ${schema.description ?? ''}`.trim());
}

function fitNumber(schema: Schema, value: number, wrong: Wrong): readonly Misfit[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (value >= minimum && value <= maximum) return [];
  return wrong(`must be from ${minimum} to ${maximum}, not ${shown(value)}`);
}

function fitList(
  schema: Schema,
  value: readonly unknown[],
  field: string,
  wrong: Wrong,
): readonly Misfit[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
  if (value.length < minItems) return wrong(`must have at least ${minItems}`);
  if (value.length > maxItems) return wrong(`must have at most ${maxItems}`);
  return items === undefined
    ? []
    : value.flatMap((item, at) => findMisfits(items, item, `${field}[${at}]`));
}

function fitMembers(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  field: string,
): readonly Misfit[] {
  const { properties, additionalProperties, required = [] } = schema;
  if (properties === undefined) return [];
  const names = Object.keys(value);
  const at = (name: string) => (field === '' ? name : `${field}.${name}`).slice(0, 200);
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ field: at(name), message: missingWords(properties[name]) }));
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const known = Object.keys(properties);
  const present = names.flatMap((name) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (member !== undefined) return findMisfits(member, value[name], at(name));
    if (typeof additionalProperties === 'object') {
      return findMisfits(additionalProperties, value[name], at(name));
    }
    return additionalProperties === false
      ? [{ field: at(name), message: unknownWords(name, known) }]
      : [];
  });
  const problems = [...missing, ...present];
  if (problems.length > 0) return problems;
  if (names.length >= minProperties && names.length <= maxProperties) return [];
  const how = maxProperties === 1 ? 'exactly one' : 'at least one';
  return [{ field: field || 'body', message: `must have ${how} of ${known.join(', ')}` }];
}

function missingWords(schema: Schema | undefined): string {
  return `is missing. ${schema?.description ?? ''}`.trim();
}

function unknownWords(name: string, known: readonly string[]): string {
  const nearest = findNearest(name, known);
  if (nearest !== null) return `is not known here; did you mean ${nearest}?`;
  return known.length === 0
    ? 'is not known here; nothing is taken'
    : `is not known here; there are ${known.join(', ')}`;
}
