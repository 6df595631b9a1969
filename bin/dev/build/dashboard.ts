// Builds the dashboard: one script and one style sheet, under names with a hash of their
// content, and the page that loads them. It loads nothing from other servers.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../root.ts';

/** Writes `ui/` under `out`. */
export async function buildDashboard(out: string): Promise<void> {
  const assets = join(out, 'ui/assets');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['ui/main.tsx', 'ui/styles.css'],
    outdir: assets,
    entryNames: 'index-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
  });
  copyFileSync(join(root, 'ui/icon.svg'), join(assets, 'icon.svg'));
  const names = new Map([['ui/icon.svg', 'icon.svg']]);
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined) throw new Error(`the dashboard also became ${path}`);
    names.set(entryPoint, basename(path));
  }
  let page = readFileSync(join(root, 'ui/index.html'), 'utf8');
  for (const [source, name] of names) {
    const named = page.replace(`"./${basename(source)}"`, `"./assets/${name}"`);
    if (named === page) throw new Error(`ui/index.html does not ask for ${source}`);
    page = named;
  }
  writeFileSync(join(out, 'ui/index.html'), page);
}
