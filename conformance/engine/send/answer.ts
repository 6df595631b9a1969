// The response to one call: raw bytes kept, with the few readings that scenarios share.
import type { Exchange } from '../types.ts';
import { Headers } from './headers.ts';
import { idText, type Json, memberAt, parseJson } from './json.ts';
import type { WireAnswer } from './sender.ts';

export { type Json, memberAt } from './json.ts';

/** What seems to have answered: the service, its limiter, a gateway, or a service in trouble. */
type AnswerSource = 'service' | 'limit' | 'intermediary' | 'trouble';

const decoder = new TextDecoder('utf-8');

export class Answer {
  /** Number of the exchange in the report. */
  readonly n: number;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly atMs: number;
  readonly durationMs: number;
  /**
   * Whether a refusal that was provoked may come from something in front of the service: it is a
   * web page, or has no X-Request-Id although all others have one (ERR-4).
   */
  looksForeign: boolean;
  #text: string | undefined;
  #json: Json | undefined;
  #parsed = false;

  constructor(parts: WireAnswer & Pick<Exchange, 'n' | 'atMs' | 'durationMs'>) {
    this.n = parts.n;
    this.status = parts.status;
    this.headers = new Headers(parts.headers);
    this.body = parts.body;
    this.atMs = parts.atMs;
    this.durationMs = parts.durationMs;
    this.looksForeign = this.headers.mediaType() === 'text/html';
  }

  get text(): string {
    this.#text ??= decoder.decode(this.body);
    return this.#text;
  }

  /** The body as JSON, even if its content type is another; undefined if it is not JSON. */
  get json(): Json | undefined {
    if (!this.#parsed) {
      this.#parsed = true;
      this.#json = parseJson(this.text);
    }
    return this.#json;
  }

  /** The member at a dotted path (`rows.0.status`), undefined when there is none. */
  at(path: string): Json | undefined {
    return memberAt(this.json, path);
  }

  /** The id at a path as text, however it is written; undefined when there is none. */
  idAt(path: string): string | undefined {
    return idText(this.at(path));
  }

  /** Whether it shows the record of this id. */
  isOf(id: string): boolean {
    return this.idAt('id') === id;
  }

  /** The machine-readable code of a refusal, if the body is JSON with one. */
  get code(): string | undefined {
    const code = this.at('code');
    return typeof code === 'string' ? code : undefined;
  }

  /** In a few words, for reports: `409 invalid_state`, `200 application/json`. */
  get summary(): string {
    const words = this.code ?? this.headers.mediaType();
    return words === '' ? `${this.status}` : `${this.status} ${words}`;
  }

  get source(): AnswerSource {
    const { status } = this;
    if (status === 429) return 'limit';
    const isGateways = status === 502 || status === 504 || status >= 520;
    const isPage = status >= 400 && this.headers.mediaType() === 'text/html';
    if (isGateways || isPage) return 'intermediary';
    if (status === 503 && this.code !== 'write_contention') return 'intermediary';
    return status === 500 || status === 503 ? 'trouble' : 'service';
  }
}
