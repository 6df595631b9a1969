// Accounts in scenarios: their values, their tags, and an account that has been updated once.

import type { Role } from '../../engine/capabilities.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';

/**
 * The reference of a refused create is still free: a valid create with it makes a new account.
 * ACC-1 judges the 201; a new name shows a new account too.
 */
export async function expectReferenceFree(
  t: ScenarioContext,
  rules: Rules,
  body: RequestBody,
  role: Role = t.mainRole,
) {
  await t.branch(rules, 'a good create under the reference that was refused', async () => {
    const name = t.fresh.text();
    const answer = await t.call('createAccount', { as: role, body: { ...body, first_name: name } });
    const words = 'a new account, because what was refused before left nothing behind';
    t.expect(rules, answer).is(words, isNewAccount(answer, name));
  });
}

/**
 * Whether a create made a new account: by the 201, which ACC-1 judges, or by a name that no account
 * had before.
 */
export function isNewAccount(created: Answer, name: string): boolean {
  const named = created.isServed && created.at('first_name') === name;
  return created.status === 201 || named;
}

const STRONG = /^"[^"]*"$/;

/** ACC-19 is judged elsewhere: without a strong tag no update is possible. */
export function strongTag(answer: Answer): string {
  const tag = answer.headers.get('etag');
  if (tag !== undefined && STRONG.test(tag)) return tag;
  throw new Blocked(
    `the account of exchange ${answer.n} came without a strong ETag: ${tag ?? 'none'}`,
  );
}

/**
 * The tag to use after an update: the one in the answer or, if that is not new (UPD-1), the one in a
 * read.
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

export type Updated = Awaited<ReturnType<typeof updatedOnce>>;

/** Its first tag is stale. The update is the control: the same request under a tag that is current. */
export async function updatedOnce(t: ScenarioContext, role = t.mainRole) {
  const account = await t.given.account({}, role);
  const stale = strongTag(account.answer);
  const call = { as: role, id: account.id, body: { first_name: 'Ida' }, ifMatch: stale };
  const updated = await t.control('updateAccount', call);
  const current = await tagAfter(t, account, updated, stale, role);
  if (current === stale) {
    throw new Blocked('setup failed: an update left the tag', undefined, ['UPD-1']);
  }
  return { ...account, stale, current };
}

/** Text without digits. */
export function lettersOf(text: string): string {
  return text.replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!);
}

/** The digits of a phone without separators; `00` may replace `+` (NS-24). */
export function digitsOf(phone: Json | undefined): string {
  return typeof phone === 'string' ? phone.replace(/\D/g, '').replace(/^0+/, '') : '';
}
