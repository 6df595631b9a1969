// Bundles the two programs and the package's public doors: few files to open makes a lean start.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { minify } from 'terser';
import { root } from '../root.ts';
import { findCompanions } from './companions.ts';
import { leanStatic, leanUndici } from './lean-packages.ts';
import { writeNotices } from './notices.ts';

/** Output name → source. Everything they reach by `import()` becomes a chunk of its own. */
const entries = {
  sandbox: 'bin/sandbox.main.ts',
  conformance: 'bin/conformance.main.ts',
  index: 'simulator/index.ts',
  msw: 'simulator/msw.ts',
  webhooks: 'simulator/webhooks.ts',
} as const;

// CommonJS packages in an ES module bundle still call require() for Node's own modules.
const banner =
  "import { createRequire as bundleRequire } from 'node:module';" +
  ' const require = bundleRequire(import.meta.url);';

// What fastify loads only for uses that are not ours: compilers of schemas (no route has one), a
// logger, requests without a socket. Asked for all the same, they are not found, loudly.
const notBundled = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'pino',
  'light-my-request',
];

/** Under a name of its own, so that where it was built leaves no trace in what is built. */
function readersFrom(file: string): Plugin {
  return {
    name: 'readers',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#readers$/ }, () => ({ path: 'readers', namespace: 'built' }));
      onLoad({ filter: /^readers$/, namespace: 'built' }, async () => ({
        contents: await readFile(file, 'utf8'),
      }));
    },
  };
}

// Built-in modules that packages ask for at once and use for what nobody asks of us: fastify for
// TLS and HTTP/2, commander for commands that are programs of their own. A tenth of a start.
const loadedLate = ['node:child_process', 'node:http2', 'node:https'];

/** A `require` of one of them answers at once, and loads it when something of it is asked for. */
const late: Plugin = {
  name: 'late',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind, namespace }) =>
      kind === 'require-call' && namespace !== 'late' && loadedLate.includes(path)
        ? { path, namespace: 'late' }
        : undefined,
    );
    onLoad({ filter: /^/, namespace: 'late' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] });`,
    }));
  },
};

/** Of the package's own description what a program says of itself: not how it is built. */
const manifest: Plugin = {
  name: 'manifest',
  setup({ onLoad }) {
    onLoad({ filter: /package\.json$/ }, async ({ path }) => {
      if (path !== join(root, 'package.json')) return;
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** Each module imports its companions as well. */
function importingAlso(companions: ReturnType<typeof findCompanions>): Plugin {
  return {
    name: 'companions',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
        const others = companions.get(relative(root, path).replaceAll('\\', '/')) ?? [];
        if (others.length === 0) return;
        const lines = others.map((file) => `import ${JSON.stringify(join(root, file))};`);
        return { contents: [await readFile(path, 'utf8'), ...lines].join('\n'), loader: 'ts' };
      });
    },
  };
}

/** Less than this is not worth the time. */
const LARGE_BYTES = 150_000;

/** Makes the largest files a twentieth smaller: what is downloaded is held to a megabyte. */
async function minifyAgain(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    if (!name.endsWith('.js') || text.length < LARGE_BYTES) continue;
    const format = { comments: false };
    const { code } = await minify(text, { module: true, ecma: 2020, compress: true, format });
    if (code === undefined) throw new Error(`${name} came out empty`);
    writeFileSync(path, code);
  }
}

/** Writes every entry whose source exists to `out`; says which were left out. */
export async function bundle(out: string): Promise<string> {
  const present = Object.entries(entries).filter(([, source]) => existsSync(join(root, source)));
  const absent = Object.values(entries).filter((source) => !existsSync(join(root, source)));
  if (present.length > 0) {
    const options = {
      absWorkingDir: root,
      entryPoints: Object.fromEntries(present),
      outdir: out,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      chunkNames: 'chunks/[name]-[hash]',
      // Less to download, to read and to compile at each start. In a trace the names of methods
      // stay; where in the source it was, `npm test` in a clone says.
      minify: true,
      legalComments: 'none',
      logLevel: 'error',
      banner: { js: banner },
      // An optional peer of the package: who uses its door has it.
      external: ['msw', ...notBundled],
      plugins: [readersFrom(join(out, 'readers.js')), leanUndici, leanStatic, late, manifest],
      metafile: true,
    } as const satisfies BuildOptions;
    const { metafile: graph } = await build({ ...options, minify: false, write: false });
    const companions = findCompanions(
      graph.inputs,
      present.map(([, source]) => source),
    );
    const plugins = [...options.plugins, importingAlso(companions)];
    const { metafile } = await build({ ...options, plugins });
    await minifyAgain(join(out, 'chunks'));
    writeNotices(out, Object.keys(metafile.inputs));
  }
  const names = present.map(([name]) => `${name}.js`).join(' ') || 'none';
  return absent.length > 0 ? `${names}; no source yet for ${absent.join(', ')}` : names;
}
