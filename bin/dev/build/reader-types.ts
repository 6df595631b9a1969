// The declarations of the generated validators: what a body is once its reader has accepted it.
import { typeOf } from './schema-types.ts';

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
    return `\nexport type ${body} = ${typeOf(schema)};\nexport const ${name}: Reader<${body}>;\n`;
  });
  return header + (bodies.join('') || '\nexport {};\n');
}
