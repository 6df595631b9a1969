// One exchange: its conversion from the engine's record to a part of a report, and its printed form.
import { type HeaderLine, Headers } from '../engine/send/headers.ts';
import type { Exchange } from '../engine/types.ts';
import { printable, wrapText } from './plain-text.ts';
import type { Redactor } from './redact.ts';
import type { ReportExchange, ReportScenario } from './report.ts';
import { duration } from './verdict-words.ts';

/** Requests are kept whole so that they can be sent again; responses only have to be readable. */
const LONGEST_REQUEST = 1024 * 1024;
const LONGEST_RESPONSE = 64 * 1024;

const decoder = new TextDecoder('utf-8');

export function reportExchange(exchange: Exchange, redactor: Redactor): ReportExchange {
  const { n, kind, as, request, response, failure } = exchange;
  const headers = (lines: readonly HeaderLine[]) =>
    lines.map(([name, value]): HeaderLine => [name, redactor.header(name, value)]);
  const body = (bytes: Uint8Array | undefined, longest: number) =>
    bytes === undefined || bytes.length === 0
      ? null
      : clipped(redactor.text(decoder.decode(bytes)), longest);
  const tenths = (ms: number) => Math.round(ms * 10) / 10;
  return {
    ...{ n, kind, as },
    request: {
      method: request.method,
      url: redactor.text(request.url),
      headers: headers(request.headers),
      body: body(request.body, LONGEST_REQUEST),
    },
    response: response && {
      status: response.status,
      headers: headers(response.headers),
      body: body(response.body, LONGEST_RESPONSE),
    },
    failure: failure && redactor.text(failure),
    at_ms: tenths(exchange.atMs),
    duration_ms: tenths(exchange.durationMs),
  };
}

export function clipped(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest)}… (${text.length} characters in all)`;
}

// The headers that distinguish responses; the JSON and HTML reports have the others.
const SHOWN_HEADERS =
  /^(content-type|etag|if-match|idempotency-key|retry-after|x-ratelimit-.*|x-request-id|www-authenticate|allow|location|.*signature.*|.*subscription.*)$/i;
/** The number of printed lines of a body, and of its characters. */
const BODY_LINES = 4;
const LONGEST_BODY = 640;
const LONGEST_LINE = 700;

/** A few lines that can be read at a glance; only a terminal has a width. */
export function exchangeLines(exchange: ReportExchange, width = Number.POSITIVE_INFINITY) {
  const { n, kind, response, failure, duration_ms: ms } = exchange;
  if (kind === 'operator') {
    const result = response?.body ? [cut(`   → ${response.body}`, width)] : [];
    return [cut(`${n}. ${requestLine(exchange)}`, width), ...result];
  }
  const lines = requestLines(exchange, width);
  if (response === null) return [...lines, cut(`   → ${failure ?? 'no response'}`, width)];
  lines.push(cut(`   → ${response.status} after ${duration(ms)}`, width));
  lines.push(...shownHeaders(response.headers).map((header) => cut(`     ${header}`, width)));
  return [...lines, ...bodyLines(response.body, '     ', width)];
}

export function requestLines(exchange: SentExchange, width: number): string[] {
  const { n, request } = exchange;
  const chunked = request.headers.filter(([name]) => name === 'transfer-encoding');
  const sent = [...shownHeaders(request.headers), ...chunked.map((each) => each.join(': '))];
  return [
    cut(`${n}. ${requestLine(exchange)}`, width),
    ...sent.map((header) => cut(`   ${header}`, width)),
    ...bodyLines(request.body, '   ', width),
  ];
}

type SentExchange = Pick<ReportExchange, 'n' | 'kind' | 'as' | 'request'>;

/** One call of a client with its time and the result, in two lines. */
export function timelineLines(exchange: ReportExchange, width = Number.POSITIVE_INFINITY) {
  const margin = ' '.repeat(12);
  return [
    cut(`${clock(exchange.at_ms)}  ${exchange.n}. ${requestLine(exchange)}`, width),
    cut(`${margin}   → ${resultLine(exchange)}`, width),
  ];
}

/** How the command of a client ended. */
export function endingLine({ at_ms: atMs, words }: NonNullable<ReportScenario['ending']>): string {
  return `${clock(atMs)}  the command ${words}`;
}

/** The response that the client received, and how long it took. */
function resultLine(exchange: ReportExchange): string {
  const { response, failure, note, abandoned_at_ms: leftAtMs } = exchange;
  const left =
    leftAtMs === undefined ? '' : `; the client stopped waiting at ${clock(leftAtMs).trim()}`;
  const took = ` after ${duration(exchange.duration_ms)}${left}`;
  if (response === null) return `${failure ?? 'no response'}${took}`;
  const wait = new Headers(response.headers).get('retry-after');
  const status = `${response.status}${wait === undefined ? '' : `, Retry-After: ${wait}`}${took}`;
  return note === undefined ? status : `${status} (${note})`;
}

/** `  +0.213 s`. */
function clock(ms: number): string {
  return `+${(ms / 1000).toFixed(3)} s`.padStart(10);
}

/** The beginning and end of a long key. */
export function shortKey(key: string | null): string {
  if (key === null) return 'no key';
  return key.length <= 16 ? key : `${key.slice(0, 8)}…${key.slice(-4)}`;
}

function cut(text: string, width: number): string {
  const line = printable(text).replaceAll('\n', '\\n');
  const most = Math.min(width, LONGEST_LINE);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function bodyLines(body: string | null, margin: string, width: number): string[] {
  if (body === null) return [];
  const room = width - margin.length;
  const lines = wrapText(body.slice(0, LONGEST_BODY), room);
  const shown = lines.slice(0, BODY_LINES).map((line) => margin + line);
  const isWhole = lines.length <= BODY_LINES && body.length <= LONGEST_BODY;
  return isWhole ? shown : [...shown.slice(0, -1), `${shown.at(-1)!.slice(0, width - 1)}…`];
}

/** `POST /api/v1/accounts as firm`, or with the key and the tag of a client's call. */
function requestLine({ kind, as, request }: SentExchange): string {
  const { method, url, body } = request;
  if (kind === 'operator') return `operator: ${method} ${body ?? ''}`;
  if (kind === 'delivery') return `delivery: ${method} ${url}`;
  if (as !== null) return `${method} ${pathOf(url)} as ${as}`;
  const headers = new Headers(request.headers);
  const [key, tag] = [headers.get('idempotency-key'), headers.get('if-match')];
  return [
    `${method} ${pathOf(url)}`,
    ...(key === undefined ? [] : [`key ${shortKey(key)}`]),
    ...(tag === undefined ? [] : [`If-Match ${tag}`]),
  ].join('  ');
}

export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/, '') || '/';
}

function shownHeaders(headers: readonly HeaderLine[]): string[] {
  return headers
    .filter(([name]) => SHOWN_HEADERS.test(name))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`);
}
