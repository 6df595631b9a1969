// ERR-3: whether the wrong refusal of one operation comes from another one too. The plainest
// refusals of the same code are played for it.

import type { OperationName } from '../../engine/operations.ts';
import { likenessOf } from '../compare/difference.ts';
import { callsOf, type Step } from '../sequence.ts';
import type { Found, Play } from './investigate.ts';
import { call, create, idOf, mail, person } from './plain-calls.ts';

/** Played as `as`; of a trading account where `open` is the step that names one. */
type Refused = (as: string, open: Step | undefined) => readonly Step[];

/** Each by another operation, so that one is left whichever the difference was met in. */
const REFUSED: Readonly<Record<string, readonly Refused[]>> = {
  '404 not_found': [
    (as) => [call(1, 'updateAccount', as, { id: UNKNOWN, ifMatch: '"1"', body: { status: 'a' } })],
    (as) => [call(1, 'approveTransaction', as, { id: UNKNOWN, query: { account_id: UNKNOWN } })],
  ],
  '422 validation_failed': [
    (as) => [create(1, as, { email: 'nobody' })],
    (as) => [call(1, 'bulkCreateAccounts', as, { body: { accounts: [] } })],
  ],
  '409 invalid_state': [
    (as) => [create(1, as, {}), create(2, as, { email: mail(1) })],
    (as, open) => (open === undefined ? [] : decidedTwice(as, open)),
  ],
  '403 forbidden': byCaller('no_scopes'),
  '403 read_only_credential': byCaller('read_only'),
};

/** Another operation that answers in the same way; undefined where none was seen to. */
export async function elsewhere(found: Found, play: Play): Promise<OperationName | undefined> {
  const { at, operation, modelAnswer, targetAnswer } = found.difference;
  if (at !== 'status' && at !== 'code') return undefined;
  // What two operations serve in place of a refusal are two checks that lack.
  if (Number.parseInt(targetAnswer, 10) < 400) return undefined;
  const [{ as = 'firm' } = {}] = callsOf(found.sequence.steps);
  for (const refused of REFUSED[modelAnswer] ?? []) {
    const steps = refused(as, placeFor(found));
    const last = callsOf(steps).at(-1);
    if (last === undefined || last.operation === operation) continue;
    const { difference } = await play({ steps });
    if (difference === undefined || difference.n !== last.n) continue;
    const isAlike = likenessOf({ ...difference, operation }) === likenessOf(found.difference);
    if (isAlike) return last.operation;
  }
  return undefined;
}

const UNKNOWN = '999999999';

function byCaller(as: string): readonly Refused[] {
  return [
    () => [create(1, as, {})],
    () => [call(1, 'bulkCreateAccounts', as, { body: { accounts: [person(1, as)] } })],
  ];
}

/** Opened where one can be, else one that the profile names; undefined where there is none. */
function placeFor({ duel }: Found): Step | undefined {
  const { offers } = duel.target.ground.target;
  if (offers.has('fresh_trading_account')) return { do: 'open', n: 2, account: idOf(1) };
  return offers.has('trading_account') ? { do: 'place', n: 2, kind: 'trading_account' } : undefined;
}

function decidedTwice(as: string, open: Step): readonly Step[] {
  const account_id = { $of: open.n, at: 'account_id' } as const;
  const paid = {
    client_reference_id: { $fresh: 'ref3' },
    account_id,
    trading_account_id: { $of: open.n, at: 'trading_account_id' },
    currency: { $of: open.n, at: 'currency' },
    amount: '25.00',
    transaction_type: 'Deposit',
  } as const;
  const decided = { id: idOf(3), query: { account_id } };
  return [
    create(1, as, {}),
    open,
    call(3, 'createTransaction', as, { body: paid }),
    call(4, 'rejectTransaction', as, { ...decided, body: { reason: 'late' } }),
    call(5, 'approveTransaction', as, decided),
  ];
}
