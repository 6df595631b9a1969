// All test files compiled at once into one folder, in which they share their chunks: plain Node
// then runs each, and none has to read and compile hundreds of sources for itself.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Loader, type Plugin } from 'esbuild';
import { compiledFolder, root } from '../root.ts';

/** Where the packages of the checkout are found by their names, and where no package is made of. */
const place = join(root, 'node_modules/.cache/compiled-tests');

// Programs that tests start by `programFile`.
const programs = ['bin/dev/prove/worker.ts'];

/** The arguments for Node that run a test file. */
export type RunArgs = (path: string) => readonly string[];

/** Compiles `paths`; throws, with what the compiler says, where one cannot be compiled. */
export async function compileTests(paths: readonly string[]): Promise<RunArgs> {
  const out = join(place, String(process.pid));
  process.once('exit', () => rmSync(out, { recursive: true, force: true }));
  mkdirSync(out, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [...paths, ...programs],
    outdir: out,
    outbase: root,
    outExtension: { '.js': '.mjs' },
    entryNames: '[dir]/[name]',
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    packages: 'external',
    define: { 'import.meta.url': 'ownUrl$', 'import.meta.dirname': 'ownFolder$' },
    // A failure shows the file and the line as they were written.
    sourcemap: 'linked',
    logLevel: 'silent',
    plugins: [asInItsPlace],
  });
  process.env[compiledFolder] = out;
  return (path) => ['--enable-source-maps', join(out, path.replace(/\.tsx?$/, '.mjs'))];
}

/** What a source says of its own place stays true, and the built readers are found. */
const asInItsPlace: Plugin = {
  name: 'as-in-its-place',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^#readers$/ }, () => ({
      path: join(root, 'dist/readers.js'),
      external: true,
    }));
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const place = [pathToFileURL(path).href, dirname(path)].map((each) => JSON.stringify(each));
      // On the first line, so that every line keeps its number.
      const names = `const ownUrl$ = ${place[0]}, ownFolder$ = ${place[1]};`;
      const text = source.includes('import.meta') ? `${names} ${source}` : source;
      return { contents: text, loader: path.endsWith('x') ? 'tsx' : ('ts' satisfies Loader) };
    });
  },
};
