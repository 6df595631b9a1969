// Checks what an answer may show to have settled by itself before it (NS-3).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../engine/send/answer.ts';
import { Match } from '../compare/match.ts';
import type { Comparing } from '../compare/values.ts';
import { NOTHING_SETTLED, settledMeanwhile } from './hindsight.ts';
import type { StepVerdict } from './judge-step.ts';
import type { Player } from './player.ts';

const hindsight = suite('what has settled meanwhile');

const match = new Match();
match.pair('transaction', '70', '9');
match.pair('transaction', '71', '10');
const comparing = { match } as Comparing;

const playerWith = (offers: readonly string[], answers: readonly Json[]): Player =>
  ({
    ground: { target: { offers: new Set(offers) } },
    outcomes: new Map(answers.map((json, n) => [n, { kind: 'answer', json }])),
    settled: [],
  }) as unknown as Player;

const approved = (id: string): Json => ({ id, status: 'approved' });

/** A call to the target that differs at step 5. */
const differing = (path: string, json: Json): StepVerdict =>
  ({
    difference: { n: 5 },
    case: { target: { sent: { target: path }, body: Buffer.from(JSON.stringify(json)) } },
  }) as unknown as StepVerdict;

const live = playerWith([], []);
const asked = differing('/api/v1/transactions/70/cancel?account_id=1', { status: 'cancelled' });
const settledFor = (verdict: StepVerdict, target: Player, ...answers: readonly Json[]) =>
  settledMeanwhile(verdict, { target, model: playerWith([], answers) }, comparing, NOTHING_SETTLED);

hindsight('what was approved and is asked for, or shown, may have settled by then', () => {
  const both = [approved('9'), approved('10')];
  assert.equal([...settledFor(asked, live, ...both)!], [[5, ['70']]]);
  const list = differing('/api/v1/transactions', [{ record_id: 71, status: 'settled' }]);
  assert.equal([...settledFor(list, live, ...both)!], [[5, ['71']]]);
});

hindsight('what is not on its way settles no more', () => {
  assert.is(settledFor(asked, live, { id: '9', status: 'pending' }), undefined);
  assert.is(settledFor(asked, live, approved('9'), { id: '9', status: 'settled' }), undefined);
  assert.is(settledFor(asked, live, approved('10')), undefined);
});

hindsight('where an operator settles nothing does by itself, and nothing is said twice', () => {
  assert.is(settledFor(asked, playerWith(['settle'], []), approved('9')), undefined);
  const sides = { target: live, model: playerWith([], [approved('9')]) };
  const known = new Map([[5, ['70']]]);
  assert.is(settledMeanwhile(asked, sides, comparing, known), undefined);
});

hindsight.run();
