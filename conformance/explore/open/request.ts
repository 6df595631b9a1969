// What is odd about a request: where the specification does not show that it must be taken, nor that
// it must be refused. Read off the members by their kinds, so that a new one is covered too.
import type { OperationName } from '../../engine/operations.ts';
import type { Json } from '../../engine/send/answer.ts';
import { type Field, OPS } from '../draw/operations.ts';
import { type CallOutcome, jsonOf } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';

export type Oddity =
  | 'unknown member'
  | 'null member'
  | 'wrong type'
  | 'no such word'
  | 'empty text'
  | 'blank text'
  | 'long text'
  | 'odd characters'
  | 'odd email'
  | 'odd decimal'
  | 'many digits'
  | 'number as decimal'
  | 'zero amount'
  | 'padded id'
  | 'large id'
  | 'odd currency'
  | 'other currency'
  | 'other direction'
  | 'odd url'
  | 'odd list'
  | 'odd tag'
  | 'media type'
  | 'no query'
  | 'body on approve'
  | 'odd key'
  | 'odd row'
  | 'partial order';

/** Lengths of texts of which the specification shows no limit: longer ones may be refused. */
const LONG = 32;
/** UPD-4: a status is any string. */
const LONG_STATUS = 100;

type Members = { readonly [name: string]: Json };

export function odditiesOf(step: CallStep, { sent }: CallOutcome): ReadonlySet<Oddity> {
  const found = new Set<Oddity>();
  const { operation } = step;
  const header = (name: string) => sent.headers.find(([each]) => each.toLowerCase() === name)?.[1];
  const type = header('content-type');
  if (OPS[operation].fields.length > 0 && type !== 'application/json') found.add('media type');
  const tag = header('if-match') ?? '';
  if (operation === 'updateAccount' && !/^"\d+"$/.test(tag)) found.add('odd tag');
  if (/[^ -~]|\s{2}|[,"\\]/.test((header('idempotency-key') ?? '').trim())) found.add('odd key');
  if (/\/(approve|reject|cancel)(\?|$)/.test(sent.target) && !/[?&]account_id=/.test(sent.target)) {
    found.add('no query');
  }
  for (const [digits] of sent.target.matchAll(/\d+/g)) noteId(digits, found);
  const body = sent.body === undefined ? undefined : jsonOf(sent.body);
  if (operation === 'approveTransaction' && body !== undefined) found.add('body on approve');
  if (operation === 'createTransaction' && isOtherCurrency(step)) found.add('other currency');
  const rows = operation === 'bulkCreateAccounts' ? rowsIn(body) : [body];
  for (const row of rows) noteMembers(operation, row, found);
  if (operation === 'closePosition' && isMembers(body) && 'volume' in body) {
    found.add('partial order');
  }
  return found;
}

/** Whether the currency is not read from the trading account that the call names. */
function isOtherCurrency({ body }: CallStep): boolean {
  const { currency, trading_account_id: account } = (body ?? {}) as Record<string, unknown>;
  const [own, due] = [currency, account].map((each) => (each as { $of?: number } | undefined)?.$of);
  return own === undefined || own !== due;
}

const isMembers = (value: Json | undefined): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function rowsIn(body: Json | undefined): readonly Json[] {
  const rows = isMembers(body) ? body.accounts : undefined;
  return Array.isArray(rows) ? rows : [];
}

function noteMembers(operation: OperationName, body: Json | undefined, found: Set<Oddity>): void {
  if (!isMembers(body)) {
    if (body !== undefined) found.add('wrong type');
    return;
  }
  const { fields } = OPS[operation];
  for (const [name, value] of Object.entries(body)) {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) found.add('unknown member');
    else noteMember(field, value, found);
  }
  if (operation === 'createTransaction' && isOtherDirection(body)) found.add('other direction');
  if (operation === 'bulkCreateAccounts' && isOddRow(body)) found.add('odd row');
}

function noteMember(field: Field, value: Json, found: Set<Oddity>): void {
  const { kind, name } = field;
  if (value === null) found.add('null member');
  else if (kind === 'list') {
    if (!isPlainList(field, value)) found.add('odd list');
  } else if (typeof value === 'number' && kind === 'decimal') found.add('number as decimal');
  // CONV-1b: a number as an id is refused, and any other type with it.
  else if (typeof value !== 'string') {
    if (kind !== 'id' && kind !== 'flag') found.add('wrong type');
  } else {
    noteText(field, value, found);
    const most = name === 'status' ? LONG_STATUS : LONG;
    if (kind !== 'reference' && kind !== 'phone' && [...value].length > most)
      found.add('long text');
  }
}

function noteText({ kind, words, required }: Field, value: string, found: Set<Oddity>): void {
  if (value === '' && !required) found.add('empty text');
  // ACC-2, TXN-3: a blank reference is refused.
  if (kind !== 'reference' && value !== '' && value.trim() === '') found.add('blank text');
  if (value.trim() !== '' && value !== value.trim()) found.add('odd characters');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is odd
  if (/[\u0000-\u001f\u007f]/.test(value)) found.add('odd characters');
  switch (kind) {
    case 'email':
      if (!/^[a-z0-9._+-]{1,32}@[a-z0-9-]+(\.[a-z]+)+$/i.test(value)) found.add('odd email');
      break;
    case 'decimal':
      noteDecimal(value, found);
      break;
    case 'id':
      noteId(value, found);
      break;
    case 'currency':
      if (!/^[A-Z]{3}$/.test(value)) found.add('odd currency');
      break;
    case 'word':
      if (!words.includes(value)) found.add('no such word');
      break;
    case 'url':
      if (!/^https:\/\/[a-z0-9.-]+(\/[a-z0-9/_-]*)?$/i.test(value)) found.add('odd url');
      break;
    case 'region':
      if (!/^[A-Z]{2}$/.test(value)) found.add('odd characters');
  }
}

function noteDecimal(value: string, found: Set<Oddity>): void {
  const [, whole = '', part = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  if (whole === '' || /^0\d/.test(whole)) {
    // TXN-5: what no one reads as a decimal is refused.
    if (/^\s*[+-]?(\d[\d,. ]*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) found.add('odd decimal');
    return;
  }
  if (/^0+$/.test(whole + part)) found.add('zero amount');
  if (part.length > 2 || whole.length + part.length > 15) found.add('many digits');
}

function noteId(value: string, found: Set<Oddity>): void {
  if (/^0\d/.test(value)) found.add('padded id');
  if (/^\d+$/.test(value) && value.length > 19) found.add('large id');
  if (value !== value.trim()) found.add('odd characters');
}

function isPlainList({ words }: Field, value: Json): boolean {
  if (!Array.isArray(value)) return false;
  // HOOK-9: with none of the known names it is refused.
  const known = value.filter((each) => words.includes(String(each)));
  return (
    new Set(value).size === value.length && (known.length === value.length || known.length === 0)
  );
}

/** TXN-6: a transaction whose type has money go one way and its method or sign the other. */
function isOtherDirection(body: Members): boolean {
  const [type, method, amount] = ['transaction_type', 'method', 'amount'].map((name) =>
    String(body[name] ?? ''),
  );
  const isMinus = amount!.startsWith('-');
  const goesOut = /^(Withdrawal|Debit)$/.test(type!);
  const derived = isMinus ? 'Withdrawal' : 'Deposit';
  return isMinus || goesOut !== ((method || derived) === 'Withdrawal');
}

/** NS-33: a row with a blank reference, without email, or without a brand that can be used. */
function isOddRow(row: Members): boolean {
  const { client_reference_id: reference, brand_id: brand } = row;
  const isBlank = typeof reference === 'string' && reference.trim() === '';
  const lacks = row.email === undefined || brand === undefined;
  return isBlank || lacks || (typeof brand === 'string' && !/^\d+$/.test(brand));
}
