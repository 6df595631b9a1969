// What the specification leaves open, observed on the target: which answer it gives, and the setting
// with which the simulator does the same.
import { isReplayOf } from '../engine/judge/replay.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { Place } from '../providers/target.ts';

/** NS-35: whether another case of a transaction's reference is another subject. */
export async function observeCase(t: ScenarioContext, place: Place): Promise<void> {
  const key = t.fresh.key();
  const body = t.newTransaction(place);
  const first = await t.control('a create', () => t.api.createTransaction(body, { key }), 201);
  const client_reference_id = String(body.client_reference_id).toUpperCase();
  const upper = await t.api.createTransaction({ ...body, client_reference_id }, { key });
  const same = isReplayOf(upper, first);
  const words = same ? 'one subject in any case' : 'another subject in another case';
  t.observe('NS-35', words, { transaction_subject_case_sensitive: !same });
}

/** NS-58: of two keys the first may count, both together, or neither. */
export async function observeTwoKeys(t: ScenarioContext): Promise<void> {
  const keys = [t.fresh.key(), t.fresh.key()];
  const body = t.newAccount();
  const made = await t.api.createAccount(body, { headers: { 'idempotency-key': keys } });
  const words = `two Idempotency-Key headers: ${made.summary}`;
  if (made.status >= 300) return t.observe('NS-58', words, { repeated_key: 'refused' });
  const first = await t.api.createAccount(body, { key: keys[0]! });
  // A key of its own finds the account by its reference; the same one gets the first answer again.
  const isFirst = isReplayOf(first, made) && made.status === 201;
  t.observe('NS-58', words, { repeated_key: isFirst ? 'first' : 'joined' });
}
