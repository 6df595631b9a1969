// Prints JSON Schemas as TypeScript, with their descriptions as comments.

type Json = Readonly<Record<string, unknown>>;

/** Schemas with a named interface, which is referenced instead of repeated. */
export type NamedSchemas = ReadonlyMap<object, string>;

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly description?: unknown;
  readonly optional?: boolean;
}

/** The TypeScript type of a schema; parts that TypeScript cannot express are `unknown`. */
export function typeOf(schema: object, named: NamedSchemas = new Map()): string {
  return named.get(schema) ?? writtenOut(schema as Json, named);
}

export function interfaceOf(name: string, schema: object, named: NamedSchemas = new Map()): string {
  const { description } = schema as Json;
  return `${comment(description)}export interface ${name} ${writtenOut(schema as Json, named)}\n`;
}

/** `{ … }` with a comment for each member that has a description. */
export function objectOf(members: readonly Member[]): string {
  if (members.length === 0) return '{}';
  const lines = members.map(({ name, type, description, optional }) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${comment(description)}readonly ${key}${optional ? '?' : ''}: ${type};\n`;
  });
  return `{\n${lines.join('')}}`;
}

export function membersOf(schema: object, named: NamedSchemas): Member[] {
  const { required = [], properties = {} } = schema as Json;
  return Object.entries(properties as Record<string, Json>).map(([name, property]) => ({
    name,
    type: typeOf(property, named),
    description: property.description,
    optional: !(required as readonly string[]).includes(name),
  }));
}

/** A comment of one line; empty without a description. */
function comment(words: unknown): string {
  if (typeof words !== 'string' || words === '') return '';
  return `/** ${words.replaceAll('*/', '* /')} */\n`;
}

function writtenOut(schema: Json, named: NamedSchemas): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((one) => JSON.stringify(one)));
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return union(options.map((one: object) => typeOf(one, named)));
  return union([schema.type].flat().map((type) => typeOfOne(type, schema, named)));
}

function typeOfOne(type: unknown, schema: Json, named: NamedSchemas): string {
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return `readonly (${typeOf((schema.items ?? {}) as object, named)})[]`;
  if (type !== 'object') return 'unknown';
  const members = membersOf(schema, named);
  if (members.length > 0) return objectOf(members);
  const { additionalProperties: values } = schema;
  const value = typeof values === 'object' ? typeOf(values as object, named) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'unknown';
}
