// Builds the dashboard: one script and one style sheet, under names that carry their content's
// hash, and the page that asks for them. It asks for nothing beyond its own server.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../root.ts';

const source = join(root, 'ui');
const sheetLink = /^ *<link rel="stylesheet" href="(\.\/[^"]+)" \/>\n/gm;
const scriptTag = /<script type="module" src="(\.\/[^"]+)"><\/script>/;
const iconLink = /(<link rel="icon" href=")\.\/([^"]+)"/;

/** Writes `ui/` under `out`. */
export async function buildDashboard(out: string): Promise<void> {
  const page = readFileSync(join(source, 'index.html'), 'utf8');
  const sheets = [...page.matchAll(sheetLink)].map(([, path]) => path as string);
  const script = scriptTag.exec(page)?.[1];
  if (script === undefined || sheets.length === 0) {
    throw new Error('ui/index.html names no script or no style sheet');
  }
  const folder = join(out, 'ui');
  const built = {
    script: await bundle(`import ${JSON.stringify(script)};`, 'ts', folder),
    // In the order of the page, which decides between rules of the same weight.
    sheet: await bundle(sheets.map((path) => `@import "${path}";`).join('\n'), 'css', folder),
  };
  const withOneSheet = page
    .replace(sheetLink, '')
    .replace('  </head>', `    <link rel="stylesheet" href="./assets/${built.sheet}" />\n  </head>`)
    .replace(script, `./assets/${built.script}`);
  writeFileSync(join(folder, 'index.html'), withIcon(withOneSheet, folder));
}

/** The name of the one file that it becomes. */
async function bundle(contents: string, loader: 'ts' | 'css', folder: string): Promise<string> {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents, loader, resolveDir: source, sourcefile: `index.${loader}` },
    outdir: join(folder, 'assets'),
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
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  if (names.length !== 1) throw new Error(`the dashboard became ${names.join(', ')}`);
  return names[0] as string;
}

function withIcon(page: string, folder: string): string {
  const name = iconLink.exec(page)?.[2];
  if (name === undefined) throw new Error('ui/index.html names no icon');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  copyFileSync(join(source, name), join(folder, 'assets', name));
  return page.replace(iconLink, `$1./assets/${name}"`);
}
