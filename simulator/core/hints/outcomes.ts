// What an operation made of a call that was accepted, where the caller may have meant something
// else.
import { profileFields } from '../../../fixtures/schemas/account-profile.ts';
import type { Reply } from '../call.ts';
import { optionalText } from '../operations/members.ts';
import { headerOf } from '../pipeline/operation-row.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import type { Account, Transaction } from '../records.ts';
import { absoluteDecimal, compareDecimals, isNegativeDecimal } from '../values/decimal.ts';
import type { Hint } from './register.ts';
import { quoteText, showValue, someOf } from './show-value.ts';

/** By operation; the reply is null where it was lost or is late. */
export function hintOutcome(context: RequestContext, reply: Reply | null, hints: Hint[]): void {
  switch (context.operation) {
    case 'createAccount':
      if (context.idempotency === 'converged') hintConvergedAccount(context, reply, hints);
      else if (reply?.status === 201) hintPhone(context, hints);
      return;
    case 'createTransaction':
      if (context.idempotency === 'converged') hintConvergedTransaction(context, reply, hints);
      else if (reply === null || reply.status === 201) hintTerms(context, hints);
      return;
    case 'updateAccount':
      if (reply?.status === 412) hintTag(context, hints);
      return;
    case 'createWebhook':
      if (reply !== null && reply.status >= 400) hintLocalUrl(context, hints);
  }
}

function recordOf<R>(records: ReadonlyMap<string, R>, reply: Reply | null): R | undefined {
  // A fault may have put a page of HTML, or a problem, in the place of the record.
  if (reply === null || reply.status >= 400) return undefined;
  return records.get((JSON.parse(reply.body) as { id: string }).id);
}

/** ACC-5: what a create under a known reference says otherwise is not looked at. */
function hintConvergedAccount(context: RequestContext, reply: Reply | null, hints: Hint[]): void {
  const { world, body, behaviour } = context;
  const account = recordOf(world.accounts, reply);
  if (account === undefined) return;
  const { values } = behaviour;
  const unlike: string[] = [];
  const note = (name: string, is: unknown) =>
    unlike.push(`${name} is ${showValue(name, is)}, not ${showValue(name, body[name])}`);
  const email = optionalText(body, 'email') ?? '';
  if (values.emailKey(email) !== values.emailKey(account.email)) note('email', account.email);
  const phone = values.phone(optionalText(body, 'phone'), optionalText(body, 'phone_region'));
  if (phone !== null && phone !== account.phone) note('phone', account.phone);
  for (const name of profileFields) {
    const sent = optionalText(body, name);
    if (sent !== null && sent !== account[name]) note(name, account[name]);
  }
  if (unlike.length === 0) return;
  hints.push({
    code: 'converged_unlike',
    words: `The reference names account ${account.id}, whose ${someOf(unlike)}. Nothing was changed: update it with PATCH, or use another reference for somebody else.`,
  });
}

/** TXN-2: the money of the second request is recorded nowhere. */
function hintConvergedTransaction(
  context: RequestContext,
  reply: Reply | null,
  hints: Hint[],
): void {
  const { world, body, behaviour } = context;
  const known = recordOf(world.transactions, reply);
  if (known === undefined) return;
  const unlike: string[] = [];
  for (const [name, is] of termsOf(known)) {
    const sent = optionalText(body, name);
    if (sent === null || sent === is) continue;
    if (name.endsWith('_id') && behaviour.values.id(sent) === is) continue;
    if (name === 'amount' && sameAmount(context, sent, is)) continue;
    unlike.push(`${name} is ${showValue(name, is)}, not ${showValue(name, sent)}`);
  }
  if (unlike.length === 0) return;
  hints.push({
    code: 'converged_unlike',
    words: `The reference names transaction ${known.id}, whose ${someOf(unlike)}. Nothing was recorded: another payment needs another reference.`,
  });
}

function termsOf(transaction: Transaction): readonly (readonly [string, string])[] {
  return [
    ['amount', transaction.amount],
    ['currency', transaction.currency],
    ['account_id', transaction.account_id],
    ['trading_account_id', transaction.trading_account_id],
    ['transaction_type', transaction.transaction_type],
    ['method', transaction.method],
  ];
}

function sameAmount({ behaviour }: RequestContext, sent: string, is: string): boolean {
  return behaviour.values.isDecimal(sent) && compareDecimals(sent, is) === 0;
}

/** TXN-6, NS-43, NS-60. */
function hintTerms(context: RequestContext, hints: Hint[]): void {
  const { body, world, behaviour } = context;
  const [type, amount] = [body.transaction_type, optionalText(body, 'amount')];
  // The answer that is lost or late may be a refusal of the amount.
  if (amount === null || !behaviour.values.isDecimal(amount)) return;
  const method = optionalText(body, 'method');
  const isIncoming = type === 'Deposit' || type === 'Credit';
  const isOutgoing = type === 'Withdrawal' || type === 'Debit';
  const isNegative = isNegativeDecimal(amount);
  const isOtherSign = (isNegative ? isIncoming : isOutgoing) && !behaviour.values.isZero(amount);
  const isOtherMethod =
    (type === 'Withdrawal' && method === 'Deposit') ||
    (type === 'Deposit' && method === 'Withdrawal');
  if (isOtherSign || isOtherMethod) {
    const answered =
      method === null
        ? ` It is answered as method ${behaviour.values.method(amount)} (TXN-6); send method, or the other sign.`
        : '';
    const booked = `${absoluteDecimal(amount)} is ${isIncoming ? 'added to' : 'subtracted from'} the balance`;
    hints.push({
      code: 'sign_against_type',
      words: `A ${type} with amount ${amount}${method === null ? '' : ` and method ${method}`}: when it settles, ${booked} (NS-43).${answered}`,
    });
  }
  const id = behaviour.values.id(optionalText(body, 'trading_account_id') ?? '') ?? '';
  const booked = world.tradingAccounts.get(id)?.currency;
  const currency = optionalText(body, 'currency');
  if (booked === undefined || currency === null || booked === currency) return;
  hints.push({
    code: 'other_currency',
    words: `Trading account ${id} is in ${booked}: the amount is booked as it is, though it is in ${quoteText(currency)}.`,
  });
}

/** ACC-11, ACC-12: never refused, but a number without its country cannot be found again. */
function hintPhone({ body, world }: RequestContext, hints: Hint[]): void {
  if (typeof body.phone !== 'string') return;
  const account: Account | undefined = world.accounts.get(String(world.counters.account));
  const phone = account?.phone ?? null;
  if (phone === null || phone.startsWith('+')) return;
  const how = 'Send phone_region, or the number with + and its country code';
  hints.push({
    code: 'phone_without_region',
    words: `${quoteText(body.phone)} names no country, and is kept as ${quoteText(phone)}. ${how}.`,
  });
}

const LOCAL =
  /^(?:localhost|.+\.(?:localhost|local|internal)|127\..+|10\..+|192\.168\..+|\[::1\])$/;

/** HOOK-7, HOOK-8: the platform could not come here, and the sandbox can. */
function hintLocalUrl({ body }: RequestContext, hints: Hint[]): void {
  const { url } = body;
  if (typeof url !== 'string' || !URL.canParse(url)) return;
  const { protocol, hostname } = new URL(url);
  if (!/^https?:$/.test(protocol) || !LOCAL.test(hostname)) return;
  hints.push({
    code: 'local_url',
    words: `The platform takes public https urls alone. To get deliveries at ${quoteText(url)} start with --forward-to, or subscribe an https url of your own and forward it: PUT /_sandbox/forwards with from and to.`,
  });
}

/** UPD-7: revisions go up one by one, so every tag that was ever issued is known. */
function hintTag(context: RequestContext, hints: Hint[]): void {
  const { behaviour, world, pathId } = context;
  const account = world.accounts.get(behaviour.values.id(pathId) ?? '');
  const match = behaviour.values.ifMatch(headerOf(context, 'if-match'));
  if (account === undefined || match.kind !== 'tag') return;
  const revision = /^[1-9]\d{0,15}$/.test(match.value) ? Number(match.value) : 0;
  const isIssued = revision >= behaviour.accounts.firstRevision && revision <= account.revision;
  if (isIssued) return;
  hints.push({
    code: 'guessed_tag',
    words: `The tag ${quoteText(match.value)} was never issued for account ${account.id}. Send the ETag of an answer, as it came.`,
  });
}
