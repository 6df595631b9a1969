// Invariants of every world after every step, and of every response, written independently of core.
import type { Reply } from '../call.ts';
import { compareDecimals } from '../values/decimal.ts';
import { foldCase } from '../values/text.ts';
import type { World } from '../world.ts';

/** Exact sums with integers, instead of the library that core adds with. */
function sumExactly(amounts: readonly string[]): string {
  const scale = 64;
  let sum = 0n;
  for (const amount of amounts) {
    const [, minus, whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
    const value = BigInt(whole + fraction.padEnd(scale, '0'));
    sum += minus === '-' ? -value : value;
  }
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function findTwice(values: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return values.find((value) => seen.size === seen.add(value).size);
}

function* moneyProblems(world: World): Generator<string> {
  const entriesOf = new Map<string, string[]>();
  for (const { id, balance, entries } of world.tradingAccounts.values()) {
    const sum = sumExactly(entries.map(({ amount }) => amount));
    if (compareDecimals(sum, balance) !== 0) yield `balance of ${id} is ${balance}, not ${sum}`;
    for (const { transaction_id, kind } of entries) {
      if (transaction_id === null) continue;
      entriesOf.set(transaction_id, [...(entriesOf.get(transaction_id) ?? []), kind]);
    }
  }
  for (const { id, status } of world.transactions.values()) {
    const kinds = entriesOf.get(id)?.join(' ') ?? '';
    const lawful: Record<string, string[]> = {
      settled: ['movement'],
      cancelled: ['', 'movement compensation'],
    };
    if (!(lawful[status] ?? ['']).includes(kinds)) yield `${status} ${id} has booked "${kinds}"`;
  }
}

function* peopleProblems(world: World): Generator<string> {
  const accounts = [...world.accounts.values()];
  const keysOf = {
    reference: accounts.map((each) => `${each.brand_id} ${foldCase(each.client_reference_id)}`),
    email: accounts.map(({ brand_id, email }) => `${brand_id} ${foldCase(email)}`),
    phone: accounts
      .filter(({ phone }) => /\d/.test(phone ?? ''))
      .map(({ brand_id, phone }) => `${brand_id} ${phone}`),
  };
  for (const [what, keys] of Object.entries(keysOf)) {
    const twice = findTwice(keys);
    if (twice !== undefined) yield `${what} ${twice} names two accounts`;
  }
  const all = [...world.transactions.values()];
  // TXN-2, NS-20: a reference names the oldest transaction that its caller reaches, and a
  // transaction out of reach must look unknown (AUTH-6). So a reference can exist once for each of
  // two brands of a firm, or of two accounts with delegated tokens (AUTH-5). Within one account it
  // is unique, because a caller that may create there reaches all its transactions.
  const twice = findTwice(
    all.map((each) => `${each.account_id} ${foldCase(each.client_reference_id)}`),
  );
  if (twice !== undefined) yield `reference ${twice} names two transactions`;
}

function* eventProblems(world: World): Generator<string> {
  const { first, lastSeq, records } = world.events;
  for (const [index, { seq }] of records.entries()) {
    if (seq !== first + index) yield `event ${seq} stands where ${first + index} belongs`;
  }
  const last = records[records.length - 1]?.seq ?? lastSeq;
  if (last !== lastSeq) yield `the last event is ${last}, and lastSeq ${lastSeq}`;
}

/** Checks one world after every step. */
export class Invariants {
  readonly #firstDeposits = new Map<string, string>();
  #lastSeq = 0;
  #nowMs = 0;

  /** Every invariant that is violated now. */
  *problems(world: World): Generator<string> {
    yield* moneyProblems(world);
    yield* peopleProblems(world);
    yield* eventProblems(world);
    yield* this.#depositProblems(world);
    if (world.events.lastSeq < this.#lastSeq) yield 'the event sequence went back';
    if (world.nowMs < this.#nowMs) yield 'time went back';
    this.#lastSeq = world.events.lastSeq;
    this.#nowMs = world.nowMs;
  }

  /** TXS-2: an account has at most one first-time deposit, and it never changes. */
  *#depositProblems(world: World): Generator<string> {
    const seen = new Set<string>();
    for (const { id, account_id, is_ftd } of world.transactions.values()) {
      const before = this.#firstDeposits.get(account_id);
      if (before === id && !is_ftd) yield `${id} is no first deposit any more`;
      if (!is_ftd) continue;
      if (seen.has(account_id)) yield `account ${account_id} has two first deposits`;
      if (before !== undefined && before !== id) yield `the first deposit of ${account_id} moved`;
      seen.add(account_id);
      this.#firstDeposits.set(account_id, id);
    }
  }
}

/** The refusals of the specification, and the few that are open. */
const codes: Readonly<Record<number, readonly string[]>> = {
  400: ['idempotency_key_required'],
  401: ['unauthorized'],
  403: ['forbidden', 'read_only_credential'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  409: ['idempotency_in_flight', 'invalid_state'],
  412: ['revision_conflict'],
  413: ['scope_too_wide'],
  422: ['validation_failed'],
  426: ['upgrade_required'],
  429: ['rate_limited'],
  500: ['internal_error'],
  501: ['not_implemented'],
  503: ['write_contention'],
};
const unreadable = [400, 413, 415, 422];
const problemMembers = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'errors'];

/** The error in a response, or null. */
export function findWrongReply(reply: Reply): string | null {
  const { status, contentType, body } = reply;
  const ordered = reply.headers?.['x-sandbox-fault'] !== undefined;
  if ((status === 500 || status === 503) && !ordered) return `${status} that no fault ordered`;
  if (contentType === 'text/html') {
    // The error page of a gateway, which only a fault produces.
    return reply.isForeign && (status === 502 || status === 504) ? null : `a page with ${status}`;
  }
  if (contentType === 'text/plain') {
    return unreadable.includes(status) ? null : `plain text with ${status}`;
  }
  if (status === 200 || status === 201) {
    JSON.parse(body);
    return contentType === 'application/json' ? null : `success as ${contentType}`;
  }
  const problem = JSON.parse(body) as Record<string, unknown>;
  // RFC 6749 defines another form for the refusals of the token endpoint.
  const byOAuth = contentType === 'application/json' && typeof problem.error === 'string';
  if (byOAuth && (status === 400 || status === 401)) return null;
  if (contentType !== 'application/problem+json') return `refusal as ${contentType}`;
  if (Object.keys(problem).join() !== problemMembers.join()) return `members ${body}`;
  if (problem.status !== status) return `status ${problem.status} under ${status}`;
  const known = codes[status]?.includes(problem.code as string) ?? false;
  return known ? null : `${status} ${problem.code} is in no table`;
}
