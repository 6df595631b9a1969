// Turns the request schemas into validators written out as code, so that no program of ours
// compiles schemas (or carries the compiler) while it runs.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { root } from '../root.ts';
import { declareReaders } from './reader-types.ts';

type Schemas = Readonly<Record<string, object>>;

const candidates = ['fixtures/schemas/requests.ts', 'fixtures/schemas.ts'];

/** Writes `readers.js` and `readers.d.ts`: one function an operation, `(body) => boolean`. */
export async function writeReaders(out: string): Promise<string> {
  const schemas = await loadSchemas();
  const names = Object.keys(schemas);
  await bundleCode(generate(schemas), join(out, 'readers.js'));
  writeFileSync(join(out, 'readers.d.ts'), declareReaders(schemas));
  return names.length > 0 ? `${names.length} operations` : 'no schemas yet';
}

/** The validators as the source of one ES module; throws when a schema is not valid. */
export function generate(schemas: Schemas): string {
  const names = Object.keys(schemas);
  if (names.length === 0) return 'export {};\n';
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
export async function bundleCode(contents: string, outfile: string): Promise<void> {
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

async function loadSchemas(): Promise<Schemas> {
  const path = candidates.map((name) => join(root, name)).find(existsSync);
  if (!path) return {};
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const schemas = module.requestSchemas;
  if (typeof schemas !== 'object' || schemas === null) {
    throw new Error(`${path} must export requestSchemas: an object keyed by operation name`);
  }
  return schemas as Schemas;
}
