// The rows of the timeline: one line for each request, event and attempt to deliver.
import type { RequestShown } from '../simulator/control/journal.ts';
import type { DeliveryShown } from '../simulator/control/records.ts';
import { clockTime, parseJson } from './format.ts';
import { type Place, placeOf, type Tone } from './kit.tsx';

/** An event as it is delivered, with the sequence number under the name of the settings (NS-9). */
export interface EnvelopeShown {
  readonly id: string;
  readonly kind: string;
  readonly occurred_at: number;
  readonly account_id: string | null;
  readonly data: unknown;
  readonly [name: string]: unknown;
}

export type RowKind = 'request' | 'event' | 'delivery';

export interface TimelineRow {
  readonly key: string;
  readonly kind: RowKind;
  readonly atMs: number;
  /** Rows of the same time are sorted by the requests that they belong to. */
  readonly request: number;
  /** Within one request: the request, then its events, then their deliveries. */
  readonly rank: number;
  readonly badge: string;
  readonly tone: Tone;
  readonly title: string;
  readonly note: string;
  readonly hints: number;
  readonly credential: string | null;
  /** Ids of the accounts that the row names. */
  readonly accounts: readonly string[];
  /** The place of its details. */
  readonly path: Place;
  /** Belongs to the request above it. */
  readonly isTied: boolean;
  /** The searched text, in lower case. */
  readonly text: string;
}

export const byTime = (a: TimelineRow, b: TimelineRow) =>
  a.atMs - b.atMs || a.request - b.request || a.rank - b.rank;

export function toneOf(status: number | null): Tone {
  if (status === null) return 'bad';
  if (status < 300) return 'good';
  return status < 500 ? 'warn' : 'bad';
}

/** How much of a body is searched: thousands of rows must stay small in memory. */
const searchedLength = 300;

export function requestRow(shown: RequestShown): TimelineRow {
  const { request, response, operation, client_name } = shown;
  const status = response?.status ?? null;
  const isHeld = response === null && !shown.reset;
  const marks = [
    response === null ? '' : refusalLine(refusalOf(response)),
    shown.idempotency === 'first' ? '' : shown.idempotency,
    shown.fault_id === null ? '' : `fault ${shown.fault_id}`,
    ...shown.hints.map(({ code }) => code.replaceAll('_', ' ')),
  ].filter(Boolean);
  const bodies = [request.body, response?.body ?? ''].map((body) => body.slice(0, searchedLength));
  const searched = [
    ...[request.method, request.target, operation, client_name, shown.key, shown.request_id],
    ...[...bodies, status, status === null ? 'no response' : `${String(status)[0]}xx`, ...marks],
    ...shown.hints.flatMap(({ code, words }) => ['hint', code, words]),
  ];
  return {
    key: `r${shown.id}`,
    kind: 'request',
    atMs: shown.at_ms,
    request: Number(shown.id),
    rank: 0,
    badge: isHeld ? 'held' : shown.reset ? 'cut' : String(status),
    tone: isHeld ? 'quiet' : toneOf(status),
    title: `${request.method} ${request.target}`,
    note: marks.join(', '),
    hints: shown.hints.length,
    credential: client_name,
    accounts: accountsIn(`${request.target} ${bodies.join(' ')}`, operation, bodies[1] ?? ''),
    path: placeOf.request(shown.id),
    isTied: false,
    text: searched.join(' ').toLowerCase(),
  };
}

const namedAccount = /(?:\/accounts\/|[?&]account_id=|"account_id":\s*")(\d+)/g;

/** Accounts in the path, the query and the bodies, and the one that was created. */
function accountsIn(text: string, operation: string | null, answer: string): readonly string[] {
  const created = operation === 'createAccount' ? /^\{"id":"(\d+)"/.exec(answer) : null;
  const found = [...text.matchAll(namedAccount), ...(created === null ? [] : [created])];
  return found.map(([, id]) => id ?? '');
}

/** The request that an event belongs to. */
export interface Origin {
  readonly request: number;
  readonly credential: string | null;
  /** The request caused the event; otherwise the event only comes after it. */
  readonly isItsEvent: boolean;
  readonly account: string | null;
}

export function eventRow(event: EnvelopeShown, seq: number, origin: Origin): TimelineRow {
  const about = event.account_id === null ? '' : `account ${event.account_id}`;
  const text = `${event.kind} ${event.id} ${about} ${JSON.stringify(event.data)}`;
  return {
    key: `e${seq}`,
    kind: 'event',
    atMs: event.occurred_at,
    request: origin.request,
    rank: 1 + seq / 1e9,
    badge: 'event',
    tone: 'quiet',
    title: event.kind,
    note: about,
    hints: 0,
    credential: origin.credential,
    accounts: event.account_id === null ? [] : [event.account_id],
    path: placeOf.event(seq),
    isTied: origin.isItsEvent,
    text: text.slice(0, 2 * searchedLength).toLowerCase(),
  };
}

/** Any response except 2xx is a failure (EVT-9a). */
export const isDelivered = (status: number | null) =>
  status !== null && status >= 200 && status < 300;

/** One row for each attempt. */
export function attemptRows(delivery: DeliveryShown, origin: Origin): TimelineRow[] {
  const { attempts, in_flight, next_due_ms: dueMs } = delivery;
  return attempts.map(({ n, at_ms, status, error }, index): TimelineRow => {
    const isLast = index === attempts.length - 1;
    const isRunning = in_flight && isLast && error === null;
    const next = isLast && dueMs !== null ? `next ${clockTime(dueMs).slice(0, 8)}Z` : '';
    return {
      key: `d${delivery.id}.${n}`,
      kind: 'delivery',
      atMs: at_ms,
      request: origin.request,
      rank: 2 + delivery.seq / 1e9 + n / 1e12,
      badge: isRunning ? 'sent' : String(status ?? 'failed'),
      tone: isRunning ? 'quiet' : isDelivered(status) ? 'good' : 'bad',
      title: `${delivery.kind ?? 'event'} to subscription ${delivery.subscription_id}`,
      note: [`attempt ${n}`, error, next].filter(Boolean).join(', '),
      hints: 0,
      credential: origin.credential,
      accounts: origin.account === null ? [] : [origin.account],
      path: placeOf.delivery(String(delivery.id)),
      isTied: true,
      text: `${delivery.kind} ${delivery.event_id} ${status} ${error ?? ''} attempt ${n}`.toLowerCase(),
    };
  });
}

export interface Refusal {
  /** null for a refusal that is not a problem document. */
  readonly code: string | null;
  readonly fields: readonly string[];
  readonly words: string;
}

/** Why a request was refused; null if it was not, or if the response gives no reason. */
export function refusalOf(response: NonNullable<RequestShown['response']>): Refusal | null {
  const { status, body, headers } = response;
  if (status < 400) return null;
  const type = String((headers as Readonly<Record<string, unknown>>)['content-type'] ?? '');
  if (type.startsWith('text/plain')) {
    return { code: null, fields: [], words: body.trim().split('\n')[0] ?? '' };
  }
  const problem = type.startsWith('application/problem+json') ? parseJson(body) : null;
  const { code, detail, errors } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string') return null;
  const fields = (Array.isArray(errors) ? errors : []).map((error: unknown) =>
    typeof error === 'string' ? error : (error as { field?: unknown } | null)?.field,
  );
  return {
    code,
    fields: [...new Set(fields.filter((field) => typeof field === 'string'))],
    words: typeof detail === 'string' ? detail : '',
  };
}

/** `validation_failed · email: email must contain an @.` */
function refusalLine(refusal: Refusal | null): string {
  if (refusal === null) return '';
  const head = [refusal.code, refusal.fields.join(', ')].filter(Boolean).join(' · ');
  return [head, refusal.words.replace(/\.$/, '')].filter(Boolean).join(': ');
}

export interface Filter {
  readonly kinds: readonly RowKind[];
  /** Id of an account; empty for any. */
  readonly account: string;
  readonly text: string;
}

export const kindWords = [
  ['request', 'Requests'],
  ['event', 'Events'],
  ['delivery', 'Deliveries'],
] as const satisfies readonly (readonly [RowKind, string])[];

export const everything: Filter = {
  kinds: kindWords.map(([kind]) => kind),
  account: '',
  text: '',
};

/** The rows that match a filter, newest first. */
export function filterRows(rows: readonly TimelineRow[], filter: Filter): TimelineRow[] {
  const { kinds, account, text } = filter;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (row: TimelineRow) =>
    kinds.includes(row.kind) &&
    (account === '' || row.accounts.includes(account)) &&
    words.every((word) => row.text.includes(word));
  return rows.filter(isWanted).reverse();
}
