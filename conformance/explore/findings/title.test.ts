// Checks that the title of a difference says what a reader can see for himself.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outcome } from '../play/outcome.ts';
import { expectedBody } from './expected.ts';
import type { Found } from './investigate.ts';
import { call } from './plain-calls.ts';
import { foundOf } from './testing/made.ts';
import { titleOf } from './title.ts';

const titles = suite('titles');

const outcome = (n: number, json: object) =>
  [n, { kind: 'answer', n, status: 200, json }] as unknown as [number, Outcome];

/** What both sides have answered, the model first. */
function answered(of: Found, answers: Readonly<Record<number, readonly [object, object]>>): Found {
  const side = (at: 0 | 1) =>
    new Map(Object.entries(answers).map(([n, each]) => outcome(Number(n), each[at])));
  const { duel } = of;
  const [model, target] = [side(0), side(1)];
  return {
    ...of,
    duel: {
      ...duel,
      model: { ...duel.model, outcomes: model },
      target: { ...duel.target, outcomes: target },
    },
  } as Found;
}

const steps = [call(1, 'createTransaction', 'firm', {}), call(2, 'createTransaction', 'firm', {})];
const again = { steps, due: '200', came: '200' };

const known = [
  { id: '9001', account_id: '1001', created_at: 1_000 },
  { id: '37', account_id: '12', created_at: 501_000 },
] as const;

titles('what is expected has the names of the target', () => {
  const made = foundOf({ ...again, at: 'body.is_ftd', model: 'true', target: 'false' });
  const found = answered(made, {
    1: known,
    2: [
      { id: '9002', account_id: '1001', is_ftd: true, created_at: 1_250 },
      { id: '38', account_id: '12', is_ftd: false, created_at: 501_251 },
    ],
  });
  const expected = { id: '38', account_id: '12', is_ftd: true, created_at: 501_251 };
  assert.equal(expectedBody(found), expected);
});

titles('and what differs is not made alike by it', () => {
  const made = foundOf({ ...again, at: 'body.id', model: '"9001"', target: '"38"' });
  const found = answered(made, { 1: known, 2: [known[0], { ...known[1], id: '38' }] });
  assert.is(titleOf(found), 'Recording a transaction answers 200 with id "38" in place of "37"');
});

titles('of two times it is said what is between them', () => {
  const made = foundOf({ ...again, at: 'body.created_at', model: '1000', target: '501250' });
  const found = answered(made, { 1: known, 2: [known[0], { ...known[1], created_at: 501_250 }] });
  assert.is(titleOf(found), 'Recording a transaction answers 200 with created_at 250 ms too late');
});

titles('a row of a batch is named by its place', () => {
  const batch = [call(1, 'bulkCreateAccounts', 'firm', {})];
  const row = { at: 'body.rows.1.status', model: '409', target: '201' };
  assert.is(
    titleOf(foundOf({ steps: batch, due: '200', came: '200', ...row })),
    'Creating accounts in bulk answers 200 with rows[1].status 201 in place of 409',
  );
});

titles('of deliveries the title says how many came, and after what time', () => {
  const pause = { do: 'advance', n: 2, byMs: 30_000 } as const;
  const counted = { operation: 'delivery', at: 'count' } as const;
  const said = { model: '2 deliveries', target: '1 delivery' };
  const made = foundOf({ steps: [steps[0]!, pause], due: '', came: '', ...counted, ...said });
  assert.is(titleOf(made), 'Webhook deliveries after 30.0 s: 1 delivery in place of 2 deliveries');
});

titles.run();
