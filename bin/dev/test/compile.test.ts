// Compiled tests say where a failure is as it was written, and know their own place.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../root.ts';
import { compileTests } from './compile.ts';

const compiling = suite<{ folder: string }>('compiled tests');

// Within the checkout, as every test file is.
compiling.before.each((place) => {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  place.folder = mkdtempSync(join(cache, 'compile-test-'));
});
compiling.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

async function runSource(folder: string, text: string) {
  const file = join(folder, 'one.test.ts');
  writeFileSync(file, text);
  const path = relative(root, file).replaceAll('\\', '/');
  const argsOf = await compileTests([path]);
  return { file, ...spawnSync(process.execPath, argsOf(path), { cwd: root, encoding: 'utf8' }) };
}

compiling('a failure names the file and the line as they were written', async ({ folder }) => {
  const text = `interface Shape {\n  readonly a: number;\n}\n\nconst b: Shape = { a: 1 };
if (b.a === 1) throw new Error('on line six');\n`;
  const { status, stderr } = await runSource(folder, text);
  assert.is(status, 1);
  assert.match(stderr, /one\.test\.ts:6:\d+/);
});

compiling('a file knows where it lies, and finds the built readers', async ({ folder }) => {
  const { file, status, stdout, stderr } = await runSource(
    folder,
    `import { fileURLToPath } from 'node:url';
import { createAccount } from '#readers';
console.log(fileURLToPath(import.meta.url), import.meta.dirname, typeof createAccount);\n`,
  );
  assert.is(status, 0, stderr);
  assert.is(stdout, `${file} ${folder} function\n`);
});

compiling('what cannot be compiled is refused, by its file', async ({ folder }) => {
  try {
    await runSource(folder, 'const = 1;');
  } catch (error) {
    assert.match((error as Error).message, /one\.test\.ts:1:6/);
    return;
  }
  assert.unreachable('it compiled');
});

compiling.run();
