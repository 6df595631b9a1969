// Bodies that are made to be slow or deep: each is read in one pass, and brackets count outside
// strings only.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { object } from '../../fixtures/schemas/kit.ts';
import { parseBody } from './plane.ts';
import { ControlReply } from './reply.ts';
import type { Row } from './row.ts';

const reading = suite('control: bodies');

const taken = object('A text.', { a: { description: 'It.' } });
const row = { method: 'POST', segments: ['x'], body: taken } as unknown as Row;

/** The value that was read, or the status and detail of the refusal. */
function read(text: string): unknown {
  const headers = { 'content-type': 'application/json' };
  const head = { method: 'POST', target: '/_sandbox/x', headers };
  const result = parseBody(row, head, Buffer.from(text));
  if (!(result instanceof ControlReply)) return result.value;
  const { status, body } = result;
  return `${status} ${JSON.parse(body as string).detail}`;
}

// Were a string's end looked for again at every quote, this would take a day.
reading('a string of quotes that never ends', () => {
  assert.match(String(read(`{"a":"${'\\"'.repeat(5_000_000)}`)), /^400 The body is not JSON/);
});

reading('lists in lists that never end', () => {
  assert.match(String(read('['.repeat(1_000_000))), /^400 The body is nested/);
});

reading('quotes without number', () => {
  assert.match(String(read(`{"a":${'"'.repeat(5_000_001)}`)), /^400 The body is not JSON/);
});

reading('what is not JSON is told with its place', () => {
  const told = read('{"match": {"operation": "createAccount"},\n "times": }');
  assert.is(told, '400 The body is not JSON: line 2, column 11: a value was expected here.');
});

reading('one string of 12 MB', () => {
  const a = 'x\\"['.repeat(3_000_000);
  assert.equal(read(`{"a":"${a}"}`), { a: a.replaceAll('\\"', '"') });
});

// [what, body, too deep]
const depths = [
  ['200 deep', `${'['.repeat(200)}${']'.repeat(200)}`, false],
  ['201 deep', `${'['.repeat(201)}${']'.repeat(201)}`, true],
  ['many beside each other', `[${Array(500).fill('[]').join(',')}]`, false],
  ['in a string', `"${'['.repeat(201)}"`, false],
  ['in a string behind a quote', `"\\"${'['.repeat(201)}"`, false],
  ['behind a string that ends in a backslash', `["\\\\",${'['.repeat(201)}`, true],
  ['behind an empty string', `["",${'{"a":'.repeat(201)}`, true],
  ['in a member name', `{"${'{'.repeat(201)}":1}`, false],
] as const;

for (const [what, body, tooDeep] of depths) {
  reading(`depth: ${what}`, () => {
    assert.is(/nested too deeply/.test(String(read(body))), tooDeep);
  });
}

reading.run();
