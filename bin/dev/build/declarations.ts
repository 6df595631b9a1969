// Writes the declaration files of the package's public entry points.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { filesIn, root } from '../root.ts';
import { compiler } from '../tools.ts';
import { declareRecords } from './record-types.ts';

const entryPoints = ['simulator/index', 'simulator/msw', 'simulator/webhooks'];

/** Writes `types/` under `out`; `npm test` reports type errors. */
export async function writeDeclarations(out: string): Promise<void> {
  const project = join(out, '.tsconfig.types.json');
  const types = join(out, 'types');
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir: types,
  };
  const files = entryPoints.map((entry) => join(root, `${entry}.ts`));
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  writeFileSync(project, JSON.stringify(settings));
  await promisify(execFile)(process.execPath, [compiler, '-p', project], { cwd: root });
  rmSync(project);
  for (const [module, text] of Object.entries(declareRecords())) {
    writeFileSync(join(types, `${module}.d.ts`), text);
  }
  keepReachable(
    types,
    entryPoints.map((entry) => join(types, `${entry}.d.ts`)),
  );
}

/** Removes the declarations that no entry point imports. */
function keepReachable(folder: string, entries: readonly string[]): void {
  const reached = new Set(entries);
  for (const file of reached) {
    const text = readFileSync(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      reached.add(join(dirname(file), specifier.replace(/\.(?:ts|js)$/, '.d.ts')));
    }
  }
  for (const path of filesIn(folder).map((each) => join(folder, each))) {
    if (!reached.has(path)) rmSync(path);
  }
}
