// One request over a pool, from its start to its end or to the end of its time.
import type { Dispatcher } from 'undici';
import type { CancelToken, DeliveryOutcome } from './deliverer.ts';
import { explainFailure } from './explain-failure.ts';

export interface ExchangeOptions {
  readonly path: string;
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** For everything: a free connection, connecting, the answer and all of its body. */
  readonly limitMs: number;
  readonly cancelToken: CancelToken;
}

export interface ExchangeOutcome extends DeliveryOutcome {
  /** Where a redirect points. */
  readonly location: string | null;
}

/** The connection leads to an address that deliveries may not go to (EVT-11). */
export class RefusedPeer extends Error {
  override readonly name = 'RefusedPeer';
}

/** An answer counts once this much of its body has come; the rest is not waited for. */
const bodyKeptBytes = 64 * 1024;

/** Never rejects. */
export function exchange(pool: Dispatcher, options: ExchangeOptions): Promise<ExchangeOutcome> {
  return new Promise((resolve) => {
    const answer = new Answer(options, resolve);
    const { path, method, headers, body } = options;
    try {
      pool.dispatch({ path, method, headers, body }, answer);
    } catch (error) {
      answer.fail(error as Error);
    }
  });
}

const cut = new Error('cut off');

class Answer implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (outcome: ExchangeOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #done = false;
  #status: number | null = null;
  #location: string | null = null;
  #bodyBytes = 0;

  constructor(options: ExchangeOptions, resolve: (outcome: ExchangeOutcome) => void) {
    this.#options = options;
    this.#resolve = resolve;
    // EVT-9b: undici's own limits start again with every byte; this one does not.
    this.#timer = setTimeout(() => this.#expire(), options.limitMs);
    const cancelled = () => this.fail(new Error('cut off by the sandbox'));
    if (options.cancelToken.isCancelled) cancelled();
    else options.cancelToken.onCancel(cancelled);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Its time ran out while it waited for a connection: nothing may be sent any more.
    if (this.#done) controller.abort(cut);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    const { location } = headers;
    this.#location = (Array.isArray(location) ? location[0] : location) ?? null;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.byteLength;
    if (this.#bodyBytes > bodyKeptBytes) this.#succeed();
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: Error): void {
    const refused = error instanceof RefusedPeer ? { refusedTarget: error.message } : {};
    const words = explainFailure(error, this.#status !== null);
    this.#settle({ status: null, error: words, location: null, ...refused });
  }

  #succeed(): void {
    this.#settle({ status: this.#status, error: null, location: this.#location });
  }

  #expire(): void {
    const seconds = Math.ceil(this.#options.limitMs / 1000);
    const what =
      this.#status !== null
        ? 'the answer was not complete'
        : this.#controller === null
          ? 'no connection'
          : 'no answer';
    this.#settle({ status: null, error: `${what} within ${seconds} s`, location: null });
  }

  #settle(outcome: ExchangeOutcome): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#timer);
    this.#options.cancelToken.onCancel(null);
    // A whole answer leaves its connection for the next; anything else ends it. Undici has
    // forgotten a request that is over, so that this is for those that are not.
    this.#controller?.abort(cut);
    this.#resolve(outcome);
  }
}
