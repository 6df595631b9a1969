// A recording replayed through the public entry point: the same responses and the same world, under
// the settings and deviations of the recording, and a clear error for every other file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { personOf } from '../../fixtures/testing/bodies.ts';
import { replayRecording } from '../index.ts';
import { openClient } from './sandbox-client.ts';

const replays = suite('replays');
const folder = mkdtempSync(join(tmpdir(), 'replay-'));
const path = join(folder, 'bug.jsonl');

/** A short session under a setting; returns its responses, and the final state. */
async function record() {
  rmSync(path, { force: true });
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

replays('a replay gives the same responses and world, up to a torn line', async () => {
  const { answers, state } = await record();
  assert.equal([answers[0]?.status, JSON.parse(answers[0]?.body ?? '').revision], [200, 7]);
  const replayed = await replayRecording(path);
  assert.equal(replayed.answers, answers);
  const again = (await replayed.sandbox.control('GET', 'state')) as { world: object };
  assert.equal(again.world, state.world);
  await replayed.sandbox.close();
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -10));
  const cut = await replayRecording(path);
  assert.equal(cut.answers, answers.slice(0, -1));
  await cut.sandbox.close();
});

replays('a file that is not a recording is refused with its error', async () => {
  await record();
  const [head = '', ...rest] = readFileSync(path, 'utf8').split('\n');
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
    writeFileSync(path, text);
    const error = await replayRecording(path).catch((thrown: Error) => thrown);
    assert.instance(error, TypeError);
    assert.match((error as Error).message, words);
  }
  const missing = await replayRecording(join(folder, 'none')).catch(
    (error: Error) => error.message,
  );
  assert.match(String(missing), /none: cannot be read \(ENOENT\)/);
});

replays.after(() => rmSync(folder, { recursive: true }));
replays.run();
