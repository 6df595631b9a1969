// One call of the API with its answer, parsed in the same way everywhere.
import { OPERATIONS, type OperationName, operationOf } from '../../spec/operations.ts';
import type { Exchange } from '../types.ts';
import { Headers } from './headers.ts';
import { idText, isObject, type Json, memberAt, parseJson, textOf } from './json.ts';

export { type Json, memberAt } from './json.ts';

type Recorded = Pick<Exchange, 'request' | 'response'> &
  Partial<Pick<Exchange, 'n' | 'atMs' | 'durationMs'>>;

export class Answer {
  /** Number of the exchange in the report. */
  readonly n: number;
  /** 0 if no answer came. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  /** The path of the request from `/api/v1` on, without the query. */
  readonly path: string;
  readonly operation: OperationName | undefined;
  /**
   * Whether a provoked refusal may come from something in front of the service: it is an HTML page,
   * or lacks an X-Request-Id that all other answers have (ERR-4).
   */
  looksForeign: boolean;
  readonly #request: Exchange['request'];
  readonly #read = new Map<'answer' | 'request', Json | undefined>();

  constructor({ request, response, n = 0, atMs = 0, durationMs = 0 }: Recorded) {
    this.n = n;
    this.status = response?.status ?? 0;
    this.headers = new Headers(response?.headers);
    this.body = response?.body ?? new Uint8Array();
    this.atMs = atMs;
    this.durationMs = durationMs;
    this.method = request.method;
    this.path = apiPathOf(request.url);
    this.operation = operationOf(this.method, this.path);
    this.looksForeign = this.headers.mediaType() === 'text/html';
    this.#request = request;
  }

  get text(): string {
    return textOf(this.body);
  }

  /** The body as JSON, even if its content type is another; undefined if it is not JSON. */
  get json(): Json | undefined {
    return this.#parsed('answer', this.body);
  }

  /** The members of a JSON object; none if the body is anything else. */
  get members(): { readonly [name: string]: Json } {
    return isObject(this.json) ? this.json : {};
  }

  /** The request body as text. */
  get sentText(): string {
    return textOf(this.#request.body);
  }

  /** The request body as JSON; undefined if it is not JSON. */
  get sent(): Json | undefined {
    return this.#parsed('request', this.#request.body);
  }

  #parsed(which: 'answer' | 'request', bytes: Uint8Array | undefined): Json | undefined {
    if (!this.#read.has(which)) this.#read.set(which, parseJson(bytes ?? ''));
    return this.#read.get(which);
  }

  get isServed(): boolean {
    return this.status > 0 && this.status < 300;
  }

  /** Refused with a 4xx. */
  get isRefused(): boolean {
    return this.status >= 400 && this.status < 500;
  }

  /** The Idempotency-Key that was sent. */
  get key(): string | undefined {
    return new Headers(this.#request.headers).get('idempotency-key');
  }

  get authorization(): string {
    return new Headers(this.#request.headers).get('authorization') ?? '';
  }

  /** The id in the path; for an unknown operation, the text at its position. */
  get namedId(): string | undefined {
    const { operation } = this;
    if (operation !== undefined && !OPERATIONS[operation].path.includes(':id')) return undefined;
    const [, , , , id] = this.path.split('/');
    try {
      return id === undefined ? undefined : decodeURIComponent(id);
    } catch {
      return id;
    }
  }

  /** The member at a dotted path (`rows.0.status`); undefined if there is none. */
  at(path: string): Json | undefined {
    return memberAt(this.json, path);
  }

  /** The id at a path as text, even if it is a JSON number; undefined if there is none. */
  idAt(path: string): string | undefined {
    return idText(this.at(path));
  }

  /** Whether it shows the record with this id. */
  isOf(id: string): boolean {
    return this.idAt('id') === id;
  }

  /** The machine-readable code of a refusal, if the body is JSON with one. */
  get code(): string | undefined {
    const code = this.at('code');
    return typeof code === 'string' ? code : undefined;
  }

  /** A short description for reports: `409 invalid_state`, `200 application/json`. */
  get summary(): string {
    const words = this.code ?? this.headers.mediaType();
    return words === '' ? `${this.status}` : `${this.status} ${words}`;
  }

  /** The summary of a refusal with its own words: `422 validation_failed: side is required`. */
  get refusal(): string {
    const isPlain = this.headers.mediaType() === 'text/plain';
    const detail = isPlain ? this.text : this.at('detail');
    if (typeof detail !== 'string') return this.summary;
    return `${this.summary}: ${detail.slice(0, 200).trim().replace(/\.$/, '')}`;
  }

  /** Its likely source: the service, its limiter, a gateway, or a failing service. */
  get source(): 'service' | 'limit' | 'intermediary' | 'trouble' {
    const { status } = this;
    if (status === 429) return 'limit';
    const isGateways = status === 502 || status === 504 || status >= 520;
    const isPage = status >= 400 && this.headers.mediaType() === 'text/html';
    if (isGateways || isPage) return 'intermediary';
    if (status === 503 && this.code !== 'write_contention') return 'intermediary';
    return status === 500 || status === 503 || this.#hasContendedRow ? 'trouble' : 'service';
  }

  /** IDEM-6b: a row that met contention may land when its batch is sent again. */
  get #hasContendedRow(): boolean {
    if (this.operation !== 'bulkCreateAccounts' || !this.isServed) return false;
    const codes = [this.at('rows')].flat().map((row) => memberAt(row, 'code'));
    return codes.includes('write_contention');
  }
}

/** The calls among these exchanges. */
export function callsIn(exchanges: readonly Exchange[]): Answer[] {
  return exchanges.filter(({ kind }) => kind === 'call').map((each) => new Answer(each));
}

/** The path from `/api/v1` on, without the query; the whole path of any other URL. */
function apiPathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, '').split('?')[0]!;
  return /\/api\/v1(\/.*)?$/.exec(path)?.[0] ?? path;
}
