// A killed sandbox: its state with its log is the world as it was, whatever happened last.
import fs, {
  appendFileSync,
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestSandbox, tokenOf } from '../testing/sandbox.ts';
import type { Sandbox } from '../world/sandbox.ts';
import { readStateFile, StateFile } from './state-file.ts';
import { serializeState } from './world-document.ts';

const log = suite('write-ahead log');
const folder = mkdtempSync(join(tmpdir(), 'log-'));

interface Document {
  readonly world: { readonly accounts: readonly { readonly client_reference_id: string }[] };
}

const documentOf = (sandbox: Sandbox): Document =>
  JSON.parse([...serializeState(sandbox.first)].join(''));

const referencesIn = (document: unknown) =>
  (document as Document).world.accounts.map((account) => account.client_reference_id);

/** Creates an account; the status of the answer. */
function create({ first }: Sandbox, token: string, reference: string): number {
  const body = { client_reference_id: reference, email: `${reference}@example.com` };
  const call = {
    method: 'POST',
    target: '/api/v1/accounts',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': reference,
      'content-type': 'application/json',
    },
    body: new TextEncoder().encode(JSON.stringify(body)),
  };
  let status = 0;
  first.call(call, (answer) => {
    if (answer.kind === 'answer') status = answer.reply.status;
  });
  return status;
}

/** What a kill would leave: the folder as it is now, copied to another. */
function copyOf(path: string, name: string): string {
  const place = join(folder, name);
  mkdirSync(place);
  const [from, own] = [join(path, '..'), basename(path)];
  for (const file of readdirSync(from)) {
    if (file.includes(own) && !file.endsWith('.lock')) cpSync(join(from, file), join(place, file));
  }
  return join(place, own);
}

async function kept(name: string, options: { readonly sync: boolean }) {
  const sandbox = await createTestSandbox();
  mkdirSync(join(folder, name));
  const path = join(folder, name, 'state.json');
  const file = new StateFile(sandbox.first, path, { onTrouble: assert.unreachable, ...options });
  await file.begin();
  return { sandbox, path, file, token: tokenOf(sandbox, 'brand-a') };
}

log('with sync, what was answered is in the files at once', async () => {
  const { sandbox, path, file, token } = await kept('sync', { sync: true });
  for (let n = 0; n < 20; n += 1) create(sandbox, token, `sync-${n}`);
  const left = await readStateFile(copyOf(path, 'sync-killed'));
  assert.equal(referencesIn(left), referencesIn(documentOf(sandbox)));
  assert.equal((left as Document).world, documentOf(sandbox).world);
  await file.close();
  await sandbox.close();
});

log('without sync, what was answered is in the files one turn later', async () => {
  const { sandbox, path, file, token } = await kept('soon', { sync: false });
  create(sandbox, token, 'soon');
  await new Promise((resolve) => setImmediate(resolve));
  const left = await readStateFile(copyOf(path, 'soon-killed'));
  assert.ok(referencesIn(left).includes('soon'));
  await file.close();
  await sandbox.close();
});

log('every file is its owner’s alone, half of one as well', async () => {
  const { sandbox, path, file } = await kept('modes', { sync: false });
  const seen = new Set<string>();
  const look = () => {
    for (const name of readdirSync(join(path, '..'))) {
      const { mode } = statSync(join(path, '..', name), { throwIfNoEntry: false }) ?? {};
      if (mode === undefined) continue;
      assert.is((mode & 0o777).toString(8), '600', name);
      seen.add(name.split('.').at(-1) ?? '');
    }
  };
  let isSaved = false;
  void file.save().then(() => {
    isSaved = true;
  });
  while (!isSaved) {
    look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal([...seen].sort(), ['json', 'lock', 'saving', 'wal']);
  await file.close();
  await sandbox.close();
});

log('across saves, resets and moved clocks the files say what the world was', async () => {
  const { sandbox, path, file, token } = await kept('all', { sync: true });
  const { first } = sandbox;
  create(sandbox, token, 'before');
  const empty = documentOf(sandbox);
  create(sandbox, token, 'lost-by-restore');
  await first.advance({ by_ms: 3_600_000 });
  await file.save();
  create(sandbox, token, 'after-save');
  const { restoreState } = await import('./world-document.ts');
  restoreState(first, empty);
  create(sandbox, token, 'after-restore');
  await first.setClock('frozen', first.world.nowMs + 5000);
  const left = await readStateFile(copyOf(path, 'all-killed'));
  assert.equal((left as Document).world, documentOf(sandbox).world);
  assert.equal(
    (left as { clock: unknown }).clock,
    (documentOf(sandbox) as never as { clock: unknown }).clock,
  );
  assert.ok(referencesIn(left).includes('after-restore'));
  assert.not(referencesIn(left).includes('lost-by-restore'));
  await file.close();
  await sandbox.close();
});

log('a line that was half written is left out, a broken one is refused by name', async () => {
  const { sandbox, path, file, token } = await kept('torn', { sync: true });
  create(sandbox, token, 'whole');
  const logOf = (state: string) =>
    join(state, '..', readdirSync(join(state, '..')).find((name) => name.endsWith('.wal')) ?? '');
  const torn = copyOf(path, 'torn-killed');
  appendFileSync(logOf(torn), '{"kind":"call","atM');
  assert.ok(referencesIn(await readStateFile(torn)).includes('whole'));
  const broken = copyOf(path, 'broken');
  appendFileSync(logOf(broken), 'no line of ours\n');
  const said = await readStateFile(broken).catch((error: Error) => error.message);
  assert.match(
    String(said),
    /cannot be read together with its write-ahead log: \.state\.json\.\w+\.wal: line \d+ is broken/,
  );
  await file.close();
  await sandbox.close();
});

log('an orderly end leaves the state alone, for its owner alone', async () => {
  const { sandbox, path, file, token } = await kept('orderly', { sync: false });
  create(sandbox, token, 'one');
  await file.close();
  assert.equal(readdirSync(join(path, '..')), ['state.json']);
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.ok(referencesIn(JSON.parse(readFileSync(path, 'utf8'))).includes('one'));
  chmodSync(path, 0o400);
  const again = new StateFile(sandbox.first, path, { onTrouble: assert.unreachable });
  await again.begin();
  await again.close();
  assert.is(statSync(path).mode & 0o777, 0o400, 'a stricter mode is kept');
  await sandbox.close();
});

log('a symbolic link is followed and stays one; a hard link is refused', async () => {
  const { sandbox, path, file } = await kept('links', { sync: false });
  await file.close();
  const link = join(folder, 'links', 'by-name.json');
  symlinkSync(path, link);
  const linked = new StateFile(sandbox.first, link, { onTrouble: assert.unreachable });
  await linked.begin();
  assert.ok(readdirSync(join(folder, 'links')).includes('.state.json.lock'), 'the file is locked');
  await linked.close();
  assert.equal(readFileSync(link, 'utf8'), readFileSync(path, 'utf8'));
  linkSync(path, join(folder, 'links', 'second.json'));
  const refused = new StateFile(sandbox.first, path, { onTrouble: assert.unreachable });
  assert.match(String(await refused.begin().catch((error: Error) => error.message)), /hard link/);
  await sandbox.close();
});

log('a file that another hand changed is left so, and the world goes on beside it', async () => {
  const sandbox = await createTestSandbox();
  const path = join(folder, 'changed.json');
  const told: string[] = [];
  const file = new StateFile(sandbox.first, path, { onTrouble: (words) => told.push(words) });
  await file.begin();
  writeFileSync(path, '{"mine":true}');
  create(sandbox, tokenOf(sandbox, 'brand-a'), 'beside');
  await file.close();
  assert.is(readFileSync(path, 'utf8'), '{"mine":true}');
  assert.is(told.length, 1);
  const beside = /is kept in (\S+) from now on/.exec(told[0] ?? '')?.[1] ?? '';
  assert.ok(referencesIn(JSON.parse(readFileSync(beside, 'utf8'))).includes('beside'));
  const logs = readdirSync(folder).filter((name) => name.includes('changed.json'));
  assert.equal(logs, ['changed.json'], 'no log that would be told after it');
  await sandbox.close();
});

/** Writes to files go through this while it runs, in every module. */
async function withWriting(
  write: (...args: Parameters<typeof fs.writeSync>) => number,
  run: () => Promise<void>,
): Promise<void> {
  const { writeSync } = fs;
  Object.assign(fs, { writeSync: write });
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    Object.assign(fs, { writeSync });
    syncBuiltinESMExports();
  }
}

const full = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

/** A disk with so many bytes left, until the function that it answers is called. */
async function withRoom(room: number, run: () => Promise<void>): Promise<void> {
  const { writeSync } = fs;
  let left = room;
  let end = 0;
  const write = (file: number, bytes: Buffer | string, ...rest: number[]) => {
    const [offset = 0, length = 1, position] = typeof bytes === 'string' ? [0, 1, rest[0]] : rest;
    // What overwrites bytes that are there needs no room.
    const isOverwrite = (position ?? 0) + length <= end;
    if (isOverwrite) return writeSync(file, bytes as string, position);
    if (left === 0) throw full();
    const taken = Math.min(left, length);
    left -= taken;
    end = (position ?? 0) + taken;
    return writeSync(file, bytes as Buffer, offset, taken, position);
  };
  await withWriting(write as typeof writeSync, run);
}

const isKept = (document: unknown, reference: string) => referencesIn(document).includes(reference);

log('with sync, a full disk is answered 500, and only what is in the file was done', async () => {
  const told: string[] = [];
  const sandbox = await createTestSandbox();
  mkdirSync(join(folder, 'full'));
  const path = join(folder, 'full', 'state.json');
  const onTrouble = (words: string) => told.push(words);
  const file = new StateFile(sandbox.first, path, { onTrouble, sync: true });
  await file.begin();
  const token = tokenOf(sandbox, 'brand-a');
  const names = [0, 1, 2, 3, 4].map((n) => `full-${n}`);
  let statuses: number[] = [];
  await withRoom(700, async () => {
    statuses = names.map((name) => create(sandbox, token, name));
    const torn = await readStateFile(copyOf(path, 'full-torn'));
    for (const [n, name] of names.entries()) {
      assert.is(isKept(torn, name), statuses[n] === 201, `${name}: ${statuses[n]}`);
    }
    assert.is(sandbox.first.stateTrouble, told[0]);
  });
  assert.equal([...new Set(statuses)], [201, 500]);
  assert.is(told.length, 1);
  assert.match(told[0] ?? '', 'could not be written (ENOSPC)');
  // IDEM-6c: a repeat under the same key runs once there is room.
  assert.is(create(sandbox, token, 'full-4'), 201);
  assert.is(sandbox.first.stateTrouble, null);
  const left = await readStateFile(copyOf(path, 'full-killed'));
  assert.equal((left as Document).world, documentOf(sandbox).world);
  await file.close();
  await sandbox.close();
});

log('without sync, a disk that is full for a while leaves no gap and no torn line', async () => {
  const told: string[] = [];
  const sandbox = await createTestSandbox();
  mkdirSync(join(folder, 'full-later'));
  const path = join(folder, 'full-later', 'state.json');
  const file = new StateFile(sandbox.first, path, { onTrouble: (words) => told.push(words) });
  await file.begin();
  const token = tokenOf(sandbox, 'brand-a');
  await withRoom(700, async () => {
    for (let n = 0; n < 5; n += 1) {
      assert.is(create(sandbox, token, `full-${n}`), 201);
      file.flush();
    }
    const torn = await readStateFile(copyOf(path, 'full-later-torn'));
    const { length } = referencesIn(torn).filter((reference) => reference.startsWith('full-'));
    assert.ok(length > 0 && length < 5, `${length} of 5 had room`);
    assert.match(sandbox.first.stateTrouble ?? '', 'ENOSPC');
  });
  assert.is(told.length, 1);
  create(sandbox, token, 'room-again');
  file.flush();
  assert.is(sandbox.first.stateTrouble, null);
  const left = await readStateFile(copyOf(path, 'full-later-killed'));
  assert.equal((left as Document).world, documentOf(sandbox).world);
  await file.close();
  await sandbox.close();
});

log('a step that fails is in no log, and the state loads', async () => {
  for (const sync of [true, false]) {
    const { sandbox, path, file, token } = await kept(`broken-${sync}`, { sync });
    const { first } = sandbox;
    const { operations } = first.behaviour;
    const createAccount = () => {
      throw new Error('a broken invariant');
    };
    create(sandbox, token, 'before');
    const write = process.stderr.write;
    process.stderr.write = () => true;
    first.behaviour = { ...first.behaviour, operations: { ...operations, createAccount } };
    assert.is(create(sandbox, token, 'broken'), 500);
    first.behaviour = { ...first.behaviour, operations };
    process.stderr.write = write;
    assert.is(create(sandbox, token, 'after'), 201);
    file.flush();
    const left = await readStateFile(copyOf(path, `broken-${sync}-killed`));
    assert.equal((left as Document).world, documentOf(sandbox).world);
    await file.close();
    await sandbox.close();
  }
});

log('a save that finds no room leaves no file open and none behind', async () => {
  const told: string[] = [];
  const sandbox = await createTestSandbox();
  mkdirSync(join(folder, 'no-room'));
  const path = join(folder, 'no-room', 'state.json');
  const onTrouble = (words: string) => told.push(words);
  const file = new StateFile(sandbox.first, path, { onTrouble });
  await file.begin();
  const before = readdirSync(join(path, '..'));
  const { openSync } = fs;
  const probe = () => {
    const lowest = openSync(path, 'r');
    fs.closeSync(lowest);
    return lowest;
  };
  const lowest = probe();
  const refuse = () => {
    throw full();
  };
  await withWriting(refuse, async () => {
    for (let n = 0; n < 5; n += 1) await file.save();
  });
  assert.is(told.length, 5);
  assert.is(probe(), lowest, 'as many files are open as before');
  assert.equal(readdirSync(join(path, '..')), before);
  await file.close();
  await sandbox.close();
});

log.after(() => rmSync(folder, { recursive: true }));
log.run();
