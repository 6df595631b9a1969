// What the sealed defects do, where it takes more than a condition.
import type { SecondMind } from './mind.ts';
import { invalid, type RequestContext } from './request-context.ts';
import { type JsonObject, textOr } from './values/json.ts';
import { isDecimal, negated } from './values/money.ts';
import type {
  Account,
  Answer,
  Credential,
  KeyRecord,
  Subscription,
  TradingAccount,
  Transaction,
} from './values/records.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** As a query would find it in which the reference is a pattern. */
export function isLike({ mind }: RequestContext, kept: string, asked: string): boolean {
  if (!mind.has('comb-reference-like')) return false;
  const plain = asked.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = plain.replace(/_/g, '.').replace(/%/g, '.*');
  return new RegExp(`^${pattern}$`, 'isu').test(kept);
}

/** What of a transaction's reference is compared. */
export function comparedMoneyReference(mind: SecondMind, reference: string): string {
  if (mind.has('txn-reference-case')) return reference;
  const plain = reference.toLowerCase();
  if (mind.has('size-money-reference-100')) return plain.slice(0, 100);
  return mind.has('comb-reference-accents') ? plain.normalize('NFD').replace(/\p{M}/gu, '') : plain;
}

/** A row that is a conflict; the one before it has landed just now. */
export function takeBack({ mind }: RequestContext, row: JsonObject, before?: JsonObject): void {
  if (!mind.has('comb-savepoint-early') || row.status !== 409 || before?.status !== 201) return;
  erase(mind, ({ id }) => id === before.id);
}

/** Creates that have come to an end while this one, which is a conflict, was under way. */
export function undoRacing({ mind, overlaps }: RequestContext): void {
  if (!mind.has('race-conflict-erases')) return;
  const calls = overlaps.map(({ requestId }) => requestId);
  erase(mind, ({ bornIn }) => bornIn !== undefined && calls.includes(bornIn));
}

function erase(mind: SecondMind, isMeant: (each: Account) => boolean): void {
  const isUsed = ({ id }: Account) => mind.tradingAccounts.some((each) => each.accountId === id);
  const kept = mind.accounts.filter((each) => !isMeant(each) || isUsed(each));
  mind.accounts.splice(0, mind.accounts.length, ...kept);
}

const SHOWN = ['first_name', 'last_name', 'country', 'language', 'status'] as const;

/** What else an update does. */
export function afterUpdate({ mind, body }: RequestContext, account: Account): void {
  const { asCreated } = account;
  const isBack =
    asCreated !== undefined && SHOWN.every((each) => asCreated[each] === account[each]);
  if (isBack && mind.has('comb-tag-comes-back')) account.revision = asCreated.revision;
  if (!mind.has('comb-person-shared')) return;
  for (const each of mind.accounts) {
    const isSame = each.email.toLowerCase() === account.email.toLowerCase();
    if (!isSame || each.firmId !== account.firmId) continue;
    each.first_name = textOr(body.first_name, each.first_name);
    each.last_name = textOr(body.last_name, each.last_name);
  }
}

/** Whether it holds all that a role is known by. */
export const isWriter = (mind: SecondMind, { scopes }: Credential): boolean =>
  mind.has('comb-writers-manage') &&
  ['accounts:write', 'trades:write', 'transactions:write'].every((each) => scopes.includes(each));

/** An entry of that amount that takes back another transaction's. */
export function isTwinReversed(
  mind: SecondMind,
  { id }: Transaction,
  { entries }: TradingAccount,
  brought: string,
): boolean {
  if (!mind.has('comb-twin-reversed')) return false;
  const amount = negated(brought);
  return entries.some(
    (each) => each.kind === 'compensation' && each.amount === amount && each.transactionId !== id,
  );
}

/** Remembers who was let in, and for whom it makes no difference any more. */
export function isLetIn({ mind }: RequestContext, { id }: TradingAccount, isInReach: boolean) {
  if (!mind.has('comb-reach-cached')) return isInReach;
  if (isInReach) mind.count(`reached ${id}`);
  return mind.counts[`reached ${id}`] !== undefined;
}

/** Why a repeat is refused for what it says now. */
export function repeatProblem(ctx: RequestContext): Answer | null {
  const { mind, body, operation } = ctx;
  const isMeant = /Position$|^createTransaction$/.test(operation.name);
  if (!isMeant || !mind.has('comb-replay-validated')) return null;
  const name = operation.name === 'createTransaction' ? 'amount' : mind.style.position.volume;
  const isRight = isDecimal(String(body[name] ?? '1'), mind.style.laxDecimals);
  return isRight ? null : invalid(ctx, `${name} must be a decimal`, name);
}

export function dropOldKeys({ mind }: RequestContext, made: KeyRecord): void {
  if (!mind.has('size-keys-subject-10')) return;
  const own = mind.keys.filter(
    (each) =>
      each.clientId === made.clientId &&
      each.operation === made.operation &&
      each.subject === made.subject,
  );
  if (own.length > 10) mind.keys.splice(mind.keys.indexOf(own[0]!), 1);
}

export function shownVolume({ mind }: RequestContext, volume: string): string {
  const short = String(Number(volume));
  return mind.has('size-volume-exponent') && short.includes('e') ? short : volume;
}

/** How far it has come; a defect compares the numbers as texts. */
export function furthest(mind: SecondMind, last: number, seq: number): number {
  if (!mind.has('size-last-seq-text')) return Math.max(last, seq);
  return String(seq) > String(last) ? seq : last;
}

/** Of the last seven days; a defect takes today and six dates before it. */
export function channelSince(mind: SecondMind, days: number): number {
  if (!mind.has('time-channel-dates')) return mind.now() - days * DAY_MS;
  return mind.now() - (mind.now() % DAY_MS) - (days - 1) * DAY_MS;
}

/** Once after each midnight. */
export function touchNightly(mind: SecondMind): void {
  if (!mind.has('time-nightly-touch')) return;
  const dayOf = (atMs: number) => Math.floor(atMs / DAY_MS);
  for (const each of mind.accounts) {
    const row = `touched ${each.id}`;
    if (dayOf(mind.now()) <= (mind.counts[row] ?? dayOf(each.createdAtMs))) continue;
    mind.counts[row] = dayOf(mind.now());
    each.revision += mind.style.revisionStep;
  }
}

/** Whether what is kept of an allowance is a minute old; it is then begun anew. */
export function isBegunAnew(mind: SecondMind, name: string): boolean {
  if (!mind.has('time-bucket-minute')) return false;
  const row = `begun ${name}`;
  const sinceMs = mind.now() - (mind.counts[row] ?? mind.now());
  if (mind.counts[row] === undefined || sinceMs >= 60_000) mind.counts[row] = mind.now();
  return sinceMs >= 60_000;
}

export function sweptAt(mind: SecondMind, dueAtMs: number, waitMs: number): number {
  const isSwept = waitMs >= 2 * HOUR_MS && mind.has('time-retry-sweep');
  return isSwept ? Math.ceil(dueAtMs / HOUR_MS) * HOUR_MS : dueAtMs;
}

/** Saves a subscription as it was when the delivery began. */
export function saveSecrets(mind: SecondMind, now: Subscription, then: Subscription): void {
  if (now.secret === then.secret || !mind.has('race-delivery-rotate')) return;
  const { secret, previousSecret, rotatedAtMs } = then;
  Object.assign(now, { secret, previousSecret, rotatedAtMs });
}

/** Tokens that were given meanwhile to the same client work no longer. */
export function endRacingTokens({ mind, overlaps }: RequestContext, clientId: string): void {
  if (!mind.has('race-tokens-one')) return;
  const given = overlaps.map(({ token }) => token);
  const kept = mind.tokens.filter(
    (each) => each.clientId !== clientId || !given.includes(each.value),
  );
  mind.tokens.splice(0, mind.tokens.length, ...kept);
}

/** Another transaction of its account is being approved. */
export function isRacedFirst({ mind, overlaps }: RequestContext, own: Transaction): boolean {
  if (!mind.has('race-none-first')) return false;
  const racing = overlaps.filter((each) => each.operation.name === 'approveTransaction');
  return racing.some(({ pathId }) =>
    mind.transactions.some(
      (each) => each.id === pathId && each !== own && each.accountId === own.accountId,
    ),
  );
}

/** Rows of batches that have come to an end meanwhile. */
export function rowsOfOthers({ mind, overlaps }: RequestContext): JsonObject[] {
  return mind.has('race-batch-counts') ? overlaps.flatMap(({ results }) => results ?? []) : [];
}

/** Whose brand an event is told of under. */
export function toldBrand(
  mind: SecondMind,
  own: string | null,
  ctx: RequestContext | undefined,
): string | null {
  const last = mind.underway.at(-1);
  if (ctx === undefined || last === undefined || !mind.has('race-event-brand')) return own;
  if (last.credential.firmId !== ctx.credential.firmId) return own;
  const id = last.pathId || textOr(last.body.account_id, '');
  const account = mind.accounts.find((each) => each.id === id);
  const named = textOr(last.body.brand_id, last.credential.brandId);
  return account?.brandId ?? named ?? own;
}

/** The call that began last of those that are under way. */
export const lastToBegin = ({ mind, requestId }: RequestContext): string =>
  mind.underway.at(-1)?.requestId ?? requestId;
