// What scenarios look at after a call: that a refused create left nothing, that an account is as it
// was, the tag to go on with, the digits of a phone.
import { isDeepStrictEqual } from 'node:util';
import { PROFILE_MEMBERS } from '../../engine/account-members.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';

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
    const made = await t.as(role).createAccount({ ...body, first_name: name });
    const isNew = isNewAccount(made, name);
    if (!isNew && made.status >= 300) await requireCreate(t, body, role);
    const words = 'a new account, because what was refused before left nothing behind';
    t.expect(rules, made).is(words, isNew);
  });
}

/** Asked before blaming: somebody else of the same kind is created. */
async function requireCreate(t: ScenarioContext, like: RequestBody, role: Role): Promise<void> {
  const { client_reference_id, email } = t.newAccount({}, role);
  const { phone, ...rest } = like;
  const other = await t.as(role).createAccount({ ...rest, client_reference_id, email });
  if (other.status >= 300) throw new Blocked(`no such create is served: ${other.summary}`);
}

/**
 * Whether a create made the account that it shows: told by the 201, which ACC-1 judges, or by a
 * name that nobody has had before.
 */
export function isNewAccount(made: Answer, name: string): boolean {
  const named = made.status < 300 && made.at('first_name') === name;
  return made.status === 201 || named;
}

/**
 * ACC-18 judges that an account has a member at all: what is said of one that is missing here takes
 * that for granted.
 */
export function withMembers(account: Answer, ...names: string[]): Answer {
  const isThere = (name: string) => account.at(name) !== undefined;
  return account.status >= 300 || names.every(isThere) ? account : account.presuming('ACC-18');
}

/** The members that the specification lists for an account. */
export const ACCOUNT_MEMBERS = [
  'id',
  'revision',
  'client_reference_id',
  ...PROFILE_MEMBERS,
  'phone',
  'status',
  'brand_id',
  'firm_id',
] as const;

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
  const seen = changed.map((name) => `${name}: ${JSON.stringify(now.at(name))}`).join(', ');
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
 * The tag to go on with after an update: the answer's own, or where that is no new one (UPD-1),
 * what a reading shows.
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

/** AUTH-4: all scopes but the one for accounts, for a credential that holds much and lacks it. */
export const ALL_BUT_ACCOUNTS = [
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
];

/** Text without a digit in it. */
export function lettersOf(text: string): string {
  return text.replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!);
}

/** The digits of a phone, whatever stands between them, and for `+` there may be `00` (NS-24). */
export function digitsOf(phone: Json | undefined): string {
  return typeof phone === 'string' ? phone.replace(/\D/g, '').replace(/^0+/, '') : '';
}
