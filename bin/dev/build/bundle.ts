// Bundles the two programs and the package's public entry points: few files make a fast start.
import { build } from 'esbuild';
import { root } from '../root.ts';
import { writeNotices } from './notices.ts';

/** Output name → source. Everything they load with `import()` becomes a separate chunk. */
const entryPoints = {
  sandbox: 'bin/sandbox.main.ts',
  conformance: 'bin/conformance.main.ts',
  index: 'simulator/index.ts',
  msw: 'simulator/msw.ts',
  webhooks: 'simulator/webhooks.ts',
};

// CommonJS packages in an ES module bundle call require() for Node's own modules.
const banner =
  "import { createRequire as bundleRequire } from 'node:module';" +
  ' const require = bundleRequire(import.meta.url);';

/** Writes all programs and entry points to `out`, with the licenses of what they contain. */
export async function bundle(out: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: 'chunks/[name]-[hash]',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
    banner: { js: banner },
    external: [
      // An optional peer dependency: users of simulator/msw have it.
      'msw',
      // Parts of fastify that are loaded only if they are used: schemas, logger, injected requests.
      ...['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'pino'],
      'light-my-request',
    ],
    metafile: true,
  });
  writeNotices(out, Object.keys(metafile.inputs));
}
