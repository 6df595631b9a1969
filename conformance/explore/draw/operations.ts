// The operations as data, derived from the request schemas: the members of a body, the records that a
// call uses and creates, and its scopes. A new member of a record needs no change here.
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import {
  requestSchemas,
  sideSchema,
  transactionMethodSchema,
  transactionTypeSchema,
} from '../../../fixtures/schemas.ts';
import { OPERATIONS, type OperationName } from '../../spec/operations.ts';

/** The kind of value in a member, which decides the values that are worth trying. */
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
  readonly words: readonly string[];
}

export interface Op {
  readonly name: OperationName;
  readonly keyed: boolean;
  readonly isRead: boolean;
  /** Members of the body, or of each row of a batch. */
  readonly fields: readonly Field[];
  readonly subject: Resource | undefined;
  readonly makes: Resource | undefined;
  /** Any one of these scopes is enough; empty: any valid token. */
  readonly scopes: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  client_reference_id: 'reference',
  email: 'email',
  phone: 'phone',
  phone_region: 'region',
  amount: 'decimal',
  volume: 'decimal',
  currency: 'currency',
  url: 'url',
};

const WORDS: Readonly<Record<string, readonly string[]>> = {
  method: transactionMethodSchema.enum,
  transaction_type: transactionTypeSchema.enum,
  side: sideSchema.enum,
  event_categories: eventCategories,
};

const MAKES: Readonly<Partial<Record<OperationName, Resource>>> = {
  createAccount: 'account',
  createTransaction: 'transaction',
  openPosition: 'position',
  createWebhook: 'subscription',
};

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function kindOf(name: string, { type = [] }: Schema): Kind {
  const known = KINDS[name];
  if (known !== undefined) return known;
  const types = [type].flat();
  if (types.includes('array')) return 'list';
  if (types.includes('boolean')) return 'flag';
  if (WORDS[name] !== undefined) return 'word';
  return /(^|_)id$/.test(name) ? 'id' : 'text';
}

function fieldsOf(name: OperationName): readonly Field[] {
  const schemas: Readonly<Partial<Record<OperationName, Schema>>> = requestSchemas;
  const schema = name === 'bulkCreateAccounts' ? schemas.createAccount : schemas[name];
  // NS-8: the token endpoint has its own form of request.
  if (schema === undefined || name === 'issueToken') return [];
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([member, each]) => ({
    ...{ name: member, kind: kindOf(member, each), required: required.includes(member) },
    words: WORDS[member] ?? [],
  }));
}

function subjectOf(path: string): Resource | undefined {
  if (!path.includes(':id')) return undefined;
  if (path.includes('/accounts/')) return 'account';
  return path.includes('/transactions/') ? 'transaction' : 'subscription';
}

function opOf(name: OperationName): Op {
  const { method, path, keyed, scopes } = OPERATIONS[name];
  const [isRead, makes] = [method === 'GET', MAKES[name]];
  return { name, keyed, isRead, scopes, fields: fieldsOf(name), subject: subjectOf(path), makes };
}

export const EVERY_OPERATION = Object.keys(OPERATIONS) as OperationName[];

export const OPS = Object.fromEntries(
  EVERY_OPERATION.map((name) => [name, opOf(name)]),
) as Readonly<Record<OperationName, Op>>;
