// The committed commands: they say what to do where nothing is built, and start where it is.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

for (const name of ['sandbox', 'conformance']) {
  bins(`${name} says that it is not built`, ({ folder }) => {
    const file = join(folder, `bin/${name}.js`);
    cpSync(join(root, `bin/${name}.js`), file);
    cpSync(join(root, 'bin/load-program.js'), join(folder, 'bin/load-program.js'));
    // Run as a shell would: the mode and the first line of the file are tried too.
    const { status, stderr, stdout } = spawnSync(file, ['start'], { encoding: 'utf8' });
    assert.is(status, 1);
    assert.match(stderr, `${name}: not built yet`);
    assert.match(stderr, 'npm ci');
    assert.is(stdout, '');
  });

  bins(`${name} loads what is built beside it, wherever it is called from`, ({ folder }) => {
    cpSync(join(root, `bin/${name}.js`), join(folder, `bin/${name}.js`));
    cpSync(join(root, 'bin/load-program.js'), join(folder, 'bin/load-program.js'));
    mkdirSync(join(folder, 'dist'));
    const built = 'console.log(process.argv.slice(2).join());process.exitCode=7;';
    writeFileSync(join(folder, `dist/${name}.js`), built);
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(folder, `bin/${name}.js`), 'a', 'b'],
      { encoding: 'utf8', cwd: tmpdir() },
    );
    assert.is(status, 7);
    assert.is(stdout.trim(), 'a,b');
  });

  bins(`${name} is built`, () => {
    assert.ok(existsSync(join(root, `dist/${name}.js`)), 'run npm run build');
  });
}

for (const [args, program] of [
  [['start', '--port', '0'], 'sandbox'],
  [['conformance', 'run', '--help'], 'conformance'],
] as const) {
  bins(`under the package's own name, ${args[0]} is a command of ${program}`, ({ folder }) => {
    for (const file of ['trading-platform-sandbox.js', 'load-program.js']) {
      cpSync(join(root, 'bin', file), join(folder, 'bin', file));
    }
    mkdirSync(join(folder, 'dist'));
    for (const name of ['sandbox', 'conformance']) {
      const built = `console.log('${name}', process.argv.slice(2).join());`;
      writeFileSync(join(folder, `dist/${name}.js`), built);
    }
    const file = join(folder, 'bin/trading-platform-sandbox.js');
    const { stdout } = spawnSync(process.execPath, [file, ...args], { encoding: 'utf8' });
    const rest = program === 'conformance' ? args.slice(1) : args;
    assert.is(stdout.trim(), `${program} ${rest.join()}`);
  });
}

bins('an older Node gets one sentence and exit code 2', ({ folder }) => {
  for (const file of ['sandbox.js', 'load-program.js']) {
    cpSync(join(root, 'bin', file), join(folder, 'bin', file));
  }
  const older = "Object.defineProperty(process, 'versions', { value: { node: '18.20.4' } });";
  writeFileSync(join(folder, 'older.cjs'), older);
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--require', join(folder, 'older.cjs'), join(folder, 'bin/sandbox.js'), 'start'],
    { encoding: 'utf8' },
  );
  assert.is(status, 2);
  assert.match(stderr, /^sandbox: needs Node 20\.19 or newer/);
});

bins.run();
