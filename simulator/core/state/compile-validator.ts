// Schemas made into checks that only say yes or no, for lists of a million records: the walker that
// names what is wrong is asked about those that do not pass.
import type { Schema } from '../../../fixtures/schemas/validate.ts';

export type Validator = (value: unknown) => boolean;

/** Says yes to nothing that the walker would find fault with. */
export function compileValidator(schema: Schema): Validator {
  const types = [schema.type ?? []].flat();
  const nullable = types.includes('null');
  const checks = types.filter((type) => type !== 'null').map((type) => checkOf(type, schema));
  const [first, second] = checks;
  if (first === undefined) return () => false;
  if (second !== undefined) {
    return (value) => (value === null ? nullable : checks.some((check) => check(value)));
  }
  return nullable ? (value) => value === null || first(value) : first;
}

function checkOf(type: string, schema: Schema): Validator {
  switch (type) {
    case 'string':
      return checkText(schema);
    case 'integer':
    case 'number':
      return checkNumber(type, schema);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'array':
      return checkList(schema);
    default:
      return checkMembers(schema);
  }
}

function checkText({ enum: values, pattern, minLength = 0 }: Schema): Validator {
  const allowed = values === undefined ? null : new Set<unknown>(values);
  if (allowed !== null) return (value) => typeof value === 'string' && allowed.has(value);
  if (pattern !== undefined) {
    const form = new RegExp(pattern, 'u');
    return (value) => typeof value === 'string' && form.test(value);
  }
  if (minLength === 0) return (value) => typeof value === 'string';
  return (value) => typeof value === 'string' && value.trim().length >= minLength;
}

function checkNumber(type: 'integer' | 'number', schema: Schema): Validator {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const allowed = schema.enum;
  return (value) =>
    typeof value === 'number' &&
    value >= minimum &&
    value <= maximum &&
    (type === 'number' || Number.isInteger(value)) &&
    (allowed === undefined || allowed.includes(value));
}

function checkList({ items }: Schema): Validator {
  if (items === undefined) return (value) => Array.isArray(value);
  const check = compileValidator(items);
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };
}

function checkMembers({ properties = {}, required = [], additionalProperties }: Schema): Validator {
  const members = Object.entries(properties).map(([name, schema]) => {
    const check = compileValidator(schema);
    return { name, check, optional: !required.includes(name) };
  });
  const others =
    typeof additionalProperties === 'object' ? compileValidator(additionalProperties) : null;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const record = value as Readonly<Record<string, unknown>>;
    for (const { name, check, optional } of members) {
      const member = record[name];
      if (member === undefined ? !optional : !check(member)) return false;
    }
    if (others === null) return true;
    for (const [name, member] of Object.entries(record)) {
      if (!Object.hasOwn(properties, name) && !others(member)) return false;
    }
    return true;
  };
}
