// Checks a state in a folder that others may write: what an outsider lays there is neither written
// through, nor waited for, nor believed, and a disk that gets full costs nothing that was saved.
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestSandbox } from '../testing/sandbox.ts';
import type { Sandbox } from '../world/sandbox.ts';
import { Recording } from './recording.ts';
import { readStateFile, StateFile, type StateFileOptions, versionOfState } from './state-file.ts';
import { lockState, unlockState } from './state-lock.ts';

const planted = suite('planted files');
const folder = mkdtempSync(join(tmpdir(), 'planted-'));
const victim = join(folder, 'victim');
const isPosix = process.platform !== 'win32';
let sandbox: Sandbox;

planted.before(async () => {
  sandbox = await createTestSandbox();
});
planted.before.each(() => writeFileSync(victim, 'theirs'));
planted.after.each(() => assert.is(readFileSync(victim, 'utf8'), 'theirs'));

function place(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name, 'state.json');
}

const beside = (path: string, ending: string) => join(path, '..', `.state.json.${ending}`);
const said = (run: Promise<unknown>) => run.then(String, (error: Error) => error.message);
const namesBeside = (path: string) => readdirSync(join(path, '..')).sort();
const keep = (path: string, options: Partial<StateFileOptions> = {}) =>
  new StateFile(sandbox.first, path, { onTrouble: assert.unreachable, ...options });

/** Something is done before each file is opened, in every module, as an outsider would who waits. */
async function beforeOpening(
  plant: (path: string) => void,
  run: () => Promise<void>,
): Promise<void> {
  const { open } = promises;
  const watched = (path: string, ...rest: never[]) => {
    plant(path);
    return open(path, ...rest);
  };
  Object.assign(promises, { open: watched });
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    Object.assign(promises, { open });
    syncBuiltinESMExports();
  }
}

planted('a link laid where a state is written first is not followed, and is said', async () => {
  const path = place('half');
  const told: string[] = [];
  const file = keep(path, { onTrouble: (words) => told.push(words) });
  await file.begin();
  const before = readFileSync(path, 'utf8');
  const halves = new Set<string>();
  const lay = (name: string) => {
    if (!name.endsWith('.saving')) return;
    halves.add(name);
    symlinkSync(victim, name);
  };
  await beforeOpening(lay, async () => {
    await file.save();
    await file.save();
  });
  assert.is(told.length, 2);
  for (const words of told) assert.match(words, `could not be saved to ${path} (EEXIST)`);
  assert.is(halves.size, 2, 'no one knows beforehand what it is called');
  assert.is(readFileSync(path, 'utf8'), before);
  await file.close();
});

planted('a link laid where a recording is about to begin is not written through', async () => {
  const path = place('recording');
  const begin = () => Recording.begin(sandbox.first, path, assert.unreachable);
  await beforeOpening(
    () => existsSync(path) || symlinkSync(victim, path),
    async () => assert.match(await said(begin()), 'is no ordinary file'),
  );
});

planted('a link, a pipe or a torn text where the lock stands is not a lock', async () => {
  const path = place('lock');
  const lock = beside(path, 'lock');
  const lays: (() => unknown)[] = [
    () => symlinkSync(victim, lock),
    () => symlinkSync(join(folder, 'nowhere'), lock),
    () => writeFileSync(lock, ''),
    () => writeFileSync(lock, 'no process\n'),
  ];
  if (isPosix) lays.push(() => execFileSync('mkfifo', [lock]));
  for (const lay of lays) {
    lay();
    await lockState(path);
    assert.ok(lstatSync(lock).isFile());
    assert.match(readFileSync(lock, 'utf8'), new RegExp(`^${process.pid} `));
    await unlockState(path);
    assert.equal(namesBeside(path), []);
  }
  mkdirSync(lock);
  assert.match(await said(keep(path).begin()), /^is in use by another process: stop that sandbox/);
  assert.equal(namesBeside(path), ['.state.json.lock'], 'a folder stays where it was');
});

planted('a lock that is another’s by now is not given up for it', async () => {
  const path = place('taken');
  const file = keep(path);
  await file.begin();
  writeFileSync(beside(path, 'lock'), '1 2\n');
  await file.close();
  assert.is(readFileSync(beside(path, 'lock'), 'utf8'), '1 2\n');
});

planted(
  'a write-ahead log that is a link, a pipe, a folder or another person’s is not told',
  async () => {
    const path = place('log');
    const file = keep(path);
    await file.begin();
    const own = namesBeside(path).find((name) => name.endsWith('.wal')) ?? '';
    const told = JSON.parse(readFileSync(join(path, '..', own), 'utf8'));
    const head = { ...told, log: 'ffffffffffffffff', after: told.log };
    const theirs = join(folder, 'log', 'theirs');
    writeFileSync(theirs, `${JSON.stringify(head)}\nno line of ours\n`);
    symlinkSync(theirs, beside(path, 'ffffffffffffffff.wal'));
    mkdirSync(beside(path, 'folder.wal'));
    if (isPosix) execFileSync('mkfifo', [beside(path, 'pipe.wal')]);
    assert.is(await said(readStateFile(path)), '[object Object]');
    rmSync(beside(path, 'ffffffffffffffff.wal'));
    writeFileSync(beside(path, 'ffffffffffffffff.wal'), readFileSync(theirs));
    // One of ours is told.
    assert.match(await said(readStateFile(path)), 'line 2 is broken');
    if (process.getuid?.() === 0) {
      chownSync(beside(path, 'ffffffffffffffff.wal'), 65_534, 65_534);
      assert.is(await said(readStateFile(path)), '[object Object]');
    }
    await file.close();
    assert.equal(namesBeside(path), ['.state.json.folder.wal', 'state.json', 'theirs']);
    writeFileSync(victim, 'theirs');
  },
);

planted(
  'a world that steps aside is alone in its new place, and gives up the old one',
  async () => {
    const path = place('aside');
    const told: string[] = [];
    const file = keep(path, { onTrouble: (words) => told.push(words) });
    await file.begin();
    writeFileSync(path, '{"mine":true}');
    await file.save();
    const aside = /is kept in (\S+) from now on/.exec(told[0] ?? '')?.[1] ?? '';
    const lockAside = join(aside, '..', `.${aside.split(/[\\/]/).at(-1)}.lock`);
    assert.match(readFileSync(lockAside, 'utf8'), new RegExp(`^${process.pid} `));
    assert.not.ok(
      existsSync(beside(path, 'lock')),
      'the one who likes may take the file that was left',
    );
    await file.close();
    assert.not.ok(existsSync(lockAside));
    assert.is(readFileSync(path, 'utf8'), '{"mine":true}');
  },
);

planted('what another sandbox saved while this one started is not written over', async () => {
  const path = place('meanwhile');
  const none = await versionOfState(path);
  const other = keep(path);
  await other.begin();
  const begun = await versionOfState(path);
  sandbox.first.execute('makeEvent', { category: 'account' });
  other.flush();
  // As a kill would, which is not between another one's look and its lock but by chance.
  rmSync(beside(path, 'lock'));
  for (const loaded of [none, begun]) {
    const refused = 'was saved by another sandbox while this one started; start again';
    assert.is(await said(keep(path, { loaded }).begin()), refused);
  }
  await other.close();
  const file = keep(path, { loaded: await versionOfState(path) });
  await file.begin();
  await file.close();
});

/** Saves documents of which the last two bytes alone have no room, in blocks of either size. */
const moduleAt = (place: string) => JSON.stringify(new URL(place, import.meta.url));
const fillDisk = (path: string) => `
  import { serializeSnapshot } from ${moduleAt('../../core/state/snapshot.ts')};
  import { PiecewiseFile } from ${moduleAt('piecewise-file.ts')};
  const snapshot = (length) => ({ text: 'x'.repeat(length), tradingAccounts: [], entryCounts: [] });
  const bare = [...serializeSnapshot(snapshot(0))].join('').length;
  const file = new PiecewiseFile(${JSON.stringify(path)}, false);
  const write = (bytes) => file.write({ snapshot: snapshot(bytes - bare) });
  await write(1000);
  for (const block of [512, 1024])
    await write(40 * block + 2).catch(({ code }) => console.log(code));
`;

if (isPosix) {
  planted('a disk that gets full in the middle is said, and what was saved stays whole', () => {
    const path = place('full');
    const limited = 'ulimit -f 40; exec "$0" --import tsx --input-type=module -e "$1"';
    const args = ['-c', limited, process.execPath, fillDisk(path)];
    assert.match(execFileSync('sh', args, { encoding: 'utf8' }), /EFBIG\n$/);
    assert.ok(JSON.parse(readFileSync(path, 'utf8')).world.text);
    assert.equal(namesBeside(path), ['state.json']);
  });
}

planted.after(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});
planted.run();
