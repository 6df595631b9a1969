// The committed commands: they start the built programs, or say what to do if nothing is built.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';

const bins = suite<{ folder: string }>('bin files');

bins.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'bin-'));
  mkdirSync(join(place.folder, 'bin'));
  writeFileSync(join(place.folder, 'package.json'), '{"type":"module"}');
});
bins.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

/** The committed files in a folder, with built programs that print how they were called. */
function copy(folder: string, names: readonly string[], isBuilt: boolean): void {
  for (const name of ['load-program', ...names]) {
    cpSync(join(root, `bin/${name}.js`), join(folder, `bin/${name}.js`));
  }
  if (!isBuilt) return;
  mkdirSync(join(folder, 'dist'));
  for (const name of ['sandbox', 'conformance']) {
    const built = `console.log('${name}', process.argv.slice(2).join()); process.exitCode = 7;`;
    writeFileSync(join(folder, `dist/${name}.js`), built);
  }
}

for (const name of ['sandbox', 'conformance']) {
  bins(`${name} says that it is not built`, ({ folder }) => {
    copy(folder, [name], false);
    // Run as a shell would, to test the mode and the first line of the file.
    const file = join(folder, `bin/${name}.js`);
    const { status, stderr, stdout } = spawnSync(file, ['start'], { encoding: 'utf8' });
    assert.equal([status, stdout], [1, '']);
    assert.match(stderr, `${name}: not built yet`);
    assert.match(stderr, 'npm ci');
  });
}

const CALLS: readonly (readonly [file: string, args: string[], printed: string])[] = [
  ['sandbox', ['a', 'b'], 'sandbox a,b'],
  ['conformance', ['a', 'b'], 'conformance a,b'],
  ['trading-platform-sandbox', ['start', '--port', '0'], 'sandbox start,--port,0'],
  ['trading-platform-sandbox', ['conformance', 'run', '--help'], 'conformance run,--help'],
];
for (const [name, args, printed] of CALLS) {
  bins(`${name} ${args[0]} is loaded wherever it is called from`, ({ folder }) => {
    copy(folder, [name], true);
    const call = [join(folder, `bin/${name}.js`), ...args];
    const options = { encoding: 'utf8', cwd: tmpdir() } as const;
    const { status, stdout } = spawnSync(process.execPath, call, options);
    assert.equal([status, stdout.trim()], [7, printed]);
  });
}

bins('an older Node gets one sentence and exit code 2', ({ folder }) => {
  copy(folder, ['sandbox'], false);
  const older = "Object.defineProperty(process, 'versions', { value: { node: '18.20.4' } });";
  writeFileSync(join(folder, 'older.cjs'), older);
  const call = ['--require', join(folder, 'older.cjs'), join(folder, 'bin/sandbox.js'), 'start'];
  const { status, stderr } = spawnSync(process.execPath, call, { encoding: 'utf8' });
  assert.is(status, 2);
  assert.match(stderr, /^sandbox: needs Node 20\.19 or newer/);
});

bins.run();
