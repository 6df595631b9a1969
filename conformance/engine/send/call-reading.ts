// One call of the API and its answer, read in one way by everything that looks at it: the monitor,
// attribution, crashes, the inventory and its guard.
import { OPERATIONS, type OperationName, operationOf } from '../../spec/operations.ts';
import type { Exchange } from '../types.ts';
import { Answer } from './answer.ts';
import { apiPathOf } from './client.ts';
import { Headers } from './headers.ts';
import { type Json, parseJson } from './json.ts';

type Recorded = Pick<Exchange, 'request' | 'response'> &
  Partial<Pick<Exchange, 'n' | 'atMs' | 'durationMs'>>;

export class CallReading {
  readonly n: number;
  readonly method: string;
  /** From `/api/v1` on, without the query. */
  readonly path: string;
  readonly operation: OperationName | undefined;
  readonly answer: Answer | undefined;
  readonly #request: Exchange['request'];
  #body: Json | undefined;
  #isParsed = false;

  constructor({ request, response, n = 0, atMs = 0, durationMs = 0 }: Recorded) {
    this.n = n;
    this.method = request.method;
    this.path = apiPathOf(request.url);
    this.operation = operationOf(this.method, this.path);
    this.answer = response === null ? undefined : new Answer({ ...response, n, atMs, durationMs });
    this.#request = request;
  }

  get isServed(): boolean {
    return this.answer !== undefined && this.answer.status < 300;
  }

  get key(): string | undefined {
    return this.#header('idempotency-key');
  }

  get authorization(): string {
    return this.#header('authorization') ?? '';
  }

  /** The id in the path; of an unknown operation, whatever stands where ids do. */
  get id(): string | undefined {
    const { operation } = this;
    if (operation !== undefined && !OPERATIONS[operation].path.includes(':id')) return undefined;
    const [, , , , id] = this.path.split('/');
    try {
      return id === undefined ? undefined : decodeURIComponent(id);
    } catch {
      return id;
    }
  }

  /** What was sent, as text. */
  get text(): string {
    return Buffer.from(this.#request.body ?? '').toString();
  }

  /** What was sent, as JSON; undefined if it is none. */
  get body(): Json | undefined {
    if (!this.#isParsed) this.#body = parseJson(this.#request.body ?? '');
    this.#isParsed = true;
    return this.#body;
  }

  #header(name: string): string | undefined {
    return new Headers(this.#request.headers).get(name);
  }
}

/** The calls among these exchanges. */
export function callsIn(exchanges: readonly Exchange[]): CallReading[] {
  return exchanges.filter(({ kind }) => kind === 'call').map((each) => new CallReading(each));
}
