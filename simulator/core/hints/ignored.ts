// What a call carries that nobody looks at: members, parameters, a body, a key.
import { requestSchemas } from '../../../fixtures/schemas/requests.ts';
import { operationRowOf } from '../pipeline/operation-row.ts';
import type { Body, RequestContext } from '../pipeline/request-context.ts';
import type { OperationName } from '../tables/operations.ts';
import type { Hint } from './register.ts';
import { showName, someOf } from './show-value.ts';

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The members of a body: their names, and each by what its name is when written plainly. */
class Members {
  readonly names: ReadonlySet<string>;
  readonly #byPlainName: ReadonlyMap<string, string>;

  constructor({ properties = {} }: Shape) {
    const names = Object.keys(properties);
    this.names = new Set(names);
    this.#byPlainName = new Map(names.map((name) => [plainName(name), name]));
  }

  /** The one that reads alike: `first_name` for `firstName`. */
  findAlike(name: string): string | undefined {
    return this.#byPlainName.get(plainName(name));
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const knownMembers = new Map<string, Members>(
  Object.entries(requestSchemas).map(([name, schema]) => [name, new Members(schema)]),
);
const rowMembers = new Members(requestSchemas.bulkCreateAccounts.properties.accounts.items);

/** What becomes of a member that people expect to be taken, by operation. */
const insteadOf: Readonly<Record<string, string>> = {
  'createAccount.status': 'a new account is New (ACC-20); an update sets its status',
  'createTransaction.status': 'a transaction always begins as pending (TXN-1)',
  'createTransaction.brand_id': 'it is of the brand of its account',
  'createTransaction.reason': 'reject and cancel take a reason',
  'openPosition.account_id': 'the trading account says whose it is',
};

/** NS-27: unknown members are ignored, so nobody else tells of a slip in a name. */
export function hintMembers(context: RequestContext, hints: Hint[]): void {
  const { operation, body } = context;
  const known = operation === null ? undefined : knownMembers.get(operation);
  if (operation === null || known === undefined) return;
  const unknown: string[] = [];
  collectUnknown(body, known.names, '', unknown);
  if (operation === 'bulkCreateAccounts') collectInRows(body, unknown);
  if (operation === 'updateAccount') hintNulls(context, hints);
  if (unknown.length === 0) return;
  if (operation === 'updateAccount') take(unknown, ['email', 'phone'], hintNotUpdatable, hints);
  if (operation === 'createWebhook') {
    take(unknown, ['brand_id'], () => hintSubscriptionBrand(context), hints);
  }
  if (unknown.length > 0) hints.push(rememberedHint(operation, unknown, known));
}

/** A client sends the same members again and again: what is said of them is put together once. */
const remembered = new Map<string, Hint>();
const MOST_REMEMBERED = 200;
const LONGEST_REMEMBERED = 500;

function rememberedHint(
  operation: OperationName,
  unknown: readonly string[],
  known: Members,
): Hint {
  const asked = `${operation} ${JSON.stringify(unknown)}`;
  const told = remembered.get(asked);
  if (told !== undefined) return told;
  const hint = hintUnknown(operation, unknown, known);
  if (remembered.size === MOST_REMEMBERED) remembered.clear();
  if (asked.length <= LONGEST_REMEMBERED) remembered.set(asked, hint);
  return hint;
}

function collectUnknown(
  body: Body,
  known: ReadonlySet<string>,
  where: string,
  found: string[],
): void {
  for (const name in body) if (!known.has(name)) found.push(`${where}${name}`);
}

function collectInRows({ accounts }: Body, found: string[]): void {
  const seen = new Set<string>();
  // A call that was refused before it was read has none.
  for (const [index, row] of ((accounts ?? []) as readonly Body[]).entries()) {
    for (const name in row) {
      if (rowMembers.names.has(name) || seen.has(name)) continue;
      seen.add(name);
      found.push(`accounts.${index}.${name}`);
    }
  }
}

/** Takes names out of the unknown ones, for a hint of their own. */
function take(
  unknown: string[],
  names: readonly string[],
  hint: (taken: readonly string[]) => Hint,
  hints: Hint[],
): void {
  const taken = names.filter((name) => unknown.includes(name));
  for (const name of taken) unknown.splice(unknown.indexOf(name), 1);
  if (taken.length > 0) hints.push(hint(taken));
}

function hintUnknown(operation: OperationName, unknown: readonly string[], known: Members): Hint {
  const members = operation === 'bulkCreateAccounts' ? rowMembers : known;
  const each = unknown.map((path) => {
    const name = path.slice(path.lastIndexOf('.') + 1);
    const alike = members.findAlike(name);
    const meant = alike === undefined ? undefined : `did you mean ${alike}?`;
    const instead = insteadOf[`${operation}.${name}`] ?? meant;
    return instead === undefined ? showName(path) : `${showName(path)} (${instead})`;
  });
  const is = each.length === 1 ? 'is no member' : 'are no members';
  return { code: 'unknown_member', words: `${someOf(each)} ${is} of ${operation}: ignored.` };
}

function hintNotUpdatable(names: readonly string[]): Hint {
  const kept = names.length === 1 ? 'it is kept as it was' : 'they are kept as they were';
  return {
    code: 'not_updatable',
    words: `${names.join(' and ')} cannot be changed through the API: ${kept}.`,
  };
}

/** HOOK-10. */
function hintSubscriptionBrand({ credential }: RequestContext): Hint {
  const brandId = credential?.brand_id ?? null;
  const words =
    brandId === null
      ? 'brand_id is ignored: the credential is firm-wide, so all brands are delivered.'
      : `brand_id is ignored: the credential is of brand ${brandId}, and so is the subscription.`;
  return { code: 'subscription_brand', words };
}

/** NS-55: said only where null stands for a field that is not sent. */
function hintNulls({ body, behaviour }: RequestContext, hints: Hint[]): void {
  if (behaviour.settings.update_null !== 'not_sent') return;
  const nulls: string[] = [];
  for (const name in body) if (body[name] === null) nulls.push(name);
  if (nulls.length === 0) return;
  hints.push({
    code: 'null_not_cleared',
    words: `null for ${someOf(nulls.map(showName))} counts as not sent: nothing is cleared.`,
  });
}

const knownParameters: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  listAccounts: ['after', 'limit'],
  listTransactions: ['after', 'limit'],
  approveTransaction: ['account_id'],
  rejectTransaction: ['account_id'],
  cancelTransaction: ['account_id'],
  streamEvents: ['after_seq', 'access_token'],
};

/** NS-2: a page that is asked for by another name is the first page, again and again. */
export function hintParameters(context: RequestContext, hints: Hint[]): void {
  const { operation, path, call, query } = context;
  if (operation === null || path.length === call.target.length) return;
  const known = knownParameters[operation] ?? [];
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const takes = known.length === 0 ? 'takes none' : `takes ${known.join(' and ')}`;
  hints.push({
    code: 'unknown_parameter',
    words: `${operation} ${takes}: ${someOf(unknown.map(showName))} in the query is ignored.`,
  });
}

/** NS-58, HOOK-1: a body and a key where none counts; many clients send `{}` for nothing. */
export function hintBodyAndKey(context: RequestContext, hints: Hint[]): void {
  const { operation, call } = context;
  const row = operationRowOf(context);
  if (row.body === 'none' && row.method !== 'GET' && call.body.byteLength > 2) {
    hints.push({ code: 'body_ignored', words: `${operation} takes no body: it was ignored.` });
  }
  if (row.key || !row.writes || call.headers['idempotency-key'] === undefined) return;
  const again = operation === 'createWebhook' ? 'makes another subscription' : 'runs again';
  hints.push({
    code: 'key_not_taken',
    words: `${operation} takes no Idempotency-Key: the same call sent again ${again}.`,
  });
}
