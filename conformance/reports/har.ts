// The exchanges of a report as an HTTP archive (HAR 1.2), for the tools that people look at traffic
// with: an entry for each call, in the order of time, with its scenario as a page.
import { parseUrl } from '../../fixtures/parse-url.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import { jsonText } from './plain-text.ts';
import type { Report, ReportExchange, ReportScenario } from './report.ts';

/** What is not known in HAR. */
const UNKNOWN = -1;

export function harReport({ scenarios, started_at: startedAt, tool, target, verdict }: Report) {
  const startMs = Date.parse(startedAt);
  const at = (ms: number) => new Date(startMs + ms).toISOString();
  const played = scenarios
    .map((each) => ({ ...each, calls: each.exchanges.filter(({ kind }) => kind !== 'operator') }))
    .filter(({ calls }) => calls.length > 0);
  const pages = played.map(({ id, title, calls, verdict: comment, duration_ms: ms }) => ({
    startedDateTime: at(Math.min(...calls.map(({ at_ms: atMs }) => atMs))),
    id,
    title: `${id}: ${title}`,
    pageTimings: { onContentLoad: UNKNOWN, onLoad: Math.round(ms) },
    comment,
  }));
  const entries = played
    .flatMap((scenario) => scenario.calls.map((exchange) => ({ scenario, exchange })))
    .sort((a, b) => a.exchange.at_ms - b.exchange.at_ms)
    .map(({ scenario, exchange }) => ({
      startedDateTime: at(exchange.at_ms),
      ...entryOf(scenario, exchange),
    }));
  const creator = { name: tool.name, version: tool.version };
  const comment = `${target.base_url}: ${verdict}`;
  return `${jsonText({ log: { version: '1.2', creator, pages, entries, comment } }, 1)}\n`;
}

function entryOf({ id }: ReportScenario, exchange: ReportExchange) {
  const { n, kind, as, duration_ms: time, request, response, failure } = exchange;
  const caller = as === null ? '' : ` as ${as}`;
  const how = kind === 'delivery' ? ', a delivery to the receiver' : caller;
  const { method, url } = request;
  // Status 0 stands for no response, as browsers write it.
  const { status, ...answer } = response ?? { status: 0, headers: [], body: null };
  const { mimeType, text } = contentOf(answer);
  return {
    pageref: id,
    time,
    request: {
      ...{ method, url, ...messageOf(request) },
      queryString: [...(parseUrl(url)?.searchParams ?? [])].map(pair),
      ...(request.body === null ? {} : { postData: contentOf(request) }),
    },
    response: {
      ...{ status, statusText: '', ...messageOf(answer) },
      content: { size: sizeOf(answer.body), mimeType, text },
      redirectURL: headerIn(answer.headers, 'location'),
      ...(failure === null ? {} : { comment: failure }),
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment: `exchange ${n} of ${id}${how}`,
  };
}

type Message = Pick<ReportExchange['request'], 'headers' | 'body'>;

function messageOf({ headers, body }: Message) {
  const sizes = { headersSize: UNKNOWN, bodySize: sizeOf(body) };
  return { httpVersion: 'HTTP/1.1', cookies: [], headers: headers.map(pair), ...sizes };
}

function contentOf({ headers, body }: Message) {
  return { mimeType: headerIn(headers, 'content-type'), text: body ?? '' };
}

function pair([name, value]: HeaderLine | readonly [string, string]) {
  return { name, value };
}

function headerIn(headers: readonly HeaderLine[], name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}

function sizeOf(body: string | null): number {
  return body === null ? 0 : Buffer.byteLength(body);
}
