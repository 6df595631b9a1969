// Requests and responses: the bytes of a request, the answer to it, and the decision behind
// the answer.
import type { QuestionId } from '../../fixtures/questions.ts';
import type { RuleId } from '../../fixtures/rules.ts';
import type { Change } from './change.ts';
import {
  flag,
  listOf,
  mapOf,
  ofType,
  oneOf,
  orNull,
  record,
  text,
  type ValueOf,
} from './record-kit.ts';

/** A rule, or an open question where the specification is silent, that an answer rests on. */
export type Cite = RuleId | QuestionId;

/** A request whose body is written as base64. */
export const suspendedRequestSchema = record({
  method: text,
  /** Path and query as sent, for example `/api/v1/accounts?limit=2`. */
  target: text,
  /** In a state, the values of repeated headers are one text or a list of texts. */
  headers: ofType<Readonly<Record<string, string | string[] | undefined>>>(
    mapOf(ofType<string | string[]>({ type: ['string', 'array'], items: text })),
  ),
  /** The body is larger than the transport accepts; `body` is then empty (NS-15). */
  'oversize?': flag,
  /** The call asks for a WebSocket, and its transport can upgrade to one (NS-12). */
  'upgrade?': flag,
  body: text,
});

/** A request as it was received. Header names are lower case; the body is not yet parsed. */
export interface Call extends Omit<ValueOf<typeof suspendedRequestSchema>, 'body'> {
  readonly body: Uint8Array;
}

export const factsSchema = record({
  /** Addresses that the hostname in a webhook url resolves to; null if it was not looked up. */
  addresses: orNull(listOf(text)),
  /** The clock stands until it is advanced; only hints read it. */
  'frozen?': flag,
});
/** What the host knows about a call and core cannot: look-ups, which take time, and the clock. */
export type Facts = ValueOf<typeof factsSchema>;

export const noFacts: Facts = { addresses: null };

const contentTypeHeader = {
  'application/json': 'application/json; charset=utf-8',
  'application/problem+json': 'application/problem+json; charset=utf-8',
  'text/plain': 'text/plain; charset=utf-8',
  'text/html': 'text/html',
} as const;

type ContentType = keyof typeof contentTypeHeader;

const headerValue = ofType<string>({
  type: 'string',
  pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
  description: 'It is the value of a header.',
});

export const replySchema = record({
  status: ofType<number>({ type: 'integer', minimum: 100, maximum: 999 }),
  contentType: orNull(oneOf(...(Object.keys(contentTypeHeader) as ContentType[]))),
  body: text,
  /** The strong entity tag with its quotes, on account answers (ACC-19). */
  'etag?': ofType<string | undefined>(headerValue),
  /** Further headers by lower-case name, such as `retry-after`. */
  'headers?': ofType<Readonly<Record<string, string>> | undefined>(mapOf(headerValue)),
  /** The response of a gateway in front of the platform, without the platform's headers. */
  'isForeign?': ofType<true>(flag),
});
/** An answer. The body is text that is sent, stored and replayed exactly as it is (IDEM-4b). */
export type Reply = ValueOf<typeof replySchema>;

/** A response, the changes to the world with it, and the rules and questions it rests on. */
export interface Decision {
  readonly reply: Reply;
  readonly changes: readonly Change[];
  readonly cites: readonly Cite[];
}

/**
 * Rows that run in order, each seeing those before it (BULK-8, BULK-12); `answer` joins replies.
 */
export interface Batch {
  readonly rows: number;
  readonly decideRow: (index: number) => Decision;
  readonly answer: (replies: readonly Reply[]) => Reply;
  readonly cites: readonly Cite[];
}

/** The headers of an answer, with `X-Request-Id` if the platform itself answered (ERR-4). */
export function replyHeaders(reply: Reply, requestId: string): Record<string, string> {
  const headers: Record<string, string> =
    reply.isForeign === true ? {} : { 'x-request-id': requestId };
  if (reply.contentType !== null) headers['content-type'] = contentTypeHeader[reply.contentType];
  if (reply.etag !== undefined) headers.etag = reply.etag;
  if (reply.headers !== undefined) Object.assign(headers, reply.headers);
  return headers;
}

/** The ids if they contributed to the decision, otherwise none. */
export function citesIf(hadPart: boolean, ...ids: readonly Cite[]): readonly Cite[] {
  return hadPart ? ids : [];
}
