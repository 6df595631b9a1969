// The exchanges of a report as an HTTP archive (HAR 1.2), for the tools that people look at traffic
// with: an entry a call, in the order of time, with its scenario as a page.
import { parseUrl } from '../../fixtures/parse-url.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import { jsonText } from './plain-text.ts';
import type { Report, ReportExchange, ReportScenario } from './report.ts';

/** What is not known in HAR. */
const UNKNOWN = -1;

export function harReport(report: Report): string {
  const startMs = Date.parse(report.started_at);
  const played = report.scenarios.filter(({ exchanges }) => exchanges.some(isCall));
  const entries = played
    .flatMap((scenario) =>
      scenario.exchanges.filter(isCall).map((exchange) => ({ scenario, exchange })),
    )
    .sort((a, b) => a.exchange.at_ms - b.exchange.at_ms)
    .map(({ scenario, exchange }) => entryOf(scenario, exchange, startMs));
  const { name, version } = report.tool;
  const log = {
    version: '1.2',
    creator: { name, version },
    pages: played.map((scenario) => pageOf(scenario, startMs)),
    entries,
    comment: `${report.target.base_url}: ${report.verdict}`,
  };
  return `${jsonText({ log }, 1)}\n`;
}

function isCall({ kind }: ReportExchange): boolean {
  return kind !== 'operator';
}

function pageOf({ id, title, exchanges, verdict, duration_ms: ms }: ReportScenario, start: number) {
  const first = Math.min(...exchanges.map(({ at_ms: atMs }) => atMs));
  return {
    startedDateTime: new Date(start + first).toISOString(),
    id,
    title: `${id}: ${title}`,
    pageTimings: { onContentLoad: UNKNOWN, onLoad: Math.round(ms) },
    comment: verdict,
  };
}

function entryOf({ id }: ReportScenario, exchange: ReportExchange, startMs: number) {
  const { n, kind, as, at_ms: atMs, duration_ms: time, request, response, failure } = exchange;
  const under = as === null ? '' : ` as ${as}`;
  const how = kind === 'delivery' ? ', a delivery to the receiver' : under;
  return {
    pageref: id,
    startedDateTime: new Date(startMs + atMs).toISOString(),
    time,
    request: requestOf(request),
    response: responseOf(response, failure),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment: `exchange ${n} of ${id}${how}`,
  };
}

function requestOf({ method, url, headers, body }: ReportExchange['request']) {
  const query = [...(parseUrl(url)?.searchParams ?? [])];
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(pair),
    queryString: query.map(pair),
    headersSize: UNKNOWN,
    bodySize: sizeOf(body),
    ...(body === null ? {} : { postData: { mimeType: typeOf(headers), text: body } }),
  };
}

/** Status 0 stands for no answer, as browsers write it. */
function responseOf(response: ReportExchange['response'], failure: string | null) {
  const { status = 0, headers = [], body = null } = response ?? {};
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(pair),
    content: { size: sizeOf(body), mimeType: typeOf(headers), text: body ?? '' },
    redirectURL: headerIn(headers, 'location'),
    headersSize: UNKNOWN,
    bodySize: sizeOf(body),
    ...(failure === null ? {} : { comment: failure }),
  };
}

function pair([name, value]: HeaderLine | readonly [string, string]) {
  return { name, value };
}

function headerIn(headers: readonly HeaderLine[], name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}

function typeOf(headers: readonly HeaderLine[]): string {
  return headerIn(headers, 'content-type');
}

function sizeOf(body: string | null): number {
  return body === null ? 0 : Buffer.byteLength(body);
}
