// TXS: of two decisions at the same moment one comes first, and the other one meets what it made.

import { decide, type Verb } from '../../cases/moves.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { requirePrecondition, statusNow } from '../support/transaction-assertions.ts';

const DECISIONS: Readonly<Record<Verb, string>> = {
  approve: 'approved',
  reject: 'rejected',
  cancel: 'cancelled',
};

const PAIRS: readonly (readonly [Verb, Verb])[] = [
  ['reject', 'cancel'],
  ['cancel', 'reject'],
  ['approve', 'reject'],
  ['reject', 'approve'],
  ['approve', 'cancel'],
];

const txsDecidedAtOnce: Scenario = {
  id: 'txs-decided-at-once',
  title: 'Of two decisions on one transaction at the same moment no more than one is carried out',
  rules: ['TXS-5', 'TXS-12'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // NS-4: whether what is approved can still be rejected or cancelled is open.
    const endsApproved = new Set<Verb>();
    for (const verb of ['reject', 'cancel'] as const) {
      const approved = await t.given.approved(place);
      const refused = (await decide(t, verb, approved)).status >= 400;
      if (!refused) endsApproved.add(verb);
    }
    for (const pair of PAIRS) await race(t, place, pair, endsApproved);
  },
};

async function race(
  t: ScenarioContext,
  place: Place,
  pair: readonly [Verb, Verb],
  endsApproved: ReadonlySet<Verb>,
): Promise<void> {
  const pending = await t.given.transaction(place);
  const answers = await t.sendTogether(2, (index) => decide(t, pair[index]!, pending));
  const done = pair.filter((_, index) => answers[index]!.status < 300);
  const status = await statusNow(t, pending);
  requirePrecondition(status !== 'pending' || done.length === 0, 'what was decided reads pending');
  const approval = pair.includes('approve');
  const end = pair.find((verb) => verb !== 'approve')!;
  // Approved, and ended then, where that is allowed.
  const inTurn = approval && endsApproved.has(end) && status === DECISIONS[end];
  const words = `${pair.join(' and ')} at the same moment: one of them carried out`;
  const actual = `both answered 200, and it reads ${status}`;
  const truth = done.length < 2 || inTurn;
  // What was ended and is approved after all is TXS-5's; approved and ended after all, TXS-12's.
  const broken: RuleId = approval && status !== DECISIONS[end] ? 'TXS-5' : 'TXS-12';
  const kept: RuleId[] = approval ? ['TXS-5', 'TXS-12'] : ['TXS-12'];
  t.claim(truth ? kept : broken, words, truth, actual, ...answers);
}

export const decidedAtOnceScenarios: readonly Scenario[] = [txsDecidedAtOnce];
