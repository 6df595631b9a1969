// One exchange of the engine as a report shows it: bodies as text, clipped and redacted.
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Exchange } from '../engine/types.ts';
import type { Redactor } from './redact.ts';
import type { ReportExchange } from './report.ts';

/** A request is kept whole, so that it can be sent again; an answer need only be read. */
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
  return {
    n,
    kind,
    as,
    request: {
      method: request.method,
      url: redactor.text(request.url),
      headers: headers(request.headers),
      body: body(request.body, LONGEST_REQUEST),
    },
    response:
      response === null
        ? null
        : {
            status: response.status,
            headers: headers(response.headers),
            body: body(response.body, LONGEST_RESPONSE),
          },
    failure: failure === null ? null : redactor.text(failure),
    at_ms: Math.round(exchange.atMs * 10) / 10,
    duration_ms: Math.round(exchange.durationMs * 10) / 10,
  };
}

export function clipped(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest)}… (${text.length} characters in all)`;
}
