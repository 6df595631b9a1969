// The TypeScript side of the generated validators: what a body is once its reader said yes.

type Json = Readonly<Record<string, unknown>>;

const header = `// Generated from fixtures/schemas by the build.

/** One complaint of a reader; the first one found. */
export interface ReaderError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** True when the body can be read; otherwise \`errors\` holds the complaint until the next call. */
export interface Reader<Body> {
  (body: unknown): body is Body;
  errors?: readonly ReaderError[] | null;
}
`;

/** The declaration file of the generated validators. */
export function declareReaders(schemas: Readonly<Record<string, object>>): string {
  const bodies = Object.entries(schemas).map(([name, schema]) => {
    const body = `${name[0]?.toUpperCase()}${name.slice(1)}Body`;
    return (
      `\nexport type ${body} = ${typeOf(schema as Json)};\n` +
      `export const ${name}: Reader<${body}>;\n`
    );
  });
  return header + (bodies.join('') || '\nexport {};\n');
}

/** The TypeScript type of what a schema accepts; what it cannot express is `unknown`. */
function typeOf(schema: Json): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((v) => JSON.stringify(v)).join(' | ');
  for (const key of ['anyOf', 'oneOf']) {
    const options = schema[key];
    if (Array.isArray(options)) return union(options.map((option: Json) => typeOf(option)));
  }
  const types = [schema.type].flat();
  return union(types.map((type) => typeOfOne(type, schema)));
}

function typeOfOne(type: unknown, schema: Json): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf((schema.items as Json | undefined) ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType(schema: Json): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  if (properties.length === 0) return 'Readonly<Record<string, unknown>>';
  const fields = properties.map(([name, property]) => {
    return `readonly ${JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${typeOf(property)}`;
  });
  return `{ ${fields.join('; ')} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'unknown';
}
