// Accounts as scenarios use them: what they read, their tags, and one that has been updated once.

import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../engine/capabilities.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';
import { printJson } from '../../engine/send/json.ts';
import { PROFILE_MEMBERS } from '../../spec/literals.ts';

/**
 * The reference of a refused create is still free: a good create under it is the first. ACC-1
 * judges the 201; the new name tells a new account too.
 */
export async function expectReferenceFree(
  t: ScenarioContext,
  rules: Rules,
  body: RequestBody,
  role: Role = t.mainRole,
): Promise<void> {
  await t.branch(rules, 'a good create under the reference that was refused', async () => {
    const name = t.fresh.text();
    const made = await t.call('createAccount', { as: role, body: { ...body, first_name: name } });
    const words = 'a new account, because what was refused before left nothing behind';
    t.expect(rules, made).is(words, isNewAccount(made, name));
  });
}

/**
 * Whether a create made the account that it shows, by the 201, which ACC-1 judges, or by a
 * name that no account has had before.
 */
export function isNewAccount(made: Answer, name: string): boolean {
  const named = made.status < 300 && made.at('first_name') === name;
  return made.status === 201 || named;
}

/** The members that the specification lists for an account. */
export const ACCOUNT_MEMBERS = [
  ...['id', 'revision', 'client_reference_id', ...PROFILE_MEMBERS],
  ...['phone', 'status', 'brand_id', 'firm_id'],
];

/** The account reads as it did before. Its revision alone is no matter of refused updates. */
export function expectSameAccount(
  t: ScenarioContext,
  rules: Rules,
  before: Answer,
  now: Answer,
): void {
  const changed = ACCOUNT_MEMBERS.filter(
    (name) => name !== 'revision' && !isDeepStrictEqual(before.at(name), now.at(name)),
  );
  const seen = changed.map((name) => `${name}: ${printJson(now.at(name))}`).join(', ');
  t.expect(rules, now).is('the account as it was before', changed.length === 0, seen, before);
}

const STRONG = /^"[^"]*"$/;

/** ACC-19 is judged elsewhere: without a strong tag there is nothing to update under. */
export function strongTag(answer: Answer): string {
  const tag = answer.headers.get('etag');
  if (tag !== undefined && STRONG.test(tag)) return tag;
  throw new Blocked(
    `the account of exchange ${answer.n} came without a strong ETag: ${tag ?? 'none'}`,
  );
}

/**
 * The tag to go on with after an update: the answer's own, or if that is no new one (UPD-1), what a
 * reading shows.
 */
export async function tagAfter(
  t: ScenarioContext,
  account: { readonly body: RequestBody },
  after: Answer,
  old: string,
  role: Role = t.mainRole,
): Promise<string> {
  const tag = after.headers.get('etag') ?? old;
  if (tag !== old && STRONG.test(tag)) return tag;
  return strongTag(await t.given.reread(account, role));
}

/** An account that has been updated once: its tags, the first of which is stale. */
export interface Updated extends GivenAccount {
  readonly stale: string;
  readonly current: string;
  /** The answer to the update. */
  readonly updated: Answer;
}

/** The update is the control: the same request under a tag that is current. */
export async function updatedOnce(t: ScenarioContext, role: Role = t.mainRole): Promise<Updated> {
  const account = await t.given.account({}, role);
  const stale = strongTag(account.answer);
  const call = { as: role, id: account.id, body: { first_name: 'Ida' }, ifMatch: stale };
  const updated = await t.control('updateAccount', call, 200);
  const current = await tagAfter(t, account, updated, stale, role);
  if (current === stale) throw new Blocked('setup failed: an update left the tag (UPD-1)');
  return { ...account, stale, current, updated };
}

/** Text without a digit in it. */
export function lettersOf(text: string): string {
  return text.replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!);
}

/** The digits of a phone, whatever stands between them, and for `+` there may be `00` (NS-24). */
export function digitsOf(phone: Json | undefined): string {
  return typeof phone === 'string' ? phone.replace(/\D/g, '').replace(/^0+/, '') : '';
}
