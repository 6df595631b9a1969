// Recordings: long random sessions replay the same world and the same responses, byte for byte, through
// the public entry point too, under the settings and deviations of the recording; every other file
// gets a clear error.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { personOf } from '../../fixtures/testing/bodies.ts';
import { dumpWorld } from '../core/state/snapshot.ts';
import { drawFrom, makeCall, makeInput } from '../core/testing/random-inputs.ts';
import { playRecording, recordWorld } from '../host/storage/input-log.ts';
import { FileProblem } from '../host/storage/private-file.ts';
import { restoreState, serializeState } from '../host/storage/world-document.ts';
import { eachWith } from '../host/testing/each-with.ts';
import { errorOf, messageOf } from '../host/testing/error-of.ts';
import { createTestSandbox } from '../host/testing/sandbox.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { replayRecording } from '../index.ts';
import { openClient } from './sandbox-client.ts';

const test = suite<{ sandbox: Sandbox }>('recordings');
eachWith(test, 'sandbox', () => createTestSandbox());
const folder = fs.mkdtempSync(join(tmpdir(), 'recording-'));

/**
 * A session of calls, commands, deliveries and time; returns the responses in the order they were
 * sent.
 */
async function converse(path: string, seed: number, interrupt: 'reset' | 'load' | null) {
  let deliveries = 0;
  const sandbox = await createTestSandbox({
    deliverer: {
      deliver: async () => {
        deliveries += 1;
        return { status: deliveries % 4 === 0 ? 500 : 200, error: null };
      },
      resolve: async () => ['93.184.216.34'],
      close: async () => undefined,
    },
  });
  const { first } = sandbox;
  const kept = await recordWorld(first, path, assert.unreachable);
  const answers: string[] = [];
  const carryOut = first.carryOut.bind(first);
  // Read before the host looks up a caller: a loaded state no longer contains these.
  first.carryOut = (effects) => {
    for (const effect of effects) {
      if (effect.kind === 'answer') answers.push(`${effect.requestId} ${effect.reply.body}`);
    }
    carryOut(effects);
  };
  let state: unknown = null;
  for (let n = 0; n < 500; n += 1) {
    const draw = drawFrom(seed * 10_000 + n);
    const input = makeInput(draw, first.world);
    if (input.kind === 'command') first.execute(input.name, input.args as never);
    else if (input.kind === 'time') await first.advance({ by_ms: draw(4) === 0 ? 3_600_000 : 700 });
    else {
      first.call(makeCall(draw, first.world), () => undefined);
    }
    if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    if (n === 100) state = JSON.parse([...serializeState(first)].join(''));
    if (n === 250 && interrupt === 'reset') await sandbox.reset('default');
    if (n === 250 && interrupt === 'load') restoreState(first, state);
  }
  await first.advance({ by_ms: 1000 });
  // Calls may still be queued: nothing from here on is recorded either.
  first.carryOut = carryOut;
  const world = JSON.stringify(dumpWorld(first.world));
  await kept.close();
  await sandbox.close();
  return { answers, world, behaviour: sandbox.behaviour };
}

for (const [index, interrupt] of ([null, 'reset', 'load'] as const).entries()) {
  test(`a long session with ${interrupt ?? 'no interruption'} is replayed exactly`, async () => {
    const path = join(folder, `${index}.jsonl`);
    const responses = await converse(path, index + 1, interrupt);
    const played = await playRecording(
      fs.readFileSync(path, 'utf8').split('\n'),
      responses.behaviour,
    );
    const answers = played.effects.flatMap((effect) =>
      effect.kind === 'answer' ? [`${effect.requestId} ${effect.reply.body}`] : [],
    );
    assert.ok(answers.length > 350, `${answers.length} answers`);
    assert.is(answers.join('\n'), responses.answers.join('\n'));
    assert.is(JSON.stringify(dumpWorld(played.world)), responses.world);
  });
}

test('a file that cannot be written, or exists, is left unchanged', async ({ sandbox }) => {
  const held = join(folder, 'held.jsonl');
  const link = join(folder, 'link.jsonl');
  fs.writeFileSync(held, 'evidence\n');
  fs.symlinkSync(join(folder, 'elsewhere.jsonl'), link);
  for (const [path, words] of [
    [join(folder, 'no', 'where'), `there is no folder ${join(folder, 'no')}`],
    [held, 'is not empty; remove it, or name another file'],
    [link, 'is a symbolic link to a file that is not there'],
  ] as const) {
    const error = await errorOf(recordWorld(sandbox.first, path, assert.unreachable));
    assert.instance(error, FileProblem);
    assert.is(error.message, words);
  }
  sandbox.first.execute('makeEvent', { category: 'account' });
  assert.is(fs.readFileSync(held, 'utf8'), 'evidence\n');
  assert.equal([fs.existsSync(join(folder, 'no')), fs.existsSync(link)], [false, false]);
});

test('an empty file is accepted, and readable by its owner only', async ({ sandbox }) => {
  const path = join(folder, 'empty.jsonl');
  fs.writeFileSync(path, '');
  fs.chmodSync(path, 0o644);
  const begun = await recordWorld(sandbox.first, path, assert.unreachable);
  sandbox.first.execute('makeEvent', { category: 'account' });
  await begun.close();
  assert.is(fs.statSync(path).mode & 0o777, 0o600);
  assert.match(fs.readFileSync(path, 'utf8'), /^\{"format":.*\n\{"kind":"command".*\n$/);
});

test('a discarded recording leaves no file', async ({ sandbox }) => {
  const path = join(folder, 'discarded.jsonl');
  const begun = await recordWorld(sandbox.first, path, assert.unreachable);
  await begun.discard();
  assert.is(fs.existsSync(path), false);
});

/** A short session under a setting; returns its responses, and the final state. */
async function record(path: string) {
  const client = await openClient({
    record: path,
    settings: { first_revision: 7 },
    deviations: ['account-create-answers-200'],
  });
  const answers: { request_id: string; status: number; body: string }[] = [];
  const create = async (reference: string, key: string) => {
    const response = await client.send('POST', 'accounts', { key, body: personOf(reference) });
    const request_id = response.headers.get('x-request-id') ?? '';
    answers.push({ request_id, status: response.status, body: await response.text() });
  };
  await create('one', 'a');
  await create('one', 'a');
  await client.advance(60_000);
  await create('two', 'b');
  const state = await client.control('GET', 'state');
  await client.close();
  return { answers, state };
}

test('a replay gives the same responses and world, up to a torn line', async () => {
  const path = join(folder, 'public.jsonl');
  const { answers, state } = await record(path);
  assert.equal([answers[0]?.status, JSON.parse(answers[0]?.body ?? '').revision], [200, 7]);
  const replayed = await replayRecording(path);
  assert.equal(replayed.answers, answers);
  const again = (await replayed.sandbox.control('GET', 'state')) as { world: object };
  assert.equal(again.world, state.world);
  await replayed.sandbox.close();
  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').slice(0, -10));
  const cut = await replayRecording(path);
  assert.equal(cut.answers, answers.slice(0, -1));
  await cut.sandbox.close();
});

test('a file that is not a recording is refused with its error', async () => {
  const path = join(folder, 'spoilt.jsonl');
  await record(path);
  const [head = '', ...rest] = fs.readFileSync(path, 'utf8').split('\n');
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /is no recording/],
    ['hello\n', /is no recording/],
    ['{"format":\n', /is no recording/],
    ['{"format":"other"}\n', /format must be/],
    [`${head.replace('"version":5', '"version":99')}\n`, /of a newer release/],
    [`${head.replace('"settings":{', '"settings":{"x":1,')}\n`, /settings\.x/],
    [`${head.replace(/"deviations":\[.*?\]/, '"deviations":["none-such"]')}\n`, /"none-such"/],
    [[head, '{"kind":"call"', ...rest].join('\n'), /line 2 is no input/],
    [[head, '{"kind":"wish"}', ...rest].join('\n'), /line 2 is no input/],
  ];
  for (const [text, words] of cases) {
    fs.writeFileSync(path, text);
    const error = await errorOf(replayRecording(path));
    assert.instance(error, TypeError);
    assert.match(error.message, words);
  }
  assert.match(
    await messageOf(replayRecording(join(folder, 'none'))),
    /none: there is no such file/,
  );
});

test.after(() => fs.rmSync(folder, { recursive: true }));
test.run();
