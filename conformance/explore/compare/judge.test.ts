// The call that exceeds a limit is open within about a second's allowance (LIM-2).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallOutcome, Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import type { CallStep } from '../sequence.ts';
import { answered } from '../testing/outcomes.ts';
import { judgeCall, judgeStep } from './judge.ts';
import { type Comparing, Match } from './sides.ts';

const judging = suite('a limit reached earlier or later');

const call: CallStep = { do: 'call', n: 6, operation: 'approveTransaction', as: 'm1', id: '7' };
const many = { do: 'many', n: 5, count: 12, call: { ...call, n: 7 } } as const;

function answer(n: number, status: number): CallOutcome {
  const codes: Readonly<Record<number, string>> = {
    ...{ 400: 'idempotency_key_required', 404: 'not_found', 429: 'rate_limited', 503: '', 409: '' },
  };
  const code = codes[status]!;
  const json = { title: 'a', detail: 'a', type: `a:/errors/${code}`, errors: [], request_id: 'r' };
  return answered(`${status} ${code}`, { n, as: 'm1', target: '/approve?account_id=1', json });
}

const answers = (...statuses: readonly number[]): Outcome => ({
  ...{ kind: 'many', n: 5, answers: statuses.map((status) => answer(7, status)) },
});

/** A side whose credential m1 may send five requests a second. */
function player(...outcomes: readonly Outcome[]): Player {
  return {
    outcomes: new Map(outcomes.map((each) => [each.n, each])),
    beganAtMs: new Map(outcomes.map(({ n }) => [n, 0])),
    ...{ rates: new Map([['m1', 5]]), credentials: new Map(), startMs: 0, nowMs: 0, settled: [] },
    passing: new Set(),
    ground: { isSteady: true, target: { offers: new Set(['clock']) } },
  } as unknown as Player;
}

const comparing = () => ({ match: new Match() }) as Comparing;

judging('calls without a key may be metered or not', () => {
  const [own, other] = [answer(6, 429), answer(6, 400)];
  const isOpen = (...before: readonly number[]) => {
    const sides = { target: player(answers(...before), own), model: player(other) };
    return judgeCall(call, own, other, { ...comparing(), ...sides }).open !== undefined;
  };
  assert.equal([isOpen(400, 400, 400, 400, 400), isOpen(400)], [true, false]);
});

judging('the remaining calls of many still show whether there is a limit', () => {
  const differs = (mine: readonly number[], theirs: readonly number[]) => {
    const [own, other] = [answers(...mine), answers(...theirs)];
    const sides = { target: player(own), model: player(other) };
    return judgeStep(many, own, other, { ...comparing(), ...sides }).difference?.at;
  };
  const due = [404, 404, 404, 404, 404, 429, 429, 429, 429, 429, 429];
  assert.is(differs([404, 404, 404, 404, 404, 404, 429, 429, 429, 429, 429], due), undefined);
  const unlimited = due.map(() => 404);
  assert.is(differs(unlimited, due), 'status');
});

judging('a transient failure that was not retried proves nothing', () => {
  const [own, other] = [answer(6, 503), answer(6, 409)];
  const judged = (...passing: readonly number[]) => {
    const target = Object.assign(player(own), { passing: new Set(passing) });
    return judgeCall(call, own, other, { ...comparing(), target, model: player(other) });
  };
  assert.equal([judged(6).difference, judged(6).isParted], [undefined, true]);
  assert.is(judged().difference?.at, 'status');
});

judging.run();
