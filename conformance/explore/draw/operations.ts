// The operations as data, derived from the request schemas: what a body holds, which records a call
// uses and makes, and which scopes it takes. A new member of a record needs no change here.
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import {
  requestSchemas,
  sideSchema,
  transactionMethodSchema,
  transactionTypeSchema,
} from '../../../fixtures/schemas.ts';
import { OPERATIONS, type OperationName } from '../../engine/operations.ts';

/** What a member holds, which decides the values that are worth trying. */
export type Kind =
  | 'reference'
  | 'email'
  | 'phone'
  | 'region'
  | 'text'
  | 'id'
  | 'decimal'
  | 'currency'
  | 'word'
  | 'url'
  | 'list'
  | 'flag';

export type Resource = 'account' | 'place' | 'transaction' | 'position' | 'subscription';

export interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly mayBeNull: boolean;
  /** The words that a member of the kind `word` or `list` may hold. */
  readonly words: readonly string[];
}

export interface Op {
  readonly name: OperationName;
  readonly keyed: boolean;
  readonly isRead: boolean;
  /** Members of the body; of a batch the members of each row. */
  readonly fields: readonly Field[];
  /** The record whose id stands in the path. */
  readonly subject: Resource | undefined;
  readonly makes: Resource | undefined;
  /** Any one of these scopes is enough; empty: any valid token. */
  readonly scopes: readonly string[];
}

const KIND_BY_NAME: Readonly<Record<string, Kind>> = {
  client_reference_id: 'reference',
  email: 'email',
  phone: 'phone',
  phone_region: 'region',
  amount: 'decimal',
  volume: 'decimal',
  currency: 'currency',
  url: 'url',
};

const WORDS_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  method: transactionMethodSchema.enum,
  transaction_type: transactionTypeSchema.enum,
  side: sideSchema.enum,
  event_categories: eventCategories,
};

const ACCOUNT_SCOPES = ['accounts:write'];
const TRADE_SCOPES = ['trades:write', 'trader:trade'];
const FUNDS_SCOPES = ['transactions:write', 'trader:funds'];
const WEBHOOK_SCOPES = ['webhooks:manage'];

function scopesOf(name: OperationName): readonly string[] {
  if (/^list(Acc|Tra)|Status$|Token$/.test(name)) return [];
  if (/Account/.test(name)) return ACCOUNT_SCOPES;
  if (/Position/.test(name)) return TRADE_SCOPES;
  return /Transaction/.test(name) ? FUNDS_SCOPES : WEBHOOK_SCOPES;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const types = [schema.type ?? []].flat();
  const words = WORDS_BY_NAME[name] ?? [];
  const byType: Kind = types.includes('array')
    ? 'list'
    : types.includes('boolean')
      ? 'flag'
      : words.length > 0
        ? 'word'
        : /(^|_)id$/.test(name)
          ? 'id'
          : 'text';
  const kind = KIND_BY_NAME[name] ?? byType;
  return { name, kind, required, words, mayBeNull: types.includes('null') };
}

function fieldsOf(name: OperationName): readonly Field[] {
  const schemas: Readonly<Partial<Record<OperationName, Schema>>> = requestSchemas;
  const schema = schemas[name];
  // NS-8: the form of a token request is the endpoint's own.
  if (schema === undefined || name === 'issueToken') return [];
  const row = name === 'bulkCreateAccounts' ? schemas.createAccount! : schema;
  const { properties = {}, required = [] } = row;
  return Object.entries(properties).map(([member, each]) =>
    fieldOf(member, each, required.includes(member)),
  );
}

const MAKES: Readonly<Partial<Record<OperationName, Resource>>> = {
  createAccount: 'account',
  createTransaction: 'transaction',
  openPosition: 'position',
  createWebhook: 'subscription',
};

function subjectOf(path: string): Resource | undefined {
  if (!path.includes(':id')) return undefined;
  if (path.includes('/accounts/')) return 'account';
  return path.includes('/transactions/') ? 'transaction' : 'subscription';
}

const opOf = (name: OperationName): Op => {
  const { method, path, keyed } = OPERATIONS[name];
  return {
    name,
    keyed,
    isRead: method === 'GET',
    fields: fieldsOf(name),
    subject: subjectOf(path),
    makes: MAKES[name],
    scopes: scopesOf(name),
  };
};

export const OPS: Readonly<Record<OperationName, Op>> = Object.fromEntries(
  (Object.keys(OPERATIONS) as OperationName[]).map((name) => [name, opOf(name)]),
) as Record<OperationName, Op>;

/** Moves a transaction on, by its state and the owner in the query. */
export const isDecision = (name: string): boolean => /^(approve|reject|cancel)Tr/.test(name);
