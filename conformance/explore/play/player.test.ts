// A contention that no one has made passes: the call is sent again, and its answer is the last one.
// And deliveries are waited for once a step, what was taken is taken again, and a settlement that
// is refused is what it came to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Blocked, RefusedByOperator } from '../../engine/scenario-errors.ts';
import type { AnswerPolicy } from '../../providers/webhook-receiver.ts';
import { judgeStep } from '../compare/judge.ts';
import type { Sides } from '../compare/sides.ts';
import type { Comparing } from '../compare/values.ts';
import type { CallStep, Step } from '../sequence.ts';
import type { Ground } from './ground.ts';
import { operate } from './operate.ts';
import { Player } from './player.ts';

const contention = suite('contention in passing');

const create: CallStep = {
  ...{ do: 'call', n: 1, operation: 'createAccount', as: 'firm', key: 'k', body: {} },
};

function answering(...codes: readonly string[]) {
  let sent = 0;
  const send = async () => {
    const code = codes[Math.min(sent, codes.length - 1)]!;
    sent += 1;
    const statuses = { write_contention: 503, internal_error: 500, not_implemented: 501 };
    const status = statuses[code as keyof typeof statuses] ?? 201;
    return { status, headers: [], body: Buffer.from(JSON.stringify({ code })) };
  };
  const planted = async () => ({ hits: async () => 0, remove: async () => {} });
  const credential = async () => ({ token: 't', rates: [] });
  const offers = new Set();
  const target = { baseUrl: 'http://x', offers, credential, operator: { fault: planted } };
  const player = new Player({ target, sender: { send } } as unknown as Ground, 'nonce');
  return { player, count: () => sent };
}

async function statusOf(player: Player, step: CallStep): Promise<number | undefined> {
  const [outcome] = await player.play(step);
  return outcome?.kind === 'answer' ? outcome.status : undefined;
}

contention('it is sent again until it has passed', async () => {
  const { player, count } = answering('write_contention', 'write_contention', 'ok');
  assert.is(await statusOf(player, create), 201);
  assert.is(count(), 3);
});

contention(
  'one that does not pass is the answer, and so is what need not be repeated',
  async () => {
    for (const [code, status] of [
      ['write_contention', 503],
      ['internal_error', 500],
    ] as const) {
      assert.is(await statusOf(answering(code).player, create), status);
      assert.is(await statusOf(answering(code, 'ok').player, create), 201);
    }
    const { player, count } = answering('not_implemented', 'ok');
    assert.is(await statusOf(player, create), 501);
    assert.is(count(), 1);
  },
);

contention('concurrent calls are sent again when all are answered', async () => {
  const { player, count } = answering('write_contention', 'ok', 'internal_error', 'ok');
  const calls = [1, 2, 3].map((n) => ({ ...create, n }));
  const outcomes = await player.play({ do: 'burst', n: 9, calls });
  assert.equal(
    outcomes.map((each) => each.kind === 'answer' && each.status),
    [201, 201, 201],
  );
  assert.is(count(), 5);
});

contention('what is metered, or is struck by a fault, is sent once', async () => {
  const metered = answering('write_contention', 'ok').player;
  const rates = [{ key: 'm1', perSecond: 5 }];
  metered.credentials.set('m1', { name: 'm1', token: 't', rates } as never);
  assert.is(await statusOf(metered, { ...create, as: 'm1' }), 503);
  const { player } = answering('write_contention', 'ok');
  const fault = { effect: { kind: 'status', status: 503 } };
  assert.is(await statusOf(player, { ...create, fault }), 503);
});

contention.run();

const flushing = suite('deliveries that are waited for');

flushing('once after a step, and not again before time is moved on', async () => {
  const asked: string[] = [];
  const operator = {
    advance: async (byMs: number) => void asked.push(`advance ${byMs}`),
    deliveriesInFlight: async () => asked.push('in flight') - asked.length,
  };
  const receiver = async () => ({ url: 'https://x', deliveries: [], answer: () => {} });
  const target = { baseUrl: 'http://x', offers: new Set(['clock']), operator, receiver };
  const player = new Player({ target } as unknown as Ground, 'nonce');
  await player.play({ do: 'hook', n: 1, answers: [200] });
  await player.play({ do: 'advance', n: 2, byMs: 7 });
  await player.play({ do: 'advance', n: 3, byMs: 9 });
  const flush = ['advance 0', 'in flight'];
  assert.equal(asked, [...flush, 'advance 7', ...flush, 'advance 9', ...flush]);
});

flushing.run();

const answers = suite('what an endpoint answers');

/** What these deliveries are answered: of which event, to which subscription. */
async function answered(
  statuses: readonly number[],
  ...told: readonly (readonly [event: string, subscription: number])[]
): Promise<readonly number[]> {
  let policy: AnswerPolicy | undefined;
  const answer = (given: AnswerPolicy) => {
    policy = given;
  };
  const target = { receiver: async () => ({ url: 'https://x', deliveries: [], answer }) };
  const player = new Player({ target } as unknown as Ground, 'nonce');
  for (const [, id] of told) {
    const made = { kind: 'answer', n: id, json: { id, event_categories: [] } };
    player.outcomes.set(id, made as never);
  }
  await operate({ do: 'hook', n: 1, answers: statuses }, player);
  return told.map(([id, subscription]) => {
    const headers = { lines: [['x-subscription', String(subscription)]] };
    return policy!({ headers, body: Buffer.from(JSON.stringify({ id })) } as never, 0).status;
  });
}

answers('each event is answered by its own attempts, in whatever order they come', async () => {
  const attempts = ['e1', 'e2', 'e1', 'e3', 'e2', 'e1'].map((id) => [id, 7] as const);
  assert.equal(await answered([500, 204], ...attempts), [500, 500, 204, 500, 204, 204]);
});

answers('each of two subscriptions has them in turn, whichever is served first', async () => {
  const [one, other] = [['e', 7] as const, ['e', 8] as const];
  assert.equal(await answered([500, 200], one, other, one, other), [500, 500, 200, 200]);
  assert.equal(await answered([500, 200], one, one, other, other), [500, 200, 500, 200]);
});

answers.run();

const settling = suite('a settlement that is refused');

const step = { do: 'settle', n: 4, id: '70' } as const satisfies Step;

/** A ground whose operator is answered so; undefined where it is done. */
function playerOf(status: number | undefined): Player {
  const settle = async (id: string) => {
    if (status === undefined) return;
    throw new RefusedByOperator(status, `control plane: POST transactions/${id}/settle: ${status}`);
  };
  const target = { offers: new Set(['settle']), operator: { settle } };
  return new Player({ target } as unknown as Ground, 'nonce');
}

async function judged(own: Player, other: Player) {
  const [mine, others] = [await operate(step, own), await operate(step, other)];
  const sides: Sides = { target: own, model: other };
  return judgeStep(step, mine, others, sides, {} as Comparing);
}

settling('it is an outcome, and nothing has settled', async () => {
  const player = playerOf(409);
  assert.equal(await operate(step, player), {
    ...{ kind: 'done', n: 4, json: null, isRefused: true },
  });
  assert.equal(player.settled, []);
});

settling('shown as it has stayed it has not settled either', async () => {
  for (const [status, isRefused] of [
    ...[['rejected', true] as const, ['cancelled', true] as const],
    ...[['settled', undefined] as const, [undefined, undefined] as const],
  ]) {
    const target = { offers: new Set(['settle']), operator: { settle: async () => status } };
    const outcome = await operate(step, new Player({ target } as unknown as Ground, 'nonce'));
    assert.is(outcome.kind === 'done' && outcome.isRefused, isRefused);
  }
});

settling('any other failure is one of the setup', async () => {
  const failed = await operate(step, playerOf(404)).catch((error: unknown) => error);
  assert.instance(failed, Blocked);
});

settling('refused by both or by none it is alike; by one, another order is asked for', async () => {
  assert.is((await judged(playerOf(409), playerOf(409))).why, undefined);
  assert.is((await judged(playerOf(undefined), playerOf(undefined))).why, undefined);
  for (const [own, other] of [[409, undefined] as const, [undefined, 409] as const]) {
    const verdict = await judged(playerOf(own), playerOf(other));
    assert.is(verdict.isOfOrder, true);
    assert.is(verdict.difference, undefined);
  }
});

settling.run();
