// Compiles all test files in one build with shared chunks, so that no process
// has to read and compile hundreds of sources.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Loader, type Plugin } from 'esbuild';
import { root } from '../root.ts';

const worker = 'bin/dev/test/worker.ts';

/** Compiles `paths`; throws the compiler's message if a file cannot be compiled. */
export async function compileTests(paths: readonly string[]) {
  // Inside node_modules, so that packages are resolved by name.
  const out = join(root, 'node_modules/.cache/compiled-tests', String(process.pid));
  process.once('exit', () => rmSync(out, { recursive: true, force: true }));
  mkdirSync(out, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [...paths, worker],
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
    // A failure shows the original file and line.
    sourcemap: 'linked',
    logLevel: 'silent',
    plugins: [asInItsPlace],
  });
  const compiled = (path: string) => join(out, path.replace(/\.tsx?$/, '.mjs'));
  return { compiled, workerFile: compiled(worker) };
}

/** Preserves `import.meta`, and resolves our variant of uvu. */
const asInItsPlace: Plugin = {
  name: 'as-in-its-place',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^uvu$/ }, ({ importer }) =>
      /\.test\.tsx?$/.test(importer) ? { path: join(root, 'bin/dev/test/uvu.ts') } : undefined,
    );
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const place = [pathToFileURL(path).href, dirname(path)].map((each) => JSON.stringify(each));
      // On the first line, so that line numbers do not change.
      const names = `const ownUrl$ = ${place[0]}, ownFolder$ = ${place[1]};`;
      const text = source.includes('import.meta') ? `${names} ${source}` : source;
      return { contents: text, loader: path.endsWith('x') ? 'tsx' : ('ts' satisfies Loader) };
    });
  },
};
