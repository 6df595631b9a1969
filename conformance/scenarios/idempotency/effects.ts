// IDEM-4c: what a repeat of each of the nine writes leaves behind: no record, no event, no other
// state, no money.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import { footprintOf, movesBetween } from './footprint.ts';
import { madeIfKnown, type WriteCommand, writeOperations } from './write-commands.ts';

/** Long enough for what settles by itself (NS-3), and for what a second run would set going. */
const SETTLES_MS = 60_000;

interface Write {
  readonly words: string;
  make(t: ScenarioContext): Promise<WriteCommand>;
}

const idemRepeatsLeaveNothing: Scenario = {
  id: 'idem-repeats-leave-nothing',
  title: 'A repeat of any write leaves no record, no event, no other state and no money behind',
  rules: ['IDEM-4c'],
  needs: ['ledger', 'emit', 'settle', 'clock', 'fresh_trading_account'],
  lane: 'own_world',
  async run(t) {
    for (const { words, make } of [...writeOperations, cancellingTheSettled]) {
      const command = await madeIfKnown(t, make);
      if (command === undefined) continue;
      await t.branch('IDEM-4c', words, async () => {
        const key = t.fresh.key();
        const first = await t.control(words, () => command.send(key));
        if (/approving/.test(words)) await t.operator.settle(String(first.at('id')));
        await t.operator.advance(SETTLES_MS);
        const before = await footprintOf(t, command.traces);
        const repeats = [await command.send(key), await command.send(key)];
        await t.operator.advance(SETTLES_MS);
        const moves = movesBetween(before, await footprintOf(t, command.traces));
        const expected = `${words} twice more under one key: nothing more than was there before`;
        t.claim('IDEM-4c', expected, moves.length === 0, moves.join('; '), first, ...repeats);
      });
    }
  },
};

/** The one cancellation that books money. */
const cancellingTheSettled: Write = {
  words: 'cancelling what has settled',
  async make(t) {
    const place = await t.given.freshPlace();
    const settled = await t.given.settled(place);
    const reason = { reason: 'conformance check' };
    return {
      send: (key, who = t.mainRole) =>
        t.as(who).cancelTransaction(settled.id, place.account_id, reason, { key }),
      altered: [],
      traces: {
        transactions: [settled.reference],
        tradingAccountId: place.trading_account_id,
      },
    };
  },
};

export const effectScenarios: readonly Scenario[] = [idemRepeatsLeaveNothing];
