// The published files: small, nothing that a user does not need, and the licence of every bundled package.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';

const published = suite('published files');

const maxPacked = 1_000_000;
const maxUnpacked = 5_000_000;

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Earlier builds leave chunks for running programs; packing removes them. */
const built = new Set((JSON.parse(read('dist/.built')) as { files: string[] }).files);

/** As npm lists them. */
function listFiles(): readonly string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const [{ files }] = JSON.parse(output) as [{ files: readonly { readonly path: string }[] }];
  return files
    .map(({ path }) => path)
    .filter((path) => !path.startsWith('dist/') || built.has(path.slice('dist/'.length)));
}

const files = listFiles();

published('are small', () => {
  const contents = files.map((path) => readFileSync(join(root, path)));
  const unpacked = contents.reduce((sum, { length }) => sum + length, 0);
  // An archive adds a 512-byte header per file, which compresses well.
  const packed = gzipSync(Buffer.concat(contents.flatMap((c) => [Buffer.alloc(512), c]))).length;
  console.log(`${files.length} files, ${packed} bytes packed, ${unpacked} unpacked`);
  assert.ok(packed <= maxPacked, `${packed} bytes packed, ${maxPacked} are the most`);
  assert.ok(unpacked <= maxUnpacked, `${unpacked} bytes unpacked, ${maxUnpacked} are the most`);
});

published('are what a user needs: no source, no test, no source map, no mark of a build', () => {
  const stray = files.filter((path) => /\.map$|(?<!\.d)\.tsx?$|\.test\.|\/\./.test(path));
  assert.equal(stray, []);
  for (const needed of ['dist/LICENSE.txt', 'dist/NOTICES.txt', 'simulator/CHANGELOG.md']) {
    assert.ok(files.includes(needed), needed);
  }
});

published('give notice of each bundled package in the version that is locked', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Readonly<Record<string, { readonly version: string; readonly license?: string }>>;
  };
  const notices = [...read('dist/NOTICES.txt').matchAll(/^=+\n(\S+) (\S+) \((.+)\)\n=+$/gm)];
  assert.ok(notices.length >= 10, `${notices.length} notices`);
  for (const [, name, version, license] of notices) {
    const locked = Object.entries(packages).filter(([path]) =>
      path.endsWith(`node_modules/${name}`),
    );
    const same = locked.some(([, each]) => each.version === version && each.license === license);
    assert.ok(same, `${name} ${version} (${license}) is in the lockfile`);
  }
});

published.run();
