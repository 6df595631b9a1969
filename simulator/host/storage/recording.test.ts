// Replays recordings of long random sessions: the same world and the same responses, byte for byte.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dumpWorld } from '../../core/state/snapshot.ts';
import { drawFrom, makeCall, makeInput } from '../../core/testing/random-inputs.ts';
import { eachWith } from '../testing/each-with.ts';
import { createTestSandbox } from '../testing/sandbox.ts';
import type { Sandbox } from '../world/sandbox.ts';
import { FileProblem } from './private-file.ts';
import { playRecording, recordWorld } from './recording.ts';
import { restoreState, serializeState } from './world-document.ts';

const test = suite<{ sandbox: Sandbox }>('recordings');
eachWith(test, 'sandbox', () => createTestSandbox());
const folder = mkdtempSync(join(tmpdir(), 'recording-'));

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
    const played = await playRecording(readFileSync(path, 'utf8').split('\n'), responses.behaviour);
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
  writeFileSync(held, 'evidence\n');
  symlinkSync(join(folder, 'elsewhere.jsonl'), link);
  for (const [path, words] of [
    [join(folder, 'no', 'where'), `there is no folder ${join(folder, 'no')}`],
    [held, 'is not empty; remove it, or name another file'],
    [link, 'is a symbolic link to a file that is not there'],
  ] as const) {
    const error = await recordWorld(sandbox.first, path, assert.unreachable).catch((each) => each);
    assert.instance(error, FileProblem);
    assert.is(error.message, words);
  }
  sandbox.first.execute('makeEvent', { category: 'account' });
  assert.is(readFileSync(held, 'utf8'), 'evidence\n');
  assert.equal([existsSync(join(folder, 'no')), existsSync(link)], [false, false]);
});

test('an empty file is accepted, and readable by its owner only', async ({ sandbox }) => {
  const path = join(folder, 'empty.jsonl');
  writeFileSync(path, '');
  chmodSync(path, 0o644);
  const begun = await recordWorld(sandbox.first, path, assert.unreachable);
  sandbox.first.execute('makeEvent', { category: 'account' });
  await begun.close();
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.match(readFileSync(path, 'utf8'), /^\{"format":.*\n\{"kind":"command".*\n$/);
});

test('a discarded recording leaves no file', async ({ sandbox }) => {
  const path = join(folder, 'discarded.jsonl');
  const begun = await recordWorld(sandbox.first, path, assert.unreachable);
  await begun.discard();
  assert.is(existsSync(path), false);
});

test.after(() => rmSync(folder, { recursive: true }));
test.run();
