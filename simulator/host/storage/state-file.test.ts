// A state file and its log restore the world however the sandbox ended. In a folder that other
// users can write, a planted file is never written through, waited for or trusted.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { personOf } from '../../../fixtures/testing/bodies.ts';
import { createTestSandbox, tokenOf } from '../testing/sandbox.ts';
import type { Sandbox } from '../world/sandbox.ts';
import { readStateFile, StateFile, type StateFileOptions } from './state-file.ts';
import { lockState, startOf, unlockState } from './state-lock.ts';
import { restoreState, serializeState } from './world-document.ts';

interface Place {
  folder: string;
  path: string;
  sandbox: Sandbox;
  token: string;
}

const state = suite<Place>('state files');
const isPosix = process.platform !== 'win32';

state.before.each(async (place) => {
  place.folder = fs.mkdtempSync(join(tmpdir(), 'state-'));
  place.path = join(place.folder, 'state.json');
  place.sandbox = await createTestSandbox();
  place.token = tokenOf(place.sandbox, 'brand-a');
});
state.after.each(async ({ folder, sandbox }) => {
  await sandbox.close();
  fs.rmSync(folder, { recursive: true });
});

interface Document {
  readonly world: { readonly accounts: readonly { readonly client_reference_id: string }[] };
  readonly clock: unknown;
}

const documentOf = ({ first }: Sandbox): Document =>
  JSON.parse([...serializeState(first)].join(''));
const read = async (path: string) => (await readStateFile(path)) as Document;
const referencesIn = ({ world }: Document) =>
  world.accounts.map((each) => each.client_reference_id);
const messageOf = (run: Promise<unknown>) => run.then(String, (error: Error) => error.message);
const namesBeside = (path: string) => fs.readdirSync(join(path, '..')).sort();
const beside = (path: string, ending: string) => join(path, '..', `.state.json.${ending}`);
const logOf = (path: string) =>
  join(path, '..', namesBeside(path).find((name) => name.endsWith('.wal')) ?? 'no log');

const open = (path: string) => StateFile.open(path, { onTrouble: assert.unreachable });
async function keep(
  { sandbox, path }: Pick<Place, 'sandbox' | 'path'>,
  options: Partial<StateFileOptions> = {},
): Promise<StateFile> {
  const file = await StateFile.open(path, { onTrouble: assert.unreachable, ...options });
  await file.keep(sandbox.first);
  return file;
}

/** Creates an account and returns the status of the response. */
function create({ sandbox, token }: Place, reference: string): number {
  const headers = {
    authorization: `Bearer ${token}`,
    'idempotency-key': reference,
    'content-type': 'application/json',
  };
  const body = Buffer.from(JSON.stringify(personOf(reference)));
  let status = 0;
  sandbox.first.call({ method: 'POST', target: '/api/v1/accounts', headers, body }, (answer) => {
    if (answer.kind === 'answer') status = answer.reply.status;
  });
  return status;
}

/** The files after a kill: the current folder, copied to another. */
function killed({ path, folder }: Place, name = 'killed'): string {
  const copy = join(folder, name);
  fs.mkdirSync(copy);
  for (const file of fs.readdirSync(folder)) {
    if (/state\.json/.test(file) && !file.endsWith('.lock')) {
      fs.cpSync(join(folder, file), join(copy, file));
    }
  }
  return join(copy, basename(path));
}

const isThere = (document: Document, reference: string) =>
  referencesIn(document).includes(reference);

for (const sync of [true, false]) {
  const when = sync ? 'immediately' : 'one turn later';
  state(`an answered call is in the files ${when}`, async (place) => {
    const file = await keep(place, { sync });
    for (let n = 0; n < 20; n += 1) create(place, `account-${n}`);
    if (!sync) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await read(killed(place))).world, documentOf(place.sandbox).world);
    await file.close();
  });

  state(`a failed step is not in the log${sync ? ', with sync' : ''}`, async (place) => {
    const file = await keep(place, { sync });
    const { first } = place.sandbox;
    const { operations } = first.behaviour;
    const createAccount = () => {
      throw new Error('a broken invariant');
    };
    create(place, 'before');
    const { write } = process.stderr;
    process.stderr.write = () => true;
    first.behaviour = { ...first.behaviour, operations: { ...operations, createAccount } };
    assert.is(create(place, 'broken'), 500);
    first.behaviour = { ...first.behaviour, operations };
    process.stderr.write = write;
    assert.is(create(place, 'after'), 201);
    file.flush();
    assert.equal((await read(killed(place))).world, documentOf(place.sandbox).world);
    await file.close();
  });
}

state('the files match the world across saves, resets and clock changes', async (place) => {
  const { sandbox } = place;
  const file = await keep(place, { sync: true });
  const { first } = sandbox;
  create(place, 'before');
  const early = documentOf(sandbox);
  create(place, 'lost-by-restore');
  await first.advance({ by_ms: 3_600_000 });
  // Changes while a snapshot is being written are either in the snapshot or in the log.
  const saving = file.save();
  create(place, 'during-save');
  await saving;
  create(place, 'after-save');
  assert.equal((await read(killed(place, 'saved'))).world, documentOf(sandbox).world);
  restoreState(first, early);
  create(place, 'after-restore');
  await first.setClock('frozen', first.world.nowMs + 5000);
  const left = await read(killed(place));
  assert.equal([left.world, left.clock], [documentOf(sandbox).world, documentOf(sandbox).clock]);
  assert.ok(isThere(left, 'after-restore'));
  assert.not(isThere(left, 'lost-by-restore'));
  await file.close();
});

state('an orderly close keeps the state, and the next sandbox continues from it', async (place) => {
  const { path, sandbox } = place;
  assert.is(await readStateFile(path), null);
  const file = await keep(place);
  create(place, 'one');
  await file.close();
  assert.equal(namesBeside(path), ['state.json']);
  assert.is(fs.statSync(path).mode & 0o777, 0o600);
  const other = await createTestSandbox();
  restoreState(other.first, await readStateFile(path));
  assert.equal(documentOf(other).world, documentOf(sandbox).world);
  await other.close();
  fs.chmodSync(path, 0o400);
  await (await keep(place)).close();
  assert.is(fs.statSync(path).mode & 0o777, 0o400, 'a stricter mode is kept');
});

state('every file, partial ones included, is readable by its owner only', async (place) => {
  const file = await keep(place);
  const seen = new Set<string>();
  let isSaved = false;
  void file.save().then(() => {
    isSaved = true;
  });
  while (!isSaved) {
    for (const name of fs.readdirSync(place.folder)) {
      const { mode } = fs.statSync(join(place.folder, name), { throwIfNoEntry: false }) ?? {};
      if (mode === undefined) continue;
      assert.is((mode & 0o777).toString(8), '600', name);
      seen.add(name.split('.').at(-1) ?? '');
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal([...seen].sort(), ['json', 'lock', 'saving', 'wal']);
  await file.close();
});

state('a truncated last line is ignored, and a corrupt line is refused by name', async (place) => {
  const file = await keep(place, { sync: true });
  create(place, 'whole');
  const torn = killed(place, 'torn');
  fs.appendFileSync(logOf(torn), '{"kind":"call","atM');
  assert.ok(isThere(await read(torn), 'whole'));
  const broken = killed(place, 'broken');
  fs.appendFileSync(logOf(broken), 'no line of ours\n');
  assert.match(
    await messageOf(readStateFile(broken)),
    /cannot be read together with its write-ahead log: \.state\.json\.[0-9a-f]{16}\.wal: line \d+ is broken/,
  );
  await file.close();
});

const stateOf = (members: string) => `{"format":"trading-platform-sandbox-state",${members}`;
const notStates: readonly (readonly [string, string])[] = [
  ['', 'is not whole JSON'],
  [stateOf('"version":5,"wor'), 'is not whole JSON'],
  ...['[]', 'null', '0', '""', 'false'].map((text) => [text, 'a state is a JSON object'] as const),
  ['{"format":"other"}', 'format must be'],
  [stateOf('"version":99,"world":{}}'), 'of a newer release'],
  [stateOf('"version":1,"world":{}}'), 'version 1 is of another release'],
  [stateOf('"version":5}'), 'world must be an object'],
  [stateOf('"version":5,"world":{}}'), 'world.name is missing'],
];

state('a torn, newer or foreign file is refused and left unchanged', async ({ path, sandbox }) => {
  const before = documentOf(sandbox);
  for (const [text, words] of notStates) {
    fs.writeFileSync(path, text);
    const error = await readStateFile(path)
      .then((document) => restoreState(sandbox.first, document))
      .catch((each: Error) => each);
    assert.is((error as Error).name, 'StateError');
    assert.match((error as Error).message, words);
    assert.is(fs.readFileSync(path, 'utf8'), text);
  }
  assert.equal(documentOf(sandbox), before);
});

state('a missing folder, a folder or a pipe is refused without waiting', async ({ folder }) => {
  const missing = join(folder, 'missing', 'state.json');
  const message = await messageOf(open(missing));
  assert.is(message, `there is no folder ${join(folder, 'missing')}`);
  const [odd, pipe] = [join(folder, 'folder.json'), join(folder, 'pipe.json')];
  fs.mkdirSync(odd);
  if (isPosix) execFileSync('mkfifo', [pipe]);
  for (const path of isPosix ? [odd, pipe] : [odd]) {
    assert.is(await messageOf(readStateFile(path)), 'is no ordinary file; name a file of its own');
  }
});

state('a symbolic link is followed and preserved; a hard link is refused', async (place) => {
  const { folder, path } = place;
  await (await keep(place)).close();
  const link = join(folder, 'by-name.json');
  fs.symlinkSync(path, link);
  const linked = await keep({ ...place, path: link });
  assert.ok(fs.existsSync(beside(path, 'lock')), 'the file is locked');
  await linked.close();
  assert.equal(fs.readFileSync(link, 'utf8'), fs.readFileSync(path, 'utf8'));
  fs.linkSync(path, join(folder, 'second.json'));
  assert.match(await messageOf(open(path)), /hard link/);
});

state('a file changed by another program is left alone, and the world continues', async (place) => {
  const { path, folder } = place;
  const warnings: string[] = [];
  const file = await keep(place, { onTrouble: (words) => warnings.push(words) });
  fs.writeFileSync(path, '{"mine":true}');
  create(place, 'beside');
  await file.close();
  assert.is(fs.readFileSync(path, 'utf8'), '{"mine":true}');
  assert.is(warnings.length, 1);
  const aside = /is kept in (\S+) from now on/.exec(warnings[0] ?? '')?.[1] ?? '';
  assert.ok(isThere(JSON.parse(fs.readFileSync(aside, 'utf8')), 'beside'));
  const left = [basename(aside), 'state.json'].sort();
  assert.equal(fs.readdirSync(folder).sort(), left, 'no log is left');
});

/** Runs a hook before each call of a function of a Node module, in every module. */
async function patched<M extends object>(
  module: M,
  functions: Partial<M>,
  run: () => Promise<unknown>,
): Promise<void> {
  const before = Object.fromEntries(
    Object.keys(functions).map((name) => [name, module[name as keyof M]]),
  );
  Object.assign(module, functions);
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    Object.assign(module, before);
    syncBuiltinESMExports();
  }
}

const errorOf = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

/** A disk with that many bytes left; overwriting existing bytes needs no space. */
async function withRoom(room: number, run: () => Promise<void>): Promise<void> {
  const { writeSync } = fs;
  let left = room;
  let end = 0;
  const write = (file: number, bytes: Buffer | string, ...rest: number[]) => {
    const [offset = 0, length = 1, position] = typeof bytes === 'string' ? [0, 1, rest[0]] : rest;
    if ((position ?? 0) + length <= end) return writeSync(file, bytes as string, position);
    if (left === 0) throw errorOf('ENOSPC');
    const taken = Math.min(left, length);
    left -= taken;
    end = (position ?? 0) + taken;
    return writeSync(file, bytes as Buffer, offset, taken, position);
  };
  await patched(fs, { writeSync: write as typeof writeSync }, run);
}

state('with sync, a full disk is answered 500, and only saved calls have run', async (place) => {
  const { sandbox } = place;
  const warnings: string[] = [];
  const file = await keep(place, { sync: true, onTrouble: (words) => warnings.push(words) });
  const names = [0, 1, 2, 3, 4].map((n) => `full-${n}`);
  let statuses: number[] = [];
  await withRoom(700, async () => {
    statuses = names.map((name) => create(place, name));
    const torn = await read(killed(place, 'torn'));
    for (const [n, name] of names.entries()) {
      assert.is(isThere(torn, name), statuses[n] === 201, `${name}: ${statuses[n]}`);
    }
    assert.is(sandbox.first.stateTrouble, warnings[0]);
  });
  assert.equal([...new Set(statuses)], [201, 500]);
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? '', 'could not be written (ENOSPC)');
  // IDEM-6c: a repeat under the same key runs when there is space again.
  assert.is(create(place, 'full-4'), 201);
  assert.is(sandbox.first.stateTrouble, null);
  assert.equal((await read(killed(place))).world, documentOf(sandbox).world);
  await file.close();
});

state('without sync, a temporarily full disk leaves no gap and no torn line', async (place) => {
  const { sandbox } = place;
  const warnings: string[] = [];
  const file = await keep(place, { onTrouble: (words) => warnings.push(words) });
  await withRoom(700, async () => {
    for (let n = 0; n < 5; n += 1) {
      assert.is(create(place, `full-${n}`), 201);
      file.flush();
    }
    const references = referencesIn(await read(killed(place, 'torn')));
    const { length } = references.filter((reference) => reference.startsWith('full-'));
    assert.ok(length > 0 && length < 5, `${length} of 5 had room`);
    assert.match(sandbox.first.stateTrouble ?? '', 'ENOSPC');
    // A snapshot that fits on the disk while the log does not.
    await file.save();
  });
  assert.ok(warnings.length >= 1);
  create(place, 'room-again');
  file.flush();
  assert.equal((await read(killed(place))).world, documentOf(sandbox).world);
  await file.close();
});

const refuse = (code: string) => () => {
  throw errorOf(code);
};

type BadDisk = (run: () => Promise<unknown>) => Promise<void>;

// [what the disk refuses, the code of the error, the logs after six saves]
const failures: readonly (readonly [BadDisk, string, number])[] = [
  [(run) => patched(fs, { writeSync: refuse('ENOSPC') }, run), 'ENOSPC', 1],
  [(run) => patched(promises, { open: refuse('EACCES') }, run), 'EACCES', 7],
];

for (const [onBadDisk, code, logs] of failures) {
  state(`a save that fails with ${code} is reported, and loses nothing`, async (place) => {
    const { path, sandbox } = place;
    const warnings: string[] = [];
    const file = await keep(place, { onTrouble: (words) => warnings.push(words) });
    create(place, 'last');
    file.flush();
    const lowestFree = () => {
      const lowest = fs.openSync(path, 'r');
      fs.closeSync(lowest);
      return lowest;
    };
    const saved = fs.readFileSync(path, 'utf8');
    const lowest = lowestFree();
    await onBadDisk(async () => {
      for (let n = 0; n < 5; n += 1) await file.save();
      assert.ok(lowestFree() <= lowest, 'no more files are open than before');
      await file.close();
    });
    assert.is(warnings.length, 6);
    for (const words of warnings) {
      assert.ok(words.startsWith(`the state could not be saved to ${path} (${code}); `), words);
    }
    assert.is(fs.readFileSync(path, 'utf8'), saved);
    const left = namesBeside(path).filter((name) => !name.endsWith('.lock'));
    assert.is(left.filter((name) => name.endsWith('.wal')).length, logs);
    assert.is(left.length, logs + 1, 'and the file');
    assert.equal((await read(path)).world, documentOf(sandbox).world);
  });
}

state('a file held by another program is replaced shortly afterwards', async (place) => {
  const file = await keep(place);
  const { rename } = promises;
  const codes = ['EPERM', 'EBUSY', 'EACCES'];
  const refusing = async (from: fs.PathLike, to: fs.PathLike) => {
    const code = codes.shift();
    if (code !== undefined) throw errorOf(code);
    await rename(from, to);
  };
  await patched(promises, { rename: refusing }, () => file.save());
  assert.is(codes.length, 0);
  await file.close();
});

state('a state file has one sandbox, and the lock of a killed one is free', async (place) => {
  const { path } = place;
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const pid = other.pid as number;
  const lock = beside(path, 'lock');
  const half = beside(path, `${pid}.0123456789abcdef.saving`);
  fs.writeFileSync(lock, `${pid}\n`);
  fs.writeFileSync(half, '{"half');
  assert.match(await messageOf(open(path)), `is in use by process ${pid}`);
  assert.not.ok(fs.existsSync(path), 'and nothing was written');
  assert.ok(fs.existsSync(half));
  const began = await startOf(pid);
  assert.ok(began, 'this system says when a process began');
  fs.writeFileSync(lock, `${pid} ${began}\n`);
  assert.match(await messageOf(open(path)), `is in use by process ${pid}`);
  fs.writeFileSync(lock, `${pid} ${began}0\n`);
  await (await keep(place)).close();
  assert.ok(fs.existsSync(path), 'another process has that id by now');
  fs.writeFileSync(lock, `${pid}\n`);
  other.kill('SIGKILL');
  await once(other, 'exit');
  const file = await keep(place);
  assert.match(fs.readFileSync(lock, 'utf8'), new RegExp(`^${process.pid} `));
  assert.not.ok(fs.existsSync(half), 'half a file of a killed process is removed');
  await file.close();
  assert.equal(namesBeside(path), ['state.json']);
});

state('a link, a pipe or a torn text at the lock path is not a lock', async ({ folder, path }) => {
  const lock = beside(path, 'lock');
  const victim = join(folder, 'victim');
  fs.writeFileSync(victim, 'theirs');
  const plants: (() => unknown)[] = [
    () => fs.symlinkSync(victim, lock),
    () => fs.symlinkSync(join(folder, 'nowhere'), lock),
    () => fs.writeFileSync(lock, ''),
    () => fs.writeFileSync(lock, 'no process\n'),
  ];
  if (isPosix) plants.push(() => execFileSync('mkfifo', [lock]));
  for (const plant of plants) {
    plant();
    await lockState(path);
    assert.ok(fs.lstatSync(lock).isFile());
    assert.match(fs.readFileSync(lock, 'utf8'), new RegExp(`^${process.pid} `));
    await unlockState(path);
    assert.equal(namesBeside(path), ['victim']);
  }
  assert.is(fs.readFileSync(victim, 'utf8'), 'theirs');
  fs.mkdirSync(lock);
  assert.match(await messageOf(open(path)), /^is in use by another process: stop that/);
  fs.rmSync(lock, { recursive: true });
  await lockState(path);
  assert.match(await messageOf(open(path)), /^is in use by another sandbox of this process: close/);
  fs.writeFileSync(lock, '1 2\n');
  await unlockState(path);
  assert.is(fs.readFileSync(lock, 'utf8'), '1 2\n', 'the lock of another is not removed');
});

state('a link planted at the temporary path is not followed, and is reported', async (place) => {
  const { folder, path } = place;
  const victim = join(folder, 'victim');
  fs.writeFileSync(victim, 'theirs');
  const warnings: string[] = [];
  const file = await keep(place, { onTrouble: (words) => warnings.push(words) });
  const before = fs.readFileSync(path, 'utf8');
  const halves = new Set<string>();
  const { open } = promises;
  const planting = (name: string, ...rest: never[]) => {
    if (name.endsWith('.saving')) {
      halves.add(name);
      fs.symlinkSync(victim, name);
    }
    return open(name, ...rest);
  };
  await patched(promises, { open: planting } as never, async () => {
    await file.save();
    await file.save();
  });
  assert.is(warnings.length, 2);
  for (const words of warnings) assert.match(words, `could not be saved to ${path} (EEXIST)`);
  assert.is(halves.size, 2, 'its name cannot be known before');
  assert.is(fs.readFileSync(path, 'utf8'), before);
  assert.is(fs.readFileSync(victim, 'utf8'), 'theirs');
  await file.close();
});

state('a log that is a link, a pipe, a folder or another user’s is not replayed', async (place) => {
  const file = await keep(place);
  create(place, 'in the log');
  file.flush();
  const path = killed(place);
  const log = logOf(path);
  const lines = fs.readFileSync(log, 'utf8');
  const foreign = join(place.folder, 'foreign');
  fs.writeFileSync(foreign, `${lines}no line of ours\n`);
  const plants: (() => unknown)[] = [() => fs.symlinkSync(foreign, log), () => fs.mkdirSync(log)];
  if (isPosix) plants.push(() => execFileSync('mkfifo', [log]));
  if (process.getuid?.() === 0) {
    plants.push(() => {
      fs.writeFileSync(log, lines);
      fs.chownSync(log, 65_534, 65_534);
    });
  }
  for (const plant of plants) {
    fs.rmSync(log, { recursive: true });
    plant();
    assert.not(isThere(await read(path), 'in the log'));
  }
  fs.rmSync(log, { recursive: true });
  fs.writeFileSync(log, fs.readFileSync(foreign));
  assert.match(await messageOf(readStateFile(path)), 'is broken');
  await file.close();
});

state.run();
