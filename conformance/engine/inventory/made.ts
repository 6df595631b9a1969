// What a call made on the target, read from its answer: the same for what a run leaves behind and
// for what it is expected to.
import { type Json, memberAt } from '../send/answer.ts';

/** In the order in which they are told. */
export const KINDS = [
  'accounts',
  'bulk_accounts',
  'transactions',
  'positions',
  'subscriptions',
  'tokens',
] as const;

export type Kind = (typeof KINDS)[number];

export const kindWords: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  accounts: ['account', 'accounts'],
  bulk_accounts: ['account by bulk', 'accounts by bulk'],
  transactions: ['transaction', 'transactions'],
  positions: ['position', 'positions'],
  subscriptions: ['webhook subscription', 'webhook subscriptions'],
  tokens: ['token', 'tokens'],
};

export interface MadeRecord {
  readonly kind: Kind;
  readonly id: string;
}

export interface AnsweredCall {
  readonly method: string;
  /** From `/api/v1`, with or without a query. */
  readonly target: string;
  readonly status: number;
  readonly body: Uint8Array;
}

const SINGLE: Readonly<Record<string, Kind>> = {
  '/api/v1/accounts': 'accounts',
  '/api/v1/transactions': 'transactions',
  '/api/v1/positions/open': 'positions',
  '/api/v1/webhooks': 'subscriptions',
};

/** ACC-5, TXN-2: 200 names what was there before; a subscription's status is open (NS-7). */
export function madeBy(call: AnsweredCall): MadeRecord[] {
  return recordsOf(call, (status) => status !== 200);
}

/**
 * What a create named as there before. Every reference of a run is its own: what none of its calls
 * made until then was made by this one, on a target that breaks ACC-1.
 */
export function foundBy(call: AnsweredCall): MadeRecord[] {
  return recordsOf(call, (status) => status === 200).filter(({ kind }) => FINDABLE.has(kind));
}

const FINDABLE = new Set<Kind>(['accounts', 'bulk_accounts', 'transactions']);

function recordsOf(
  { method, target, status, body }: AnsweredCall,
  isWanted: (status: unknown) => boolean,
): MadeRecord[] {
  if (method !== 'POST' || status < 200 || status >= 300) return [];
  const path = target.split('?')[0]!;
  if (path === '/api/v1/accounts/bulk') return recordsOfRows(parsed(body), isWanted);
  if (path === '/api/v1/oauth/token') {
    // Its text is a secret and nobody is told it: each is one more.
    return [{ kind: 'tokens', id: '' }];
  }
  const kind = SINGLE[path];
  if (kind === undefined || !(isWanted(status) || kind === 'subscriptions')) return [];
  const id = idOf(parsed(body));
  return id === undefined ? [] : [{ kind, id }];
}

/** The subscription that a call put an end to. */
export function disabledBy({ method, target, status }: AnsweredCall): string | undefined {
  if (method !== 'POST' || status >= 300) return undefined;
  return /^\/api\/v1\/webhooks\/([^/?]+)\/disable$/.exec(target)?.[1];
}

function recordsOfRows(
  answer: Json | undefined,
  isWanted: (status: unknown) => boolean,
): MadeRecord[] {
  const rows = memberAt(answer, 'rows');
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row): MadeRecord[] => {
    const id = idOf(row);
    const status = memberAt(row, 'status');
    const isDone = (status === 200 || status === 201) && isWanted(status);
    return isDone && id !== undefined ? [{ kind: 'bulk_accounts', id }] : [];
  });
}

function idOf(answer: Json | undefined): string | undefined {
  const id = memberAt(answer, 'id') ?? memberAt(answer, 'position_id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

const decoder = new TextDecoder();

function parsed(body: Uint8Array): Json | undefined {
  try {
    return JSON.parse(decoder.decode(body)) as Json;
  } catch {
    return undefined;
  }
}
