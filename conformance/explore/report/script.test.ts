// Checks which answers a script of calls at once rests on, and how often it tries them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Headers } from '../../engine/send/headers.ts';
import { Redactor } from '../../reports/redact.ts';
import type { Found } from '../findings/investigate.ts';
import { call } from '../findings/plain-calls.ts';
import { foundOf } from '../findings/testing/made.ts';
import type { Step } from '../sequence.ts';
import { scriptOf } from './script.ts';

const scripts = suite('scripts of differences');

const parts = {
  ...{ id: 'd1', title: 'a title', rules: ['TXS-2'], startedAt: '2026-01-01T00:00:00.000Z' },
  target: { base_url: 'http://127.0.0.1:7420', control_url: null },
  redactor: new Redactor(),
};

const sent = { method: 'POST', target: '/api/v1/accounts', headers: [], body: undefined };

/** Each call was answered with its own number. */
function scriptFor(steps: readonly Step[], n: number): string {
  const found = foundOf({ steps, due: '201', came: '200' });
  const broughtBy = (at: number) => ({
    ...{ kind: 'answer', n: at, sent, status: 200, headers: new Headers([]) },
    ...{ body: Buffer.from(`{"n":${at}}`), sentAtMs: at * 10, answeredAtMs: at * 10 + 25 },
  });
  const target = { ...found.duel.target, broughtBy, nonce: 'abcdef0123', has: () => undefined };
  const duel = { ...found.duel, target };
  const difference = { ...found.difference, n };
  return scriptOf({ ...found, difference, duel } as unknown as Found, parts) ?? '';
}

const citedIn = (script: string): readonly number[] =>
  JSON.parse(/"findings":(\[.*\])\}' >/.exec(script)?.[1] ?? '[]')[0]?.exchanges;

const calls = [1, 2, 3, 4].map((n) => call(n, 'createAccount', 'firm', {}));
const [first, ...rest] = calls;

scripts(
  'of calls at once all answers are looked at, as one alone may be that of another order',
  () => {
    const burst = { do: 'burst', n: 5, calls: rest } as unknown as Step;
    const script = scriptFor([first!, burst], 3);
    assert.equal(citedIn(script), [2, 3, 4]);
    assert.match(script, /tried up to 10 times/);
  },
);

scripts('of calls one after the other the one that differs is looked at, once', () => {
  const script = scriptFor(calls, 3);
  assert.equal(citedIn(script), [3]);
  assert.not.match(script, /tried up to/);
});

scripts.run();
