// Turns the request schemas into validators written out as code, so that no program of ours
// compiles schemas (or carries the compiler) while it runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { requestSchemas } from '../../../fixtures/schemas/requests.ts';
import { root } from '../root.ts';
import { declareReaders } from './reader-types.ts';

type Schemas = Readonly<Record<string, object>>;

/** Writes `readers.js` and `readers.d.ts`: one function for each operation, `(body) => boolean`. */
export async function writeReaders(out: string): Promise<void> {
  const schemas: Schemas = requestSchemas;
  await bundleCode(generate(schemas), join(out, 'readers.js'));
  writeFileSync(join(out, 'readers.d.ts'), declareReaders(schemas));
}

/** The validators as the source of one ES module; throws when a schema is not valid. */
function generate(schemas: Schemas): string {
  const names = Object.keys(schemas);
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  });
  for (const name of names) ajv.addSchema(schemas[name] as object, name);
  // @ts-expect-error: the package's CommonJS typing hides that the default export is the function.
  return standalone(ajv, Object.fromEntries(names.map((name) => [name, name]))) as string;
}

/** Writes the module with the small run-time parts of ajv that its code still requires. */
async function bundleCode(contents: string, outfile: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: root, sourcefile: 'readers.js' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile,
    logLevel: 'error',
    banner: { js: '// Generated from fixtures/schemas by the build.' },
  });
}
