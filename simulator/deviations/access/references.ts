// References and ids that tell of records out of reach (AUTH-5 to AUTH-7, NS-20, NS-54).

import type { Decision } from '../../core/call.ts';
import { callerOf, type RequestContext } from '../../core/pipeline/request-context.ts';
import type { Transaction } from '../../core/records.ts';
import { findReferenced } from '../../core/references.ts';
import { operation } from '../bend.ts';
import { refuseAs, refusedWith } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

/** Another answer where transactions of this reference exist, and all of them are out of reach. */
const underTakenReference = (
  other: (context: RequestContext, hidden: Transaction) => Decision,
): Deviation['bend'] =>
  operation('createTransaction', (run, context) => {
    const { world, behaviour, body } = context;
    const credential = callerOf(context);
    const key = behaviour.transactions.referenceKey(
      credential.firm_id,
      String(body.account_id),
      String(body.client_reference_id),
    );
    const find = (isReachable: (record: Transaction) => boolean) =>
      findReferenced(world.transactionByReference, key, world.transactions, isReachable);
    const hidden = find(() => true);
    const own = find((record) => behaviour.reach.transaction(credential, record));
    return hidden !== null && own === null ? other(context, hidden) : run(context);
  });

export const referenceDeviations: readonly Deviation[] = [
  {
    id: 'position-of-others-is-409',
    breaks: ['AUTH-5', 'AUTH-6', 'AUTH-7'],
    story: 'A position is found by its number; that it is on another account is a wrong state.',
    bend: refusedWith('closePosition', /There is no position/, (context, given) =>
      context.world.positions.has(String(context.body.position_id))
        ? refuseAs(context, 409, 'invalid_state', 'The position is on another account.')
        : given,
    ),
  },
  {
    id: 'reference-out-of-reach-is-404',
    breaks: ['AUTH-5', 'AUTH-6'],
    story: 'The reference is found firm-wide, and that its record is out of reach is said.',
    bend: underTakenReference((context) =>
      refuseAs(context, 404, 'not_found', 'There is no such transaction.'),
    ),
  },
  {
    id: 'account-reference-out-of-reach-is-409',
    breaks: ['AUTH-6'],
    story: 'Account references are unique in the firm, and one that is taken is refused.',
    bend: operation('createAccount', (run, context) => {
      const { world, behaviour, body } = context;
      const { firm_id: firmId, brand_id: brandId } = callerOf(context);
      const key = behaviour.values.referenceKey(String(body.client_reference_id));
      const isTaken = [...world.brands.values()].some(
        ({ id, firm_id: owner }) =>
          owner === firmId &&
          id !== brandId &&
          world.people.get(behaviour.accounts.referenceIndex(firmId, id))?.byReference.has(key),
      );
      return brandId !== null && isTaken
        ? refuseAs(context, 409, 'invalid_state', 'This reference is taken.')
        : run(context);
    }),
  },
];
