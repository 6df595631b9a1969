// The rows of the timeline: one line each for calls, events, attempts, faults and clock moves.
import type {
  ClockShown,
  DeliveryShown,
  EnvelopeShown,
  FaultNotice,
  FaultShown,
  RequestShown,
} from '../api-client/answers.ts';
import { clockTime, duration, fullTime, plural } from '../format.ts';
import { refusalLine, refusalOf } from './refusal.ts';

export type RowKind = 'request' | 'event' | 'delivery' | 'fault' | 'clock';
export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export interface TimelineRow {
  readonly key: string;
  readonly kind: RowKind;
  readonly atMs: number;
  /** Rows of one time stand in the order of the calls they come from. */
  readonly call: number;
  /** Then a call before its events, and these before their deliveries. */
  readonly rank: number;
  readonly badge: string;
  readonly tone: Tone;
  readonly title: string;
  readonly note: string;
  /** Hints on a call: what it is about each, in a word. */
  readonly hints: readonly string[];
  readonly credential: string | null;
  readonly status: number | null;
  /** Accounts that it names. */
  readonly accounts: readonly string[];
  /** Where it is shown whole; behind the world. */
  readonly path: readonly string[] | null;
  /** Hangs on the row before it: it came of a call. */
  readonly tied: boolean;
  /** What is searched, in lower case. */
  readonly text: string;
}

export function byTime(a: TimelineRow, b: TimelineRow): number {
  return a.atMs - b.atMs || a.call - b.call || a.rank - b.rank;
}

export function toneOf(status: number | null): Tone {
  if (status === null) return 'bad';
  if (status < 300) return 'good';
  return status < 500 ? 'warn' : 'bad';
}

/** What is searched of a body: its beginning, so that thousands of rows stay small. */
const searched = 300;

export function requestRow(shown: RequestShown): TimelineRow {
  const { request, response, operation, client_name } = shown;
  const status = response?.status ?? null;
  const marks = [
    shown.idempotency === null || shown.idempotency === 'first' ? '' : shown.idempotency,
    shown.fault_id === null ? '' : `fault ${shown.fault_id}`,
    ...shown.hints.map(({ code }) => code.replaceAll('_', ' ')),
  ];
  const waits = response === null && !shown.reset;
  const refusal = response === null ? null : refusalOf(response);
  const words = [
    ...[request.method, request.target, operation, client_name, shown.key, shown.request_id],
    ...[request.body.slice(0, searched), response?.body.slice(0, searched), status, ...marks],
    ...shown.hints.flatMap(({ code, words: told }) => ['hint', code, told]),
  ];
  return {
    key: `r${shown.id}`,
    kind: 'request',
    atMs: shown.at_ms,
    call: Number(shown.id),
    rank: 0,
    badge: waits ? 'held' : shown.reset ? 'cut' : String(status),
    tone: waits ? 'quiet' : toneOf(status),
    title: `${request.method} ${request.target}`,
    note: [refusal === null ? '' : refusalLine(refusal), ...marks].filter(Boolean).join(', '),
    hints: shown.hints.map(({ code }) => code),
    credential: client_name,
    status,
    accounts: accountsOf(shown),
    path: ['timeline', 'requests', shown.id],
    tied: false,
    text: words.join(' ').toLowerCase(),
  };
}

const accountNamed = /(?:\/accounts\/|[?&]account_id=|"account_id":\s*")(\d+)/g;
const accountMade = /^\{"id":"(\d+)"/;

/** By what was sent and answered: the place, the query, the member, the id of a new one. */
function accountsOf({ operation, request, response }: RequestShown): readonly string[] {
  const answered = response?.body.slice(0, searched) ?? '';
  const said = `${request.target} ${request.body.slice(0, searched)} ${answered}`;
  const found = [...said.matchAll(accountNamed)].map(([, id]) => id ?? '');
  const made = operation === 'createAccount' ? accountMade.exec(answered)?.[1] : undefined;
  return made === undefined ? found : [...found, made];
}

export interface Origin {
  readonly call: number;
  readonly credential: string | null;
  /** Made by that call, not merely after it. */
  readonly made: boolean;
  /** The account of the event; null while that has not been heard. */
  readonly account: string | null;
}

export function eventRow(event: EnvelopeShown, seq: number, origin: Origin): TimelineRow {
  const about = event.account_id === null ? '' : `account ${event.account_id}`;
  return {
    key: `e${seq}`,
    kind: 'event',
    atMs: event.occurred_at,
    call: origin.call,
    rank: 1 + seq / 1e9,
    badge: 'event',
    tone: 'quiet',
    title: event.kind,
    note: about,
    hints: [],
    credential: origin.credential,
    status: null,
    accounts: event.account_id === null ? [] : [event.account_id],
    path: ['timeline', 'events', String(seq)],
    tied: origin.made,
    text: `${event.kind} ${event.id} ${about} ${JSON.stringify(event.data)}`
      .slice(0, 700)
      .toLowerCase(),
  };
}

/** One row for each attempt that was made. */
export function attemptRows(delivery: DeliveryShown, origin: Origin): TimelineRow[] {
  const { attempts, in_flight } = delivery;
  return attempts.map((attempt, index): TimelineRow => {
    const running = in_flight && index === attempts.length - 1 && attempt.error === null;
    const last = index === attempts.length - 1 && delivery.next_due_ms !== null;
    const next = last ? `next ${clockTime(delivery.next_due_ms ?? 0).slice(0, 8)}` : '';
    const said = attempt.error ?? '';
    return {
      key: `d${delivery.id}.${attempt.n}`,
      kind: 'delivery',
      atMs: attempt.at_ms,
      call: origin.call,
      rank: 2 + delivery.seq / 1e9 + attempt.n / 1e12,
      badge: running ? 'sent' : (attempt.status?.toString() ?? 'failed'),
      tone: running ? 'quiet' : deliveryTone(attempt.status),
      title: `${delivery.kind ?? 'event'} to subscription ${delivery.subscription_id}`,
      note: [`attempt ${attempt.n}`, said, next].filter(Boolean).join(', '),
      hints: [],
      credential: origin.credential,
      status: attempt.status,
      accounts: origin.account === null ? [] : [origin.account],
      path: ['timeline', 'deliveries', String(delivery.id)],
      tied: true,
      text: `${delivery.kind} ${delivery.event_id} ${said} attempt ${attempt.n}`.toLowerCase(),
    };
  });
}

/** Any answer but 2xx is a failure (EVT-9a). */
function deliveryTone(status: number | null): Tone {
  return status !== null && status >= 200 && status < 300 ? 'good' : 'bad';
}

export interface Now {
  readonly atMs: number;
  readonly call: number;
  /** Counts what only this page saw, so that each of them is a row of its own. */
  readonly n: number;
}

const base = { credential: null, status: null, accounts: [], hints: [], tied: false } as const;

export function faultRow(fault: FaultNotice, { atMs, call, n }: Now): TimelineRow {
  const gone = 'removed' in fault;
  const note = gone ? 'is off' : strikeWords(fault);
  return {
    ...base,
    key: `f${n}`,
    kind: 'fault',
    atMs,
    call,
    rank: 4 + n / 1e9,
    badge: 'fault',
    tone: gone ? 'quiet' : 'warn',
    title: `Fault ${fault.id}`,
    note,
    path: ['faults'],
    text: `fault ${fault.id} ${note}`.toLowerCase(),
  };
}

function strikeWords({ effect: { kind }, hits, spent }: FaultShown): string {
  if (hits === 0) return `is on: ${kind}`;
  const often = plural(hits, 'time');
  return spent ? `struck, ${kind}, ${often}, and is spent` : `struck, ${kind}, ${often} so far`;
}

export function clockRow(clock: ClockShown, before: ClockShown, now: Now): TimelineRow {
  const moved = clock.now_ms - before.now_ms;
  const title =
    clock.mode === before.mode
      ? `Clock moved to ${fullTime(clock.now_ms)}`
      : clock.mode === 'frozen'
        ? 'Clock frozen'
        : 'Clock runs';
  return {
    ...base,
    key: `c${now.n}`,
    kind: 'clock',
    atMs: clock.now_ms,
    call: now.call,
    rank: 5 + now.n / 1e9,
    badge: 'clock',
    tone: 'quiet',
    title,
    note: clock.mode === before.mode ? `by ${duration(moved)}` : '',
    path: null,
    text: title.toLowerCase(),
  };
}
