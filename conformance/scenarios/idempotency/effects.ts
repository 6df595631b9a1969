// IDEM-4c: what a repeat of each write leaves behind: no record, no event, no other state, no money.

import { isDeepStrictEqual } from 'node:util';
import { rowsOf, sendCall, validCall, type WriteCall } from '../../cases/calls.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { OPERATIONS, WRITE_NAMES } from '../../spec/operations.ts';

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
        const call = await validCall(t, operation).catch(unlessUnknown);
        if (call !== undefined) await expectNothingLeft(t, words, call);
      });
    }
    // The one cancellation that books money.
    await t.branch('IDEM-4c', 'cancelling what has settled', async () => {
      const transaction = await t.given.settled(await t.given.freshPlace());
      const { id, account_id } = transaction;
      await expectNothingLeft(t, 'cancelling what has settled', {
        ...{ operation: 'cancelTransaction', transaction, place: transaction, id },
        ...{ query: { account_id }, body: { reason: 'conformance check' } },
      });
    });
  },
};

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof MissingCapability)) throw error;
}

async function expectNothingLeft(
  t: ScenarioContext,
  words: string,
  call: WriteCall,
): Promise<void> {
  const key = t.fresh.key();
  const send = () => sendCall(t, call, { key });
  const first = await t.control(words, send);
  if (call.operation === 'approveTransaction') await t.operator.settle(call.id!);
  await t.operator.advance(SETTLES_MS);
  const before = await footprintOf(t, call);
  const repeats = [await send(), await send()];
  await t.operator.advance(SETTLES_MS);
  const moves = movesBetween(before, await footprintOf(t, call));
  const expected = `${words} twice more under one key: nothing more than was there before`;
  t.claim('IDEM-4c', expected, moves.length === 0, moves.join('; '), first, ...repeats);
}

type Footprint = Readonly<Record<'accounts' | 'transactions' | 'money' | 'events', unknown>>;

/** What a call has left behind, as an operator sees it. Needs `ledger` and `emit`. */
async function footprintOf(t: ScenarioContext, call: WriteCall): Promise<Footprint> {
  const { operator } = t;
  const bodies = [call.account?.body, call.body, ...rowsOf(call)];
  const accounts: unknown[] = [];
  const transactions: unknown[] = [];
  for (const { client_reference_id, email } of bodies.filter((each) => each !== undefined)) {
    if (email !== undefined) accounts.push(await operator.accounts(String(email)));
    const named = String(client_reference_id);
    if (email !== undefined) accounts.push(await operator.accounts(named));
    else if (client_reference_id !== undefined)
      transactions.push(await operator.transactions(named));
  }
  if (call.transaction) transactions.push(await operator.transactions(call.transaction.reference));
  const money = call.place && (await operator.ledger(call.place.trading_account_id));
  return { accounts, transactions, money, events: (await operator.events(0)).length };
}

/** What is no longer as it was, one sentence each. */
function movesBetween(before: Footprint, after: Footprint): string[] {
  return (Object.keys(before) as (keyof Footprint)[])
    .filter((kind) => !isDeepStrictEqual(before[kind], after[kind]))
    .map((kind) => `${kind}: ${printJson(after[kind])} after ${printJson(before[kind])}`);
}

/** Which event each of them brings is open (NS-11). No approval: its settlement comes at any time. */
const SENT = [
  'createAccount',
  'updateAccount',
  'bulkCreateAccounts',
  'openPosition',
  'createTransaction',
  'rejectTransaction',
] as const;

/** For what may still be on its way when the twins have been heard of as often. */
const GRACE_MS = 300;
const LONGEST_MS = 8_000;
/** For further events of a twin that has been heard of. */
const MORE_MS = 2_000;

const idemRepeatsEmitNothing: Scenario = {
  id: 'idem-repeats-emit-nothing',
  title: 'A repeat causes no further event',
  rules: ['IDEM-4c'],
  needs: ['receiver', 'trading_account'],
  // Elsewhere it would hear of whatever all the others do.
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook);
    const pairs: { words: string; thrice: Answer; once: Answer }[] = [];
    for (const operation of SENT) {
      const { words } = OPERATIONS[operation];
      const [call, twin] = [await validCall(t, operation), await validCall(t, operation)];
      const key = t.fresh.key();
      const thrice = await t.control(words, () => sendCall(t, call, { key }));
      await sendCall(t, call, { key });
      await sendCall(t, call, { key });
      const once = await t.control(words, () => sendCall(t, twin));
      pairs.push({ words, thrice, once });
    }
    // The twin was sent last, so what the repeats caused comes before its events, or little later.
    // On a busy machine they may all come late: they are waited for before they are judged.
    const heard = (answer: Answer) => eventsAbout(hook.deliveries, answer).size;
    await t.until(() => pairs.every(({ once }) => heard(once) > 0), LONGEST_MS);
    await t.sleep(GRACE_MS);
    await t.until(() => pairs.every(({ thrice, once }) => heard(thrice) <= heard(once)), MORE_MS);
    const arrived = await t.deliveriesAt(hook, hook.deliveries.length, 0);
    for (const { words, thrice, once } of pairs) {
      const [many, few] = [eventsAbout(arrived, thrice), eventsAbout(arrived, once)];
      const expected = `${few.size} events about ${nameOf(thrice)}, as after ${words} once`;
      const actual = `${many.size} events`;
      t.claim('IDEM-4c', expected, many.size <= few.size, actual, thrice, ...many.values());
    }
  },
};

/** The id of the record that an answer is about. */
function nameOf(answer: Answer): string {
  return String(answer.at('id') ?? answer.at('rows.0.id'));
}

/** By the id of the event, because one event may be delivered twice (EVT-4). */
function eventsAbout<One extends ReceivedDelivery>(
  arrived: readonly One[],
  answer: Answer,
): Map<string, One> {
  const about = new Map<string, One>();
  for (const delivered of arrived) {
    const envelope = parse(delivered.body);
    if (!mentions(envelope, nameOf(answer))) continue;
    about.set(printJson((envelope as { id?: Json }).id), delivered);
  }
  return about;
}

function parse(body: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Json;
  } catch {
    return null;
  }
}

/** NS-9: where an envelope names its record is open, so any member may. */
function mentions(value: Json, id: string): boolean {
  if (value === null || typeof value !== 'object') return value === id;
  return Object.values(value).some((each) => mentions(each as Json, id));
}

export const effectScenarios: readonly Scenario[] = [
  idemRepeatsLeaveNothing,
  idemRepeatsEmitNothing,
];
