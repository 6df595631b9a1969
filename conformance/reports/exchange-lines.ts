// An exchange in lines of text: what was sent, by whom, and what came back.
import type { HeaderLine } from '../engine/send/headers.ts';
import { printable, wrapText } from './plain-text.ts';
import type { ReportExchange } from './report.ts';
import { duration } from './verdict-words.ts';

// What tells answers apart; the rest stands in the JSON and HTML reports.
const TELLING =
  /^(content-type|etag|if-match|idempotency-key|retry-after|x-ratelimit-.*|x-request-id)$/i;
const TELLING_TOO = /^(www-authenticate|allow|location|.*signature.*|.*subscription.*)$/i;

/** A few lines that a person reads at a glance. */
export function exchangeLines(exchange: ReportExchange, width: number): string[] {
  const cut = (text: string) => {
    const line = printable(text).replaceAll('\n', '\\n');
    return line.length > width ? `${line.slice(0, width - 1)}…` : line;
  };
  const { request, response, failure } = exchange;
  const lines = [cut(`${exchange.n}. ${requestLine(exchange)}`)];
  if (exchange.kind === 'operator') {
    if (response?.body) lines.push(cut(`   → ${response.body}`));
    return lines;
  }
  for (const header of telling(request.headers)) lines.push(cut(`   ${header}`));
  lines.push(...bodyLines(request.body, '   ', width));
  if (response === null) return [...lines, cut(`   → ${failure ?? 'no answer'}`)];
  lines.push(cut(`   → ${response.status} after ${duration(exchange.duration_ms)}`));
  for (const header of telling(response.headers)) lines.push(cut(`     ${header}`));
  return [...lines, ...bodyLines(response.body, '     ', width)];
}

/** As much of a body as one takes in at a glance. */
const BODY_LINES = 4;

function bodyLines(body: string | null, margin: string, width: number): string[] {
  if (body === null) return [];
  const room = width - margin.length;
  const lines = wrapText(body.slice(0, room * (BODY_LINES + 1)), room);
  const shown = lines.slice(0, BODY_LINES).map((line) => margin + line);
  const whole = lines.length <= BODY_LINES && body.length <= room * (BODY_LINES + 1);
  return whole ? shown : [...shown.slice(0, -1), `${shown.at(-1)!.slice(0, width - 1)}…`];
}

/** `POST /api/v1/accounts as firm`, `operator: advance [30000]`. */
export function requestLine({ kind, as, request }: ReportExchange): string {
  if (kind === 'operator') return `operator: ${request.method} ${request.body ?? ''}`;
  const path = kind === 'delivery' ? request.url : pathOf(request.url);
  const who = as === null ? '' : ` as ${as}`;
  return `${kind === 'delivery' ? 'delivered: ' : ''}${request.method} ${path}${who}`;
}

export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/, '') || '/';
}

function telling(headers: readonly HeaderLine[]): string[] {
  return headers
    .filter(([name]) => TELLING.test(name) || TELLING_TOO.test(name))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`);
}
