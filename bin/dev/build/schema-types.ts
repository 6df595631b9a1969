// Prints JSON Schemas as TypeScript, with their descriptions as comments.

type Json = Readonly<Record<string, unknown>>;

/** Schemas that have an interface of their own, which is named instead of repeated. */
export type NamedSchemas = ReadonlyMap<object, string>;

export interface Member {
  readonly name: string;
  /** A schema, or a type already written. */
  readonly schema: object | string;
  /** Instead of the schema's own. */
  readonly description?: string;
  readonly optional: boolean;
}

/** The TypeScript type of what a schema accepts; what TypeScript cannot express is `unknown`. */
export function typeOf(schema: object, named: NamedSchemas = new Map()): string {
  return named.get(schema) ?? writtenOut(schema as Json, named);
}

export function interfaceOf(name: string, schema: object, named: NamedSchemas): string {
  const { description } = schema as Json;
  return `${comment(description)}export interface ${name} ${writtenOut(schema as Json, named)}\n`;
}

/** `{ … }` with a comment for each member that has a description. */
export function objectOf(members: readonly Member[], named: NamedSchemas): string {
  if (members.length === 0) return '{}';
  const lines = members.map(({ name, schema, description, optional }) => {
    const type = typeof schema === 'string' ? schema : typeOf(schema, named);
    const words = description ?? (typeof schema === 'string' ? '' : (schema as Json).description);
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${comment(words)}readonly ${key}${optional ? '?' : ''}: ${type};\n`;
  });
  return `{\n${lines.join('')}}`;
}

/** A comment of one line; nothing without words. */
function comment(words: unknown): string {
  return typeof words === 'string' && words !== ''
    ? `/** ${words.replaceAll('*/', '* /')} */\n`
    : '';
}

export function membersOf(schema: object): readonly Member[] {
  const { required, properties = {} } = schema as Json;
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties as Record<string, object>).map(([name, property]) => ({
    name,
    schema: property,
    optional: !needed.has(name),
  }));
}

function writtenOut(schema: Json, named: NamedSchemas): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((one) => JSON.stringify(one)));
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return union(options.map((one: object) => typeOf(one, named)));
  return union([schema.type].flat().map((type) => typeOfOne(type, schema, named)));
}

function typeOfOne(type: unknown, schema: Json, named: NamedSchemas): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf((schema.items ?? {}) as object, named)})[]`;
    case 'object':
      return objectType(schema, named);
    default:
      return 'unknown';
  }
}

function objectType(schema: Json, named: NamedSchemas): string {
  const members = membersOf(schema);
  if (members.length > 0) return objectOf(members, named);
  const { additionalProperties: values } = schema;
  const value = typeof values === 'object' ? typeOf(values as object, named) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'unknown';
}
