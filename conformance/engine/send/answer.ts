// The response to one call: raw bytes kept, with the few readings that scenarios share.
import type { RuleId } from '../types.ts';
import type { Headers } from './headers.ts';
import { idText, type Json, memberAt, parseJson } from './json.ts';

export { type Json, memberAt } from './json.ts';

/** What seems to have answered: the service, its limiter, a gateway, or a service in trouble. */
export type AnswerSource = 'service' | 'limit' | 'intermediary' | 'trouble';

export interface AnswerOptions {
  readonly n: number;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly atMs: number;
  readonly durationMs: number;
  /** Whether it lacks what all responses of this target carry. */
  readonly foreign?: boolean;
  /** Rules that every reading of it presumes. */
  readonly presumes?: readonly RuleId[];
}

const decoder = new TextDecoder('utf-8');

export class Answer {
  /** Number of the exchange in the report. */
  readonly n: number;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly atMs: number;
  readonly durationMs: number;
  /** Rules that every reading of it presumes. */
  readonly presumes: readonly RuleId[];
  readonly #parts: AnswerOptions;
  #text: string | undefined;
  #json: Json | undefined;
  #parsed = false;

  constructor(options: AnswerOptions) {
    this.n = options.n;
    this.status = options.status;
    this.headers = options.headers;
    this.body = options.body;
    this.atMs = options.atMs;
    this.durationMs = options.durationMs;
    this.presumes = options.presumes ?? [];
    this.#parts = options;
  }

  /** The same answer, readable only if these rules are kept. */
  presuming(...rules: RuleId[]): Answer {
    return new Answer({ ...this.#parts, presumes: [...this.presumes, ...rules] });
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
    if (this.code !== undefined) return `${this.status} ${this.code}`;
    const type = this.headers.mediaType();
    return type === '' ? `${this.status}` : `${this.status} ${type}`;
  }

  /**
   * Whether a refusal that was provoked may come from something in front of the service: it is a
   * web page, or has no X-Request-Id although all others have one (ERR-4).
   */
  get looksForeign(): boolean {
    return this.#parts.foreign === true || this.headers.mediaType() === 'text/html';
  }

  get source(): AnswerSource {
    if (this.status === 429) return 'limit';
    if (this.status === 502 || this.status === 504 || this.status >= 520) return 'intermediary';
    const html = this.headers.mediaType() === 'text/html';
    if (html && this.status >= 400) return 'intermediary';
    if (this.status === 503) return this.code === 'write_contention' ? 'trouble' : 'intermediary';
    if (this.status === 500) return 'trouble';
    return 'service';
  }
}
