// Of undici is bundled what the programs use, and nothing that they use is missing.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root, sourceFiles } from '../root.ts';
import { leanUndici, usedOfUndici } from './lean-undici.ts';

const lean = suite<{ folder: string; file: string }>('what is bundled of undici');

lean.before(async (place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'lean-undici-'));
  place.file = join(place.folder, 'undici.mjs');
  await build({
    stdin: { contents: "export { default } from 'undici';", resolveDir: root },
    outfile: place.file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    minify: true,
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r('/');" },
    plugins: [leanUndici],
  });
});
lean.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

lean('holds what the sources take', () => {
  const taken = new Set<string>();
  for (const path of sourceFiles()) {
    if (path.startsWith('bin/') || path.endsWith('.test.ts')) continue;
    const text = readFileSync(join(root, path), 'utf8');
    const names = /const \{([^}]+)\} = \(await import\('undici'\)\)\.default/.exec(text)?.[1] ?? '';
    for (const name of names.split(',')) if (name.trim() !== '') taken.add(name.trim());
    for (const [, name] of text.matchAll(/#undici\.(\w+)/g)) taken.add(name as string);
  }
  assert.equal([...taken].sort(), Object.keys(usedOfUndici).sort());
});

lean('sends a request and reads the answer', async ({ file }) => {
  const undici = (await import(pathToFileURL(file).href)).default;
  for (const name of Object.keys(usedOfUndici)) assert.type(undici[name], 'function', name);
  const server = createServer((_, response) => response.end('heard'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dispatcher = new undici.Agent();
  try {
    const { port } = server.address() as AddressInfo;
    const { body } = await undici.request(`http://127.0.0.1:${port}/`, { dispatcher });
    assert.is(await body.text(), 'heard');
  } finally {
    await dispatcher.close();
    server.close();
  }
});

lean('leaves the rest out, and says so to who takes it', async ({ file }) => {
  const undici = (await import(pathToFileURL(file).href)).default;
  assert.throws(() => new undici.MockAgent(), /not a constructor/);
  assert.ok(statSync(file).size < 400_000, `${statSync(file).size} bytes`);
});

lean.run();
