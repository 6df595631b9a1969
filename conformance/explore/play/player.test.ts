// Which calls are retried, what an endpoint answers, and what a refused settlement means.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Blocked, RefusedByOperator } from '../../engine/scenario-errors.ts';
import type { AnswerPolicy } from '../../providers/webhook-receiver.ts';
import { judgeStep } from '../compare/judge.ts';
import type { Comparing } from '../compare/sides.ts';
import type { CallStep, Step } from '../sequence.ts';
import type { Ground } from './ground.ts';
import { Player } from './player.ts';

const play = suite('a sequence in play');

const create: CallStep = {
  ...{ do: 'call', n: 1, operation: 'createAccount', as: 'firm', key: 'k', body: {} },
};
const STATUSES = {
  write_contention: 503,
  internal_error: 500,
  not_implemented: 501,
  idempotency_in_flight: 409,
} as const;

const playerOn = (target: object, sender: object = {}) =>
  new Player({ target, sender } as unknown as Ground, 'nonce');

/** Answers with these codes in turn, then repeats the last. */
function answering(codes: string, isMet = true) {
  const all = codes.split(' ');
  let sent = 0;
  const send = async () => {
    const code = all[Math.min(sent, all.length - 1)]!;
    sent += 1;
    const status = STATUSES[code as keyof typeof STATUSES] ?? 201;
    return { status, headers: [], body: Buffer.from(JSON.stringify({ code })) };
  };
  const operator = {
    advance: async () => {},
    fault: async () => ({ hits: async () => (isMet ? 1 : 0), remove: async () => {} }),
    mint: async () => ({ token: 't', rates: [] }),
  };
  const credential = async () => ({ token: 't', rates: [] });
  const target = { baseUrl: 'http://x', offers: new Set(), credential, operator };
  return { player: playerOn(target, { send }), count: () => sent };
}

const limited: Step = { do: 'mint', n: 8, name: 'm1', wish: { scopes: [], plan: 'sandbox' } };
const fault = { effect: { kind: 'status', status: 503 } };
type Sent = readonly [codes: string, step: CallStep, status: number, count?: number];
const SENT: readonly Sent[] = [
  ['write_contention write_contention ok', create, 201, 3],
  ['internal_error ok', create, 201, 2],
  ['write_contention', create, 503],
  ['internal_error', create, 500],
  ['not_implemented ok', create, 501, 1],
  ['idempotency_in_flight ok', create, 201, 2],
  ['idempotency_in_flight', create, 409],
  // A metered credential would have less allowance left, and a call with a fault has used it.
  ['write_contention ok', { ...create, as: 'm1' }, 503, 1],
  ['write_contention ok', { ...create, fault }, 503, 1],
];

for (const [codes, step, status, times] of SENT) {
  play(`${codes} to ${step.as}${step.fault ? ' under a fault' : ''}: ${status}`, async () => {
    const { player, count } = answering(codes);
    await player.play(limited);
    const [outcome] = await player.play(step);
    assert.is(outcome?.kind === 'answer' && outcome.status, status);
    if (times !== undefined) assert.is(count(), times);
  });
}

const held = { effect: { kind: 'delay', ms: 1 } };
const meanwhile = [{ ...create, n: 2 }];
type Passing = readonly [words: string, step: CallStep, isMet: boolean, numbers: number[]];
const PASSING: readonly Passing[] = [
  ['a fault met', { ...create, fault }, true, []],
  ['a lock instead of a fault', { ...create, fault }, false, [1]],
  ['a lock instead of a delay', { ...create, fault: held, meanwhile }, false, [2, 1]],
  ['a lock while another is held', { ...create, fault: held, meanwhile }, true, [2]],
  ['a lock for a metered call', { ...create, as: 'm1' }, true, [1]],
  ['a lock that stays', create, true, []],
];

for (const [words, step, isMet, labels] of PASSING) {
  play(`${words}: ${labels.length > 0 ? 'no' : 'an'} evidence`, async () => {
    const { player } = answering('write_contention', isMet);
    await player.play(limited);
    await player.play(step);
    assert.equal([...player.passing], labels);
  });
}

play('concurrent calls are retried after all of them are answered', async () => {
  const { player, count } = answering('write_contention ok internal_error ok');
  const calls = [1, 2, 3].map((n) => ({ ...create, n }));
  const outcomes = await player.play({ do: 'burst', n: 9, calls });
  const statuses = outcomes.map((each) => each.kind === 'answer' && each.status);
  assert.equal(statuses, [201, 201, 201]);
  assert.is(count(), 5);
});

play('the player waits for deliveries before and after time moves', async () => {
  const asked: string[] = [];
  const operator = {
    advance: async (byMs: number) => void asked.push(`advance ${byMs}`),
    deliveriesInFlight: async () => asked.push('in flight') - asked.length,
  };
  const receiver = async () => ({ url: 'https://x', deliveries: [], answer: () => {} });
  const player = playerOn({ offers: new Set(['clock']), operator, receiver });
  player.nowMs = 0;
  await player.play({ do: 'hook', n: 1, answers: [200] });
  await player.play({ do: 'advance', n: 2, byMs: 7 });
  await player.play({ do: 'advance', n: 3, byMs: 9 });
  const flush = ['advance 0', 'in flight'];
  assert.equal(asked, [...flush, 'advance 7', ...flush, 'advance 9', ...flush]);
});

/** `e1>7`: a delivery of the event e1 to the subscription 7. */
async function answered(statuses: readonly number[], told: string): Promise<readonly number[]> {
  let policy: AnswerPolicy | undefined;
  const answer = (given: AnswerPolicy) => {
    policy = given;
  };
  const player = playerOn({ receiver: async () => ({ url: 'https://x', deliveries: [], answer }) });
  const all = told.split(' ').map((each) => each.split('>') as [event: string, id: string]);
  await player.play({ do: 'hook', n: 1, answers: statuses });
  return all.map(([id, subscription]) => {
    const headers = { lines: [['x-subscription', subscription]] };
    const arrival = { headers, body: Buffer.from(JSON.stringify({ id })) };
    const { status } = policy!(arrival as never, 0);
    // The answer that shows the subscription may come after its first delivery.
    const json = { id: subscription, event_categories: [] };
    player.outcomes.set(+subscription, { kind: 'answer', json } as never);
    return status;
  });
}

play('each event of each subscription is answered by its own attempts, in any order', async () => {
  const told = await answered([500, 204], 'a>7 b>7 a>7 c>7 b>7 a>7');
  assert.equal(told, [500, 500, 204, 500, 204, 204]);
  assert.equal(await answered([500, 200], 'a>7 a>8 a>7 a>8'), [500, 500, 200, 200]);
});

const step = { do: 'settle', n: 4, id: '70' } as const satisfies Step;

/** An operator that refuses to settle with this status, or returns the transaction in this state. */
function settling(answer: number | string | undefined): Player {
  const settle = async () => {
    if (typeof answer !== 'number') return answer;
    throw new RefusedByOperator(answer, `control plane: POST settle: ${answer}`);
  };
  return playerOn({ offers: new Set(['settle']), operator: { settle } });
}

play('a refused settlement is an outcome; any other failure belongs to the setup', async () => {
  const refusals: readonly unknown[] = [409, 'rejected', 'cancelled'];
  for (const answer of [409, 'rejected', 'cancelled', 'settled', undefined]) {
    const isRefused = refusals.includes(answer) || undefined;
    const player = settling(answer);
    const [outcome] = await player.play(step);
    assert.is(outcome?.kind === 'done' && outcome.isRefused, isRefused);
    assert.is(player.settled.length, isRefused ? 0 : 1);
  }
  const refused = settling(404);
  const failed = await refused.play(step).catch((error: unknown) => error);
  assert.instance(failed, Blocked);
  // A call that was refused has made no transaction.
  const [unmade] = await refused.play({ ...step, id: { $of: 1, at: 'id' } });
  assert.is(unmade?.kind === 'done' && unmade.isRefused, true);
});

play('a settlement refused on one side only requires another order', async () => {
  const judged = async (own?: number, other?: number) => {
    const sides = { target: settling(own), model: settling(other) };
    const [[mine], [theirs]] = [await sides.target.play(step), await sides.model.play(step)];
    return judgeStep(step, mine, theirs, sides as Comparing);
  };
  for (const both of [409, undefined]) assert.is((await judged(both, both)).why, undefined);
  for (const [own, other] of [[409], [undefined, 409]]) {
    const { isOfOrder, difference } = await judged(own, other);
    assert.equal([isOfOrder, difference], [true, undefined]);
  }
});

play.run();
