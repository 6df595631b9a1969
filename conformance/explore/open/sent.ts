// What a call has sent, as far as an open question turns on it.
import { PROFILE_MEMBERS, UPDATABLE_MEMBERS } from '../../engine/account-members.ts';
import type { OperationName } from '../../engine/operations.ts';
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';

/** The members that the specification shows, by operation. */
const KNOWN_MEMBERS: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  createAccount: [
    ...['client_reference_id', 'email', 'phone', 'phone_region', 'brand_id'],
    ...PROFILE_MEMBERS,
  ],
  updateAccount: UPDATABLE_MEMBERS,
  createTransaction: [
    ...['client_reference_id', 'account_id', 'trading_account_id', 'currency', 'amount'],
    ...['method', 'transaction_type'],
  ],
  rejectTransaction: ['reason'],
  cancelTransaction: ['reason'],
  createWebhook: ['url', 'event_categories'],
};

export function hasUnknown(step: CallStep, target: CallOutcome): boolean {
  const body = jsonOfSent(target.sent.body);
  if (step.operation !== 'bulkCreateAccounts') return isUnknownIn(step.operation, body);
  const rows = memberAt(body, 'accounts');
  // BULK-3: what a row may hold is what a create may.
  return Array.isArray(rows) && rows.some((row) => isUnknownIn('createAccount', row));
}

function isUnknownIn(operation: OperationName, body: Json | undefined): boolean {
  const known = KNOWN_MEMBERS[operation];
  if (known === undefined || body === null || typeof body !== 'object') return false;
  return Object.keys(body).some((name) => !known.includes(name));
}

export function hasSpacesFor({ sent }: CallOutcome, names: readonly string[]): boolean {
  const values = names.map((name) => memberAt(jsonOfSent(sent.body), name));
  return values.some((each) => typeof each === 'string' && /^\s+$/.test(each));
}

/** A strong tag that is no revision: whether it is malformed or stale nothing says. */
export function hasOddTag({ sent }: CallOutcome): boolean {
  const [, tag = ''] = sent.headers.find(([name]) => name.toLowerCase() === 'if-match') ?? [];
  return /^"[^"]*"$/.test(tag) && !/^"\d+"$/.test(tag);
}

/** A method or a type of a transaction that is none of those named, in whatever case. */
export function hasUnknownWord({ sent }: CallOutcome): boolean {
  const body = jsonOfSent(sent.body);
  return Object.entries(NAMED).some(([name, words]) => {
    const said = memberAt(body, name);
    return typeof said === 'string' && !words.includes(said);
  });
}

const NAMED: Readonly<Record<string, readonly string[]>> = {
  method: ['Deposit', 'Withdrawal', 'Bonus'],
  transaction_type: ['Deposit', 'Withdrawal', 'Credit', 'Debit'],
};

/** TXN-6: a transaction whose type has money go one way and its method the other. */
export function hasOtherDirection({ sent }: CallOutcome): boolean {
  const body = jsonOfSent(sent.body);
  const [type, method, amount] = ['transaction_type', 'method', 'amount'].map((name) =>
    String(memberAt(body, name) ?? ''),
  );
  const derived = amount!.startsWith('-') ? 'Withdrawal' : 'Deposit';
  return /^(Withdrawal|Debit)$/.test(type!) !== ((method || derived) === 'Withdrawal');
}

export function isAllEmpty({ sent }: CallOutcome): boolean {
  const body = jsonOfSent(sent.body);
  if (body === null || body === undefined || typeof body !== 'object') return false;
  const values = Object.values(body);
  return values.length > 0 && values.every((each) => each === '' || each === null);
}

export function hasEmptyText({ sent }: CallOutcome): boolean {
  const body = jsonOfSent(sent.body);
  return body !== null && typeof body === 'object' && Object.values(body).includes('');
}

export function amountIn(sent: Uint8Array | undefined): Json | undefined {
  return memberAt(jsonOfSent(sent), 'amount');
}

/** A number to whoever reads it leniently, and not digits with at most a minus and a point. */
export function isOddDecimal(amount: Json | undefined): boolean {
  if (typeof amount !== 'string' || /^-?\d+(\.\d+)?$/.test(amount)) return false;
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(amount);
}

/** CONV-2a: of more digits, or decimals, than those whose value is kept. */
export function isBeyondDigits(amount: Json | undefined): boolean {
  const [, whole = '', part = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(String(amount)) ?? [];
  return part.length > 2 || whole.length + part.length > 15;
}

/**
 * NS-33: a row with a blank reference, without email, or without a brand; what is no id of a brand
 * is none that the credential can use either (BULK-10).
 */
export function hasOpenRow({ sent }: CallOutcome): boolean {
  const rows = memberAt(jsonOfSent(sent.body), 'accounts');
  if (!Array.isArray(rows)) return false;
  return rows.some((row) => {
    const reference = memberAt(row, 'client_reference_id');
    const isBlank = typeof reference === 'string' && reference.trim() === '';
    const lacks = ['email', 'brand_id'].some((name) => memberAt(row, name) === undefined);
    const brand = memberAt(row, 'brand_id');
    return isBlank || lacks || (typeof brand === 'string' && !/^\d+$/.test(brand));
  });
}

export function jsonOfSent(body: Uint8Array | undefined): Json | undefined {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString()) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
