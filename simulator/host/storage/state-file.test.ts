// Checks states: loading one changes nothing about the future, and a file is whole or left alone.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dumpWorld } from '../../core/state/snapshot.ts';
import { drawFrom, makeInput } from '../../core/testing/random-inputs.ts';
import { createTestSandbox, tokenOf } from '../testing/sandbox.ts';
import type { Sandbox } from '../world/sandbox.ts';
import { readStateFile, StateFile } from './state-file.ts';
import { startOf } from './state-lock.ts';
import { restoreState, serializeState } from './world-document.ts';

const state = suite('states');
const folder = mkdtempSync(join(tmpdir(), 'state-'));

const documentOf = (sandbox: Sandbox): unknown =>
  JSON.parse([...serializeState(sandbox.first)].join(''));

/** Calls, commands and time, each answer noted. */
async function live(sandbox: Sandbox, from: number, count: number): Promise<string[]> {
  const heard: string[] = [];
  const { first } = sandbox;
  for (let n = from; n < from + count; n += 1) {
    const input = makeInput(drawFrom(n), first.world);
    if (input.kind === 'command')
      heard.push(JSON.stringify(first.execute(input.name, input.args as never)));
    else if (input.kind === 'call') {
      first.call(input.call, (answer) => heard.push(JSON.stringify(answer)));
    } else await first.advance({ by_ms: input.atMs - first.world.nowMs });
  }
  const { fired } = await first.advance({ by_ms: 2 * 86_400_000 });
  return [...heard, JSON.stringify(fired)];
}

state('the future after a restore is the same as without it', async () => {
  for (const seed of [1000, 2000, 3000]) {
    // Deliveries are signed with the wall's time, which is to be the same for both.
    const wallMs = () => 1_772_000_000_000;
    const one = await createTestSandbox({ wallMs });
    const other = await createTestSandbox({ wallMs });
    await live(one, seed, 300);
    const fault = { match: { operation: 'createAccount' }, effect: { kind: 'delay', ms: 9000 } };
    one.first.execute('makeFault', { ...fault, times: 1 } as never);
    const body = {
      client_reference_id: `held-${seed}`,
      email: `held-${seed}@example.com`,
      brand_id: '10',
    };
    one.first.call(
      {
        method: 'POST',
        target: '/api/v1/accounts',
        headers: {
          authorization: `Bearer ${tokenOf(one, 'firm')}`,
          'idempotency-key': 'held',
          'content-type': 'application/json',
        },
        body: new TextEncoder().encode(JSON.stringify(body)),
      },
      () => undefined,
    );
    const document = documentOf(one);
    restoreState(other.first, document);
    assert.equal(documentOf(other), document);
    // What waits for the held call is the first one's alone.
    const [told, again] = [await live(one, seed + 500, 200), await live(other, seed + 500, 200)];
    assert.equal(again, told);
    assert.is(untimed(other), untimed(one));
    await one.close();
    await other.close();
  }
});

/** The world without how long attempts took, which is the machine's affair. */
function untimed({ first }: Sandbox): string {
  return JSON.stringify(dumpWorld(first.world)).replace(/"duration_ms":\d+/g, '"duration_ms":0');
}

const notStates: readonly (readonly [string, string])[] = [
  ['', 'is not whole JSON'],
  ['{"format":"trading-platform-sandbox-state","version":5,"wor', 'is not whole JSON'],
  ['[]', 'a state is a JSON object'],
  ['null', 'a state is a JSON object'],
  ['0', 'a state is a JSON object'],
  ['""', 'a state is a JSON object'],
  ['{"format":"other"}', 'format must be'],
  ['{"format":"trading-platform-sandbox-state","version":99,"world":{}}', 'of a newer release'],
  [
    '{"format":"trading-platform-sandbox-state","version":1,"world":{}}',
    'version 1 is of another release',
  ],
  ['{"format":"trading-platform-sandbox-state","version":5}', 'world must be an object'],
  ['{"format":"trading-platform-sandbox-state","version":5,"world":{}}', 'world.name is missing'],
];

state('a torn, newer or other file is refused and left as it was', async () => {
  const sandbox = await createTestSandbox();
  const before = dumpWorld(sandbox.first.world);
  const path = join(folder, 'bad.json');
  for (const [text, words] of notStates) {
    writeFileSync(path, text);
    const message = await readStateFile(path)
      .then((document) => restoreState(sandbox.first, document))
      .then(
        () => 'taken',
        (error: Error) => `${error.name}: ${error.message}`,
      );
    assert.ok(
      message.startsWith('StateError: ') && message.includes(words),
      `${words}: ${message}`,
    );
    assert.is(readFileSync(path, 'utf8'), text);
  }
  assert.equal(dumpWorld(sandbox.first.world), before);
  await sandbox.close();
});

state('a file of nothing but null is a file, not none that may be written over', async () => {
  const path = join(folder, 'null.json');
  for (const text of ['null', '0', '""', 'false']) {
    writeFileSync(path, text);
    const message = await readStateFile(path).then(String, (error: Error) => error.message);
    assert.is(message, 'a state is a JSON object; it was left as it is');
  }
});

state('what goes wrong while a world is put in place leaves the old one there', async () => {
  const sandbox = await createTestSandbox();
  const { first } = sandbox;
  const before = first.world;
  let waited = 0;
  first.execute('makeFault', { match: { operation: 'listAccounts' }, effect: { kind: 'hang' } });
  const authorization = `Bearer ${tokenOf(sandbox, 'firm')}`;
  const call = { method: 'GET', headers: { authorization }, body: new Uint8Array() };
  first.call({ ...call, target: '/api/v1/accounts' }, () => {
    waited += 1;
  });
  const broken = { ...before, timers: [null as never] };
  assert.throws(() => first.replace(broken, { mode: 'frozen', nowMs: 1 }));
  const document = documentOf(sandbox) as { world: object };
  const spoilt = { ...document, world: { ...document.world, accounts: [], timers: [null] } };
  assert.throws(() => restoreState(first, spoilt), /^world\.timers\[0\] must be an object/);
  assert.is(first.world, before);
  assert.equal([waited, first.waiting], [0, 1], 'who waits goes on waiting');
  assert.equal(documentOf(sandbox), document);
  await sandbox.close();
});

state('what changes is in the file when it is closed, and nothing is left beside it', async () => {
  const path = join(folder, 'kept.json');
  const one = await createTestSandbox();
  const file = new StateFile(one.first, path, { onTrouble: (words) => assert.unreachable(words) });
  await file.begin();
  await live(one, 1, 100);
  await file.close();
  const other = await createTestSandbox();
  restoreState(other.first, await readStateFile(path));
  assert.equal(documentOf(other), documentOf(one));
  assert.equal(
    readdirSync(folder).filter((name) => name.includes('saving')),
    [],
  );
  assert.is(await readStateFile(join(folder, 'none.json')), null);
  await one.close();
  await other.close();
});

state('a place that cannot be written is said, and the world goes on', async () => {
  const sandbox = await createTestSandbox();
  const path = join(folder, 'missing', 'state.json');
  const told: string[] = [];
  const file = new StateFile(sandbox.first, path, { onTrouble: (words) => told.push(words) });
  const first = await file.begin().catch((error: Error) => error.message);
  assert.is(first, `there is no folder ${join(folder, 'missing')}`);
  sandbox.first.execute('makeEvent', { category: 'account' });
  await file.close();
  assert.match(told[0] ?? '', /could not be saved to .*missing.*ENOENT/);
  // It can be written later on: the next save succeeds.
  mkdirSync(join(folder, 'missing'));
  const later = new StateFile(sandbox.first, path, {
    onTrouble: (words) => assert.unreachable(words),
  });
  await later.begin();
  await later.close();
  assert.ok((await readStateFile(path)) !== null);
  await sandbox.close();
});

/** Who may do anything is refused nowhere, so such a one becomes someone else for a while. */
async function asOrdinary(place: string, run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run();
  chmodSync(folder, 0o755);
  chownSync(place, 65_534, 65_534);
  process.seteuid?.(65_534);
  try {
    await run();
  } finally {
    process.seteuid?.(0);
  }
}

if (process.getuid !== undefined) {
  state('a disk that may only be read at the end is said, and nothing is lost', async () => {
    const place = join(folder, 'read-only');
    mkdirSync(place);
    const path = join(place, 'state.json');
    const sandbox = await createTestSandbox();
    const told: string[] = [];
    await import('lowdb');
    await asOrdinary(place, async () => {
      const file = new StateFile(sandbox.first, path, { onTrouble: (words) => told.push(words) });
      await file.begin();
      const saved = readFileSync(path, 'utf8');
      chmodSync(place, 0o555);
      sandbox.first.execute('makeEvent', { category: 'account' });
      await file.close();
      assert.is(told.length, 1);
      assert.ok(told[0]?.startsWith(`the state could not be saved to ${path} (EACCES); `), told[0]);
      assert.is(readFileSync(path, 'utf8'), saved);
      const document = (await readStateFile(path)) as { readonly world: unknown };
      assert.equal(document.world, (documentOf(sandbox) as typeof document).world);
      const refused = await new StateFile(sandbox.first, path, { onTrouble: assert.unreachable })
        .begin()
        .catch((error: Error) => `${error.name}: ${error.message}`);
      assert.is(refused, 'StateError: cannot be written (EACCES)');
      chmodSync(place, 0o755);
    });
    await sandbox.close();
  });
}

state('a folder or a pipe is refused, and not waited for', async () => {
  const paths = [join(folder, 'folder.json')];
  mkdirSync(join(folder, 'folder.json'));
  if (process.platform !== 'win32') {
    paths.push(join(folder, 'pipe.json'));
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
  }
  for (const path of paths) {
    const message = await readStateFile(path).catch((error: Error) => error.message);
    assert.is(message, 'is no ordinary file; name a file of its own');
  }
});

state('one sandbox at a time keeps a file, and what a killed one left is taken over', async () => {
  const path = join(folder, 'shared.json');
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const lock = join(folder, '.shared.json.lock');
  const half = join(folder, `.shared.json.${other.pid}.0123456789abcdef.saving`);
  writeFileSync(lock, `${other.pid}\n`);
  writeFileSync(half, '{"half');
  const sandbox = await createTestSandbox();
  const refused = new StateFile(sandbox.first, path, { onTrouble: assert.unreachable });
  const problem = await refused.begin().catch((error: Error) => error.message);
  assert.match(problem ?? '', `is in use by process ${other.pid}`);
  assert.not.ok(existsSync(path), 'and nothing was written');
  assert.ok(existsSync(half));
  const gone = once(other, 'exit');
  other.kill('SIGKILL');
  await gone;
  const file = new StateFile(sandbox.first, path, { onTrouble: assert.unreachable });
  await file.begin();
  assert.match(readFileSync(lock, 'utf8'), new RegExp(`^${process.pid} `));
  assert.not.ok(existsSync(half), 'half a file of a killed one is removed');
  await file.close();
  assert.not.ok(existsSync(lock));
  assert.ok(existsSync(path));
  await sandbox.close();
});

state('a lock is of a process and not of its id, which is used again for another', async () => {
  const path = join(folder, 'reused.json');
  const lock = join(folder, '.reused.json.lock');
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(other, 'spawn');
  const sandbox = await createTestSandbox();
  const begin = async () => {
    const file = new StateFile(sandbox.first, path, { onTrouble: assert.unreachable });
    const problem = await file.begin().catch((error: Error) => error.message);
    if (problem === undefined) await file.close();
    return problem ?? 'kept';
  };
  const began = await startOf(other.pid as number);
  assert.ok(began, 'this system says when a process began');
  writeFileSync(lock, `${other.pid} ${began}\n`);
  assert.match(await begin(), `is in use by process ${other.pid}`);
  writeFileSync(lock, `${other.pid} ${began}0\n`);
  assert.is(await begin(), 'kept', 'another process has that id by now');
  assert.not.ok(existsSync(lock));
  other.kill('SIGKILL');
  await sandbox.close();
});

state.after(() => rmSync(folder, { recursive: true }));
state.run();
