// Reads transactions back, and says what differs between two answers about one of them.

import { isDeepStrictEqual } from 'node:util';
import { epochMs, oneOf, sameAmount } from '../../engine/judge/matchers.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';

/**
 * Settlement may follow an approval at once (NS-3), so that what was approved may read either way.
 */
export const APPROVED = ['approved', 'settled'] as const;

/**
 * The transaction reads one of these statuses now. The API has no read of one transaction but a
 * create by its reference (TXN-2); if that shows the past, nothing can be judged here.
 */
export async function expectReads(
  t: ScenarioContext,
  rules: Rules,
  transaction: GivenTransaction,
  ...statuses: string[]
): Promise<Answer> {
  const read = await t.given.rereadTransaction(transaction);
  if (!statuses.includes(String(read.at('status')))) await requireListedTransaction(t, transaction);
  t.expect(rules, read).field('status', oneOf(...statuses));
  return read;
}

/** What it reads now, for where the reading is not what is judged. */
export async function statusNow(
  t: ScenarioContext,
  transaction: GivenTransaction,
): Promise<string> {
  return String((await t.given.rereadTransaction(transaction)).at('status'));
}

/**
 * Asked only once a reading surprises: a transaction that was rejected, and that an approval meets
 * as rejected, must be read as rejected. Where it is not, the reading is at fault and not the
 * state.
 */
async function requireListedTransaction(t: ScenarioContext, place: Place): Promise<void> {
  const rejected = await t.given.transaction(place);
  const rejection = await t.api.rejectTransaction(rejected.id, rejected.account_id);
  const approval = await t.api.approveTransaction(rejected.id, rejected.account_id);
  if (rejection.status >= 400 || approval.status < 400) return;
  const status = await statusNow(t, rejected);
  if (status !== 'rejected') {
    const words = `a create by the reference of a rejected transaction reads "${status}"`;
    throw new Blocked(`${words}: states cannot be read back here (TXN-2)`);
  }
}

/** Ends the scenario as blocked where what it starts from is not so; another rule judges that. */
export function requirePrecondition(truth: boolean, words: string): void {
  if (!truth) throw new Blocked(`setup failed: ${words}`);
}

/** The members that the specification lists for a transaction. */
export const MEMBERS = [
  'id',
  'account_id',
  'trading_account_id',
  'currency',
  'amount',
  'method',
  'transaction_type',
  'status',
  'is_ftd',
  'created_at',
];

/** Every listed member as it was, except those named. Members besides are TXN-8's and TXN-9's. */
export function expectUnchanged(
  t: ScenarioContext,
  rules: Rules,
  first: Answer,
  later: Answer,
  ...but: string[]
): void {
  const changed = MEMBERS.filter(
    (name) => !but.includes(name) && !readsAlike(name, first.at(name), later.at(name)),
  );
  const forms = changed.flatMap((name) => formRules(name, [first.at(name), later.at(name)]));
  const seen = changed.map((name) => `${name}: ${printJson(later.at(name))}`).join(', ');
  const besides = but.length === 0 ? '' : ` except for ${but.join(' and ')}`;
  const judged = later.presuming(...forms);
  t.expect(rules, judged).is(`every member as before${besides}`, seen === '', seen, first);
}

/** CONV-1a, CONV-2a: an id as a number and an amount with more zeros say the same. */
function readsAlike(name: string, was: Json | undefined, is: Json | undefined): boolean {
  if (isDeepStrictEqual(was, is)) return true;
  if (was === undefined || is === undefined) return false;
  if (name === 'amount') return sameAmount(String(was)).test(is);
  return /(^|_)id$/.test(name) && String(was) === String(is);
}

/** Where it is the form of a member that differs, the rules that judge it. */
function formRules(name: string, values: readonly (Json | undefined)[]): RuleId[] {
  if (values.includes(undefined)) return ['TXN-8'];
  if (name === 'amount') return ['CONV-2a'];
  return name === 'created_at' && !values.every(epochMs.test) ? ['CONV-4'] : [];
}

export function membersOf(answer: Answer): { readonly [name: string]: Json } {
  const { json } = answer;
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};
}
