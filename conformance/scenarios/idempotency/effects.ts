// IDEM-4c: what a repeat of each write leaves behind: no record, no event, no other state, no money.
import { isDeepStrictEqual } from 'node:util';
import { validCall, type WriteCall } from '../../cases/calls.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
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

export const effectScenarios: readonly Scenario[] = [idemRepeatsLeaveNothing];
