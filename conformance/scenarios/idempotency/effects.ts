// IDEM-4c: what a repeat of each write leaves behind: no record, no event, no other state, no money.
import { isDeepStrictEqual } from 'node:util';
import { validCall, type WriteCall } from '../../cases/calls.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { type Json, printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import { OPERATIONS, WRITE_NAMES } from '../../spec/operations.ts';
import { type Bodied, envelopeIn, eventIdOf } from '../delivery/envelopes.ts';
import { subscribe } from '../delivery/events.ts';

/** Long enough for what settles by itself (NS-3), and for what a second run would set going. */
const SETTLES_MS = 60_000;

const idemRepeatsLeaveNothing: Scenario = {
  id: 'idem-repeats-leave-nothing',
  title: 'A repeat of any write leaves no record, no event, no other state and no money behind',
  rules: ['IDEM-4c'],
  needs: ['ledger', 'emit', 'settle', 'clock', 'fresh_trading_account'],
  lane: 'own_world',
  async run(t) {
    for (const operation of WRITE_NAMES) {
      const { words } = OPERATIONS[operation];
      await t.branch('IDEM-4c', words, async () => {
        await expectNothingLeft(t, words, await validCall(t, operation));
      });
    }
    // The one cancellation that books money.
    const words = 'cancelling what has settled';
    await t.branch('IDEM-4c', words, async () => {
      const call = await validCall(t, 'cancelTransaction');
      const { id, account_id } = call.transaction!;
      await t.control('approveTransaction', { id, account_id });
      await t.operator.settle(id);
      await expectNothingLeft(t, words, call);
    });
  },
};

async function expectNothingLeft(
  t: ScenarioContext,
  words: string,
  call: WriteCall,
): Promise<void> {
  const key = t.fresh.key();
  const first = await t.control(call, { key });
  if (call.operation === 'approveTransaction') await t.operator.settle(call.transaction!.id);
  await t.operator.advance(SETTLES_MS);
  const before = await footprintOf(t, call);
  const repeats = [await t.call(call, { key }), await t.call(call, { key })];
  await t.operator.advance(SETTLES_MS);
  const after = await footprintOf(t, call);
  const moved = (Object.keys(before) as (keyof typeof before)[])
    .filter((kind) => !isDeepStrictEqual(before[kind], after[kind]))
    .map((kind) => `${kind}: ${printJson(after[kind])} after ${printJson(before[kind])}`);
  const expected = `${words} twice more under one key: nothing more than was there before`;
  t.claim('IDEM-4c', expected, moved.length === 0, moved.join('; '), first, ...repeats);
}

/** What a call has left behind, as an operator sees it. Needs `ledger` and `emit`. */
async function footprintOf(t: ScenarioContext, call: WriteCall) {
  const { operator } = t;
  const accounts: unknown[] = [];
  const transactions: unknown[] = [];
  for (const body of [
    call.account?.body,
    call.transaction?.body,
    call.body,
    ...(call.rows ?? []),
  ]) {
    const { client_reference_id: reference, email } = body ?? {};
    if (email !== undefined) {
      accounts.push(await operator.accounts(String(email)));
      accounts.push(await operator.accounts(String(reference)));
    } else if (reference !== undefined) {
      transactions.push(await operator.transactions(String(reference)));
    }
  }
  const money = call.place && (await operator.ledger(call.place.trading_account_id));
  return { accounts, transactions, money, events: (await operator.events(0)).length };
}

/** Which event each of them brings is open (NS-11). No approval: its settlement comes at any time. */
const SENT = [
  ...(['createAccount', 'updateAccount', 'bulkCreateAccounts'] as const),
  ...(['openPosition', 'createTransaction', 'rejectTransaction'] as const),
];

/** For what may still be on its way when as many events of the twins have come. */
const GRACE_MS = 300;
const LONGEST_MS = 8_000;
/** For further events of a twin whose first has come. */
const MORE_MS = 2_000;

const idemRepeatsEmitNothing: Scenario = {
  id: 'idem-repeats-emit-nothing',
  title: 'A repeat causes no further event',
  rules: ['IDEM-4c'],
  needs: ['receiver', 'trading_account'],
  // In a shared world it would get the events of all other scenarios.
  lane: 'own_world',
  async run(t) {
    const listener = await subscribe(t);
    const pairs: { words: string; thrice: Answer; once: Answer }[] = [];
    for (const operation of SENT) {
      const [call, twin] = [await validCall(t, operation), await validCall(t, operation)];
      const key = t.fresh.key();
      const thrice = await t.control(call, { key });
      for (const _ of [1, 2]) await t.call(call, { key });
      pairs.push({ words: OPERATIONS[operation].words, thrice, once: await t.control(twin) });
    }
    // The twin was sent last, so what the repeats caused comes before its events, or little later.
    // On a busy machine they may all come late: they are waited for before they are judged.
    const { deliveries } = listener.hook;
    const count = (answer: Answer) => eventsAbout(deliveries, answer).size;
    await t.until(() => pairs.every(({ once }) => count(once) > 0), LONGEST_MS);
    await t.sleep(GRACE_MS);
    await t.until(() => pairs.every(({ thrice, once }) => count(thrice) <= count(once)), MORE_MS);
    const arrived = await listener.arrived();
    for (const { words, thrice, once } of pairs) {
      const [many, few] = [eventsAbout(arrived, thrice), eventsAbout(arrived, once)];
      const expected = `${few.size} events about ${idOf(thrice)}, as after ${words} once`;
      const truth = many.size <= few.size;
      t.claim('IDEM-4c', expected, truth, `${many.size} events`, thrice, ...many.values());
    }
  },
};

/** The id of the record that an answer is about. */
function idOf(answer: Answer): string | undefined {
  return answer.idAt('id') ?? answer.idAt('rows.0.id');
}

/** By the id of the event, because one event may be delivered twice (EVT-4). */
function eventsAbout<One extends Bodied>(
  arrived: readonly One[],
  answer: Answer,
): Map<string | undefined, One> {
  const about = arrived.filter((each) => mentions(envelopeIn(each), idOf(answer)));
  return new Map(about.map((each) => [eventIdOf(envelopeIn(each)), each]));
}

/** NS-9: where an envelope names its record is open, so any member may. */
function mentions(value: Json | undefined, id: string | undefined): boolean {
  if (value === null || typeof value !== 'object') return value === id;
  return Object.values(value).some((each) => mentions(each, id));
}

export const effectScenarios: readonly Scenario[] = [
  idemRepeatsLeaveNothing,
  idemRepeatsEmitNothing,
];
