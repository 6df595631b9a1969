// What comes in and what goes out: the bytes of a request, the answer to it, and the decision
// behind the answer.
import type { QuestionId } from '../../fixtures/questions.ts';
import type { RuleId } from '../../fixtures/rules.ts';
import type { Change } from './change.ts';

/** A rule, or an open question where the specification is silent, that an answer rests on. */
export type Cite = RuleId | QuestionId;

/**
 * A request as a transport received it. Header names are lower case; the body is not yet parsed.
 */
export interface Call {
  readonly method: string;
  /** Path and query as sent, for example `/api/v1/accounts?limit=2`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  /** More bytes came than the transport keeps; `body` is then empty (NS-15). */
  readonly oversize?: boolean;
  /** It asks for a WebSocket, and came over a transport that can switch to one (NS-12). */
  readonly upgrade?: boolean;
}

/**
 * What the host found out for a call because core may not wait: none of it is decided by the host.
 */
export interface Facts {
  /** Addresses that the hostname in a webhook url resolves to; null when nobody looked. */
  readonly addresses: readonly string[] | null;
}

export const noFacts: Facts = { addresses: null };

export type ContentType =
  | 'application/json'
  | 'application/problem+json'
  | 'text/plain'
  | 'text/html';

/** An answer. The body is text that is sent, stored and replayed exactly as it is (IDEM-4b). */
export interface Reply {
  readonly status: number;
  readonly contentType: ContentType | null;
  readonly body: string;
  /** The strong entity tag with its quotes, on account answers (ACC-19). */
  readonly etag?: string | undefined;
  /** Further headers by lower-case name, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** It stands for the answer of a gateway: none of the platform's headers are on it. */
  readonly isForeign?: true;
}

/**
 * An answer, the changes to the world that go with it, and the rules and open questions it rests
 * on.
 */
export interface Decision {
  readonly reply: Reply;
  readonly changes: readonly Change[];
  readonly cites: readonly Cite[];
}

/**
 * Work that decides row by row, each row seeing what the rows before it did (BULK-8, BULK-12).
 * `answer` makes the one reply out of the rows' replies.
 */
export interface Batch {
  readonly rows: number;
  readonly decideRow: (index: number) => Decision;
  readonly answer: (replies: readonly Reply[]) => Reply;
  readonly cites: readonly Cite[];
}

/** The headers of an answer, `X-Request-Id` included where it is the platform's own (ERR-4). */
export function replyHeaders(reply: Reply, requestId: string): Record<string, string> {
  const headers: Record<string, string> =
    reply.isForeign === true ? {} : { 'x-request-id': requestId };
  if (reply.contentType !== null) headers['content-type'] = contentTypeHeader[reply.contentType];
  if (reply.etag !== undefined) headers.etag = reply.etag;
  if (reply.headers !== undefined) Object.assign(headers, reply.headers);
  return headers;
}

const contentTypeHeader: Record<ContentType, string> = {
  'application/json': 'application/json; charset=utf-8',
  'application/problem+json': 'application/problem+json; charset=utf-8',
  'text/plain': 'text/plain; charset=utf-8',
  'text/html': 'text/html',
};
