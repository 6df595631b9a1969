// Of some packages is bundled what the programs use, and nothing that they use is missing.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import fastify from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root, sourceFiles } from '../root.ts';
import { leanStatic, leanUndici, usedOfUndici } from './lean-packages.ts';

const lean = suite<{ folder: string; undici: string; served: string }>(
  'what is bundled of packages',
);

async function bundle(name: string, outfile: string, plugin: Plugin): Promise<string> {
  await build({
    stdin: { contents: `export { default } from '${name}';`, resolveDir: root },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    minify: true,
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r('/');" },
    plugins: [plugin],
  });
  return outfile;
}

lean.before(async (place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'lean-packages-'));
  place.undici = await bundle('undici', join(place.folder, 'undici.mjs'), leanUndici);
  place.served = await bundle('@fastify/static', join(place.folder, 'static.mjs'), leanStatic);
});
lean.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

lean('of undici: holds what the sources take', () => {
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

lean('of undici: sends a request and reads the answer', async ({ undici: file }) => {
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

lean('of undici: leaves the rest out, and says so to who takes it', async ({ undici: file }) => {
  const undici = (await import(pathToFileURL(file).href)).default;
  assert.throws(() => new undici.MockAgent(), /not a constructor/);
  assert.ok(statSync(file).size < 400_000, `${statSync(file).size} bytes`);
});

/** What each path is answered: status and media type. */
async function ask(plugin: unknown, served: string): Promise<Record<string, string>> {
  const app = fastify();
  app.register(plugin as Parameters<typeof app.register>[0], { root: served, wildcard: false });
  const told: Record<string, string> = {};
  for (const url of ['/', '/assets/a.js', '/assets/deep/b.css', '/c.webp', '/d.svg', '/e.js']) {
    const { statusCode, headers } = await app.inject(url);
    told[url] = `${statusCode} ${headers['content-type']}`;
  }
  await app.close();
  return told;
}

lean('of @fastify/static: serves each file there is, with its type', async (place) => {
  const served = join(place.folder, 'files');
  mkdirSync(join(served, 'assets/deep'), { recursive: true });
  const files = ['index.html', 'assets/a.js', 'assets/deep/b.css', 'c.webp', 'd.svg'];
  for (const name of files) writeFileSync(join(served, name), name);
  const bundled = (await import(pathToFileURL(place.served).href)).default;
  const told = await ask(bundled, served);
  assert.equal(told, await ask((await import('@fastify/static')).default, served));
  assert.match(told['/assets/deep/b.css'] ?? '', /^200 text\/css/);
  assert.match(told['/e.js'] ?? '', /^404 /);
  assert.ok(statSync(place.served).size < 60_000, `${statSync(place.served).size} bytes`);
});

lean.run();
