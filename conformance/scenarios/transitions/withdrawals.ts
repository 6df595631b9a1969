// A pending withdrawal, written with the sign that the target wants.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import type { Place } from '../../providers/target.ts';

/** NS-27: whether its amount is written with a minus is open. */
export async function withdrawal(t: ScenarioContext, place: Place): Promise<GivenTransaction> {
  const type = { transaction_type: 'Withdrawal', method: 'Withdrawal' };
  const body = t.newTransaction(place, { ...type, amount: '-1.00' });
  const answer = await t.api.createTransaction(body);
  if (answer.status !== 201 || answer.at('status') !== 'pending') {
    return t.given.transaction(place, { ...type, amount: '1.00' });
  }
  t.findings.controlled = true;
  const reference = String(body.client_reference_id);
  return { ...place, id: t.pick(answer, 'id'), reference, body, answer };
}
