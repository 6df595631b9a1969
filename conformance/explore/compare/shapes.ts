// How each member of an answer is compared, derived from the response schemas: as a literal, as the
// name of a record, as a time, as wording. A new member of a record needs no change here.
import { isDeepStrictEqual } from 'node:util';
import {
  accountRecordSchema,
  accountSchema,
  accountStatusSchema,
  bulkResultSchema,
  orderSchema,
  subscriptionWithSecretSchema,
  transactionRecordSchema,
  transactionSchema,
} from '../../../fixtures/schemas.ts';
import { idText, type Json, printJson } from '../../engine/send/json.ts';
import { squeezed } from '../../reports/plain-text.ts';
import { REDACTED } from '../../reports/redact.ts';
import type { OperationName } from '../../spec/operations.ts';
import { isNumber } from '../play/outcome.ts';
import type { Comparing, Space } from './sides.ts';

export interface Mismatch {
  readonly at: string;
  readonly target: string;
  readonly model: string;
  /** The rule about the form of such a value, if the target's value does not have that form. */
  readonly form?: string;
}

type Value = Json | undefined;

export type Shape = (
  target: Value,
  model: Value,
  at: string,
  comparing: Comparing,
) => Mismatch | null;

type Members = Readonly<Record<string, Shape>>;

const unlike = (at: string, target: Value, model: Value): Mismatch => ({
  ...{ at, target: shown(target), model: shown(model) },
});

/** Null and undefined have to be equal; `isAlike` compares all other values. */
const leaf =
  (isAlike: (target: Json, model: Json, comparing: Comparing) => boolean): Shape =>
  (target, model, at, comparing) => {
    const isNone = target == null || model == null;
    const alike = isNone ? target === model : isAlike(target, model, comparing);
    return alike ? null : unlike(at, target, model);
  };

/** A shape whose values have the form that this rule requires, whatever the operation. */
const inForm =
  (form: string, hasForm: (target: Json, model: Json) => boolean, shape: Shape): Shape =>
  (target, model, at, comparing) => {
    const found = shape(target, model, at, comparing);
    const isOdd = target != null && model != null && !hasForm(target, model);
    return found !== null && isOdd ? { ...found, form } : found;
  };

const isText = (value: Value): value is string => typeof value === 'string' && value !== '';

const open: Shape = () => null;
const same = leaf(isDeepStrictEqual);
/** ACC-6: a reference, in any case in which it was first sent. */
const reference = leaf((target, model) => lower(target) === lower(model));
const lower = (value: Json): string => String(value).toLowerCase();
/** A name or a currency, which need not be stored exactly as sent. */
const folded = leaf((target, model) => plainForm(target) === plainForm(model));
const plainForm = (value: Json): Json =>
  typeof value === 'string' ? value.normalize('NFKC').trim().toLowerCase() : value;
/** ERR-1a: a text, which the service chooses; it may be empty. */
const wording = leaf((target, model) => typeof target === typeof model);
/** Text or null like the model; the service chooses the wording. */
const words = leaf(
  (target, model) => typeof target === typeof model && (target === '') === (model === ''),
);

function name(space: Space): Shape {
  const hasForm = (target: Json, model: Json) => {
    const id = isNumber(target) === isNumber(model) ? idText(target) : undefined;
    // CONV-1a: an id is a decimal string wherever the model's is one.
    return id !== undefined && (space === 'url' || /^\d+$/.test(id));
  };
  const isPaired = leaf(
    (target, model, { match }) =>
      hasForm(target, model) && match.pair(space, String(target), String(model)),
  );
  return inForm('CONV-1a', hasForm, isPaired);
}

const set = leaf((target, model) => {
  if (!Array.isArray(target) || !Array.isArray(model)) return false;
  return isDeepStrictEqual([...new Set(target)].sort(), [...new Set(model)].sort());
});

const isAtTime = leaf((target, model, { offsetMs, isSteady }) => {
  if (typeof target !== 'number' || typeof model !== 'number') return false;
  // CONV-4: the unit is milliseconds; the resolution of the clock is not specified.
  const tickMs = target % 1000 === 0 ? 1000 : 0;
  const toleranceMs = isSteady ? 5 : 60_000;
  return Number.isInteger(target) && Math.abs(target - model - offsetMs) <= toleranceMs + tickMs;
});
/** A time in another unit is far from every time in milliseconds. */
const isInMs = (target: Json, model: Json) =>
  Number.isInteger(target) && Number(target) > Number(model) / 100;
export const time = inForm('CONV-4', isInMs, isAtTime);

/** Compared by value, up to two decimals and fifteen digits. */
const isSameAmount = leaf((target, model) => {
  if (typeof target !== 'string' || typeof model !== 'string') return target === model;
  if (!/^-?\d+(\.\d+)?$/.test(target)) return target === model;
  const [whole = '', part = ''] = model.replace('-', '').split('.');
  if (part.length > 2 || whole.length + part.length > 15) return true;
  return normalDecimal(target) === normalDecimal(model);
});
/** CONV-2a: a decimal string wherever the model's is one. */
const amount = inForm('CONV-2a', (target) => typeof target === 'string', isSameAmount);

export function normalDecimal(text: string): string {
  const [, sign = '', whole = '', part = ''] =
    /^(-?)(?:0+(?=\d))?(0|[1-9]\d*)(?:\.((?:\d*[1-9])?)0*)?$/.exec(text) ?? [];
  const value = part === '' ? whole : `${whole}.${part}`;
  return value === '0' ? '0' : `${sign}${value}`;
}

/** Revision numbers are compared per record, elsewhere. */
const revision = leaf((target, model) => isWhole(target) === isWhole(model));
const isWhole = (value: Json) => typeof value === 'bigint' || Number.isInteger(value);

/**
 * EVT-10a: the number of the same event, if it was delivered on both sides. After a failure the last
 * delivered number and the number before the gap are both right (NS-28).
 */
export const sequenceNumber = leaf((target, model, comparing) => {
  const { isSteady, delivered, isAtOnce = false, comparedEvents, isParted } = comparing;
  if (!Number.isInteger(target)) return false;
  if (!isSteady || isAtOnce || comparedEvents !== undefined || isParted?.() === true) return true;
  const { target: own = [], model: other = [], isAll = true } = delivered?.() ?? {};
  if (!isAll) return Number(target) >= 0 && Number(target) <= Math.max(0, ...own);
  if ((target === 0) !== (model === 0)) return false;
  const due = own[other.indexOf(Number(model))];
  return due === undefined || due === target;
});

/** HOOK-3: a report must not contain a secret, so it only says which of two is new. */
const secret: Shape = (target, model, at, { match }) => {
  if (target === model && !isText(target)) return null;
  if (isText(target) && isText(model) && match.pair('secret', target, model)) return null;
  const of = (value: Value, isKnown: boolean) =>
    !isText(value) ? shown(value) : isKnown ? 'one given before' : 'a new one';
  return {
    at,
    target: of(target, match.modelOf('secret', String(target)) !== undefined),
    model: of(model, match.targetOf('secret', String(model)) !== undefined),
  };
};

/** EVT-11: required if the target of a subscription was at fault; after a request it is open. */
export const reason: Shape = (target, model, at, comparing) => {
  const isByRequest = typeof model === 'string' && /by request/i.test(model);
  return isByRequest && (target === null || isText(target))
    ? null
    : words(target, model, at, comparing);
};

/** NS-24: the same number; in the same form if the model knows the target's form. */
const phone: Shape = (target, model, at, comparing) => {
  const isPlain = typeof model === 'string' && /^\+?[1-9]\d{7,14}$/.test(model);
  // The form of a number that cannot be parsed as one of a country is open.
  if (target === undefined || (comparing.isPhoneFormOpen !== true && isPlain)) {
    return same(target, model, at, comparing);
  }
  const [own, other] = [digitsOf(target), digitsOf(model)];
  const alike = own === other && (own !== '') === isText(target);
  return alike ? null : unlike(at, target, model);
};

/** Without the zeros that may precede the country code. */
const digitsOf = (value: Value): string =>
  String(value ?? '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');

/** NS-25: as sent, or derived from the email if the account was given no name. */
const personName: Shape = (target, model, at, comparing) => {
  const { mayBeAfterEmail } = comparing;
  const isAfterEmail = (value: Value) =>
    isText(value) ? mayBeAfterEmail?.(value) === true : (value ?? '') === '';
  const areBoth = mayBeAfterEmail !== undefined && isAfterEmail(target) && isAfterEmail(model);
  return areBoth ? null : folded(target, model, at, comparing);
};

/** Members that are forbidden if the model has none of them, by their rules. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  ...{ email: 'ACC-18', secret: 'HOOK-3', reason: 'TXN-9', provider: 'TXN-9' },
  ...{ provider_reference: 'TXN-9', operator: 'TXN-9', reasoning: 'TXN-9' },
};

const isRecord = (value: Value): value is { [name: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const record =
  (members: Members): Shape =>
  (target, model, at, comparing) => {
    if (!isRecord(target) || !isRecord(model)) return same(target, model, at, comparing);
    for (const [member, shape] of Object.entries(members)) {
      const found = shape(target[member], model[member], `${at}.${member}`, comparing);
      if (found !== null) return found;
    }
    const leaked = Object.keys(FORBIDDEN).find(
      (each) => Object.hasOwn(target, each) && !Object.hasOwn(model, each),
    );
    if (leaked === undefined) return null;
    const isSecret = leaked === 'secret' && isText(target[leaked]);
    const value = isSecret ? REDACTED : shown(target[leaked]);
    const form = FORBIDDEN[leaked]!;
    return { at: `${at}.${leaked}`, target: value, model: 'no such member', form };
  };

const list =
  (shape: Shape): Shape =>
  (target, model, at, comparing) => {
    if (!Array.isArray(target) || !Array.isArray(model)) return unlike(at, target, model);
    if (target.length !== model.length) {
      return { at, target: `${target.length} entries`, model: `${model.length} entries` };
    }
    for (const [index, each] of target.entries()) {
      if (comparing.ignored?.has(`${at}.${index}`)) continue;
      const found = shape(each, model[index], `${at}.${index}`, comparing);
      if (found !== null) return found;
    }
    return null;
  };

/** A page of records under any name; only records of the sequence are compared. */
interface Page {
  /** The member that identifies a record. */
  readonly by: string;
  readonly space: Space;
  readonly of: Shape;
}

/** NS-2, NS-7: the value if it is a list, or the first list at any depth of an object. */
export function listIn(value: Value): Value {
  if (!isRecord(value)) return value;
  const inner = Object.values(value);
  return inner.find((each) => Array.isArray(each)) ?? inner.map(listIn).find(Array.isArray);
}

/**
 * NS-2: if the list has records of other clients too, a record may be on another page. A page that
 * is cut off is full: it has a round number of records.
 */
function mayBeCut(ids: readonly string[], space: Space, { match, isSteady }: Comparing): boolean {
  const isFull = ids.length >= 10 && ids.length % 5 === 0;
  const hasOthers = ids.some((id) => match.modelOf(space, id) === undefined);
  return space !== 'subscription' && (!isSteady || (isFull && hasOthers));
}

/** A list also has records of other clients; paired records are compared in both directions. */
const page =
  ({ by, space, of }: Page): Shape =>
  (whole, wholeModel, at, comparing) => {
    const [target, model] = [listIn(whole), listIn(wholeModel)];
    if (!Array.isArray(target) || !Array.isArray(model)) return unlike(at, target, model);
    const { match, isParted } = comparing;
    const idOf = (each: Json) => (isRecord(each) ? String(each[by]) : '');
    const ids = target.map(idOf);
    const due = new Map(model.map((each) => [match.targetOf(space, idOf(each)), each]));
    for (const [id, each] of due) {
      if (id === undefined || match.isSetUp(space, id) || isParted?.(id) === true) continue;
      const [found, ...more] = target.filter((row) => idOf(row) === id);
      const name = `${space} ${id}`;
      if (more.length > 0) return { at, target: `${name} ${more.length + 1} times`, model: name };
      if (found === undefined && !mayBeCut(ids, space, comparing))
        return { at, target: `no ${name}`, model: name };
      const mismatch = found === undefined ? null : of(found, each, `${at}.*`, comparing);
      if (mismatch !== null) return mismatch;
    }
    const more = ids.find((id) => !due.has(id) && match.modelOf(space, id) !== undefined);
    if (more === undefined || isParted?.() === true) return null;
    return { at, target: `${space} ${more}`, model: `no ${space} ${more}` };
  };

/** For reports: JSON, shortened if it is long; a run of one letter is written as its length. */
export function shown(value: Value): string {
  if (value === undefined) return 'nothing';
  const text = squeezed(printJson(value));
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const BY_NAME: Members = {
  account_id: name('account'),
  trading_account_id: name('trading account'),
  position_id: name('position'),
  brand_id: name('brand'),
  firm_id: name('firm'),
  url: name('url'),
  client_reference_id: reference,
  ...{ first_name: personName, last_name: personName },
  ...{ phone, revision, secret, amount, currency: folded },
  disabled_reason: reason,
  last_delivered_seq: sequenceNumber,
  volume: amount,
  price: open,
};

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function shapeOf(member: string, { type }: Schema, space: Space): Shape {
  if (member === 'id' || member === 'record_id') return name(space);
  if (member.endsWith('_at')) return time;
  return BY_NAME[member] ?? (type === 'array' ? set : same);
}

/** How each member of the schema is compared, unless `over` says otherwise. */
function membersOf(schema: unknown, space: Space, over: Members = {}): Members {
  const { properties = {} } = schema as Schema;
  const members = Object.entries(properties).map(
    ([member, each]) => [member, over[member] ?? shapeOf(member, each, space)] as const,
  );
  return Object.fromEntries(members);
}

const ACCOUNT = record(membersOf(accountSchema, 'account'));
const TRANSACTION = record(membersOf(transactionSchema, 'transaction'));
// NS-1: orders are not specified.
const ORDER = record(membersOf(orderSchema, 'order'));
const SUBSCRIPTION_MEMBERS = membersOf(subscriptionWithSecretSchema('string'), 'subscription');
const SUBSCRIPTION = record(SUBSCRIPTION_MEMBERS);

/** HOOK-4, NS-7: a rotation returns the new secret; its other members are open. */
const ROTATED = record({
  ...Object.fromEntries(
    Object.entries(SUBSCRIPTION_MEMBERS).map(([member, of]): [string, Shape] => [
      member,
      (target, ...others) => (target === undefined ? null : of(target, ...others)),
    ]),
  ),
  secret,
});

const row = record(
  membersOf(bulkResultSchema.properties.rows.items, 'account', {
    // BULK-5: in a successful row the code and the wording are open.
    code: (target, model, ...place) => (model === null ? null : same(target, model, ...place)),
    detail: (target, model, ...place) =>
      model === null || isText(target) ? null : same(target, model, ...place),
  }),
);
const rows = list(row);
/** The rows first: a wrong row explains a wrong count. */
const BULK = record({ rows, ...membersOf(bulkResultSchema, 'account', { rows }) });

export const PROBLEM = record({
  status: inForm('ERR-1b', isDeepStrictEqual, same),
  ...{ code: same, title: wording, detail: wording },
  ...{ type: open, request_id: open, errors: open },
});

const recordsOf = (space: 'account' | 'transaction', schema: unknown): Page => ({
  ...{ by: 'record_id', space, of: record(membersOf(schema, space, { id: open })) },
});

export const PAGES: Readonly<Partial<Record<OperationName, Page>>> = {
  listWebhooks: { by: 'id', space: 'subscription', of: SUBSCRIPTION },
  listAccounts: recordsOf('account', accountRecordSchema),
  listTransactions: recordsOf('transaction', transactionRecordSchema),
};

export const SUCCESS: Readonly<Record<OperationName, Shape>> = {
  ...{ createAccount: ACCOUNT, updateAccount: ACCOUNT, bulkCreateAccounts: BULK },
  ...{ openPosition: ORDER, closePosition: ORDER, createTransaction: TRANSACTION },
  ...{ approveTransaction: TRANSACTION, rejectTransaction: TRANSACTION },
  ...{ cancelTransaction: TRANSACTION, createWebhook: SUBSCRIPTION, getWebhook: SUBSCRIPTION },
  ...{ rotateWebhookSecret: ROTATED, disableWebhook: SUBSCRIPTION },
  // NS-8: whether the token works shows when it is used.
  issueToken: open,
  listWebhooks: page(PAGES.listWebhooks!),
  listAccounts: page(PAGES.listAccounts!),
  listTransactions: page(PAGES.listTransactions!),
  getAccountStatus: record(membersOf(accountStatusSchema, 'account')),
};

/** NS-2, NS-54: reads whose rows may have any form except for the two numbers of CONV-3. */
export const isOpenRead = (operation: OperationName): boolean =>
  /^list(Accounts|Transactions)$|Status$/.test(operation);
