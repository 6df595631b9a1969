// Wrong replays that do something again behind the answer that was kept (IDEM-4c).
import type { Decision } from '../../core/call.ts';
import type { Change } from '../../core/change.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import type { Entry } from '../../core/records.ts';
import type { OperationName } from '../../core/tables/operations.ts';
import { stage } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

/** What a replay of an operation changes besides. */
const replaying = (
  operation: OperationName,
  change: (context: RequestContext, decision: Decision) => readonly Change[],
): Deviation['bend'] =>
  stage('replay', (decide, context) => {
    const decision = decide(context);
    const replayed = context.idempotency === 'replayed' && context.operation === operation;
    if (decision === null || !replayed) return decision;
    return { ...decision, changes: [...decision.changes, ...change(context, decision)] };
  });

/** Books the last entry of this kind once more for the transaction that the path names. */
function bookAgain(
  { world, behaviour, pathId, atMs }: RequestContext,
  kind: Entry['kind'],
): readonly Change[] {
  const transaction = world.transactions.get(pathId);
  const account = world.tradingAccounts.get(transaction?.trading_account_id ?? '');
  const booked = account?.entries.findLast(
    (each) => each.transaction_id === pathId && each.kind === kind,
  );
  if (account === undefined || booked === undefined) return [];
  const balance = behaviour.values.add(account.balance, booked.amount);
  const entry = { ...booked, atMs };
  return [{ type: 'entry-booked', tradingAccountId: account.id, entry, balance }];
}

export const replayedEffectDeviations: readonly Deviation[] = [
  {
    id: 'replay-credits-again',
    breaks: ['IDEM-4c'],
    story: 'The ledger is written by a listener that hears of every approval, replays included.',
    bend: replaying('approveTransaction', (context) => bookAgain(context, 'movement')),
  },
  {
    id: 'replay-reverses-again',
    breaks: ['IDEM-4c'],
    story: 'The compensating entry is written by the same listener.',
    bend: replaying('cancelTransaction', (context) => bookAgain(context, 'compensation')),
  },
];
