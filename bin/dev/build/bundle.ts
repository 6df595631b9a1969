// Bundles the two programs and the package's public entry points: few files make a fast start.
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { root } from '../root.ts';
import { findCompanions } from './companions.ts';
import { writeNotices } from './notices.ts';

/** Output name → source. Everything they load with `import()` becomes a chunk of its own. */
const entries = {
  sandbox: 'bin/sandbox.main.ts',
  conformance: 'bin/conformance.main.ts',
  index: 'simulator/index.ts',
  msw: 'simulator/msw.ts',
  webhooks: 'simulator/webhooks.ts',
} as const;

// CommonJS packages in an ES module bundle call require() for Node's own modules.
const banner =
  "import { createRequire as bundleRequire } from 'node:module';" +
  ' const require = bundleRequire(import.meta.url);';

/** Each module also imports its companions. */
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

/** Writes all programs and entry points to `out`, with the licences of what they contain. */
export async function bundle(out: string): Promise<void> {
  const options = {
    absWorkingDir: root,
    entryPoints: entries,
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
    // undici's index loads everything that it offers; the file beside this one names what we use.
    alias: { undici: './bin/dev/build/undici-parts.cjs' },
    // An optional peer of the package: users of simulator/msw have it. Without the second, undici takes
    // its parser without SIMD, which is as fast for what we send.
    external: ['msw', '../llhttp/llhttp_simd-wasm.js'],
    metafile: true,
  } as const satisfies BuildOptions;
  const { metafile: graph } = await build({ ...options, write: false });
  const companions = importingAlso(findCompanions(graph.inputs, Object.values(entries)));
  const { metafile } = await build({ ...options, plugins: [companions] });
  writeNotices(out, Object.keys(metafile.inputs));
}
