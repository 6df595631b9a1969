// One request over a pool, from its start to its end or its timeout.
import type { Dispatcher } from 'undici';
import type { CancelToken, DeliveryOutcome } from './deliverer.ts';
import { explainFailure } from './explain-failure.ts';
import { RefusedPeer } from './pools.ts';

export interface ExchangeOptions {
  readonly path: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything: waiting for a connection, connecting, the answer and its whole body. */
  readonly limitMs: number;
  readonly cancelToken: CancelToken;
}

export interface ExchangeOutcome extends DeliveryOutcome {
  /** The target of a redirect. */
  readonly location?: string | undefined;
}

/** A response is complete once this much of its body has arrived; the rest is not read. */
const bodyKeptBytes = 64 * 1024;

const cut = new Error('cut off');

/** Never rejects. */
export function exchange(
  pool: Dispatcher,
  { limitMs, cancelToken, ...request }: ExchangeOptions,
): Promise<ExchangeOutcome> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let isDone = false;
    let status: number | null = null;
    let location: string | undefined;
    let bodyBytes = 0;
    const settle = (outcome: ExchangeOutcome) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      cancelToken.onCancel(null);
      // A complete response leaves its connection open for the next request; anything else closes
      // it. Undici has already forgotten a finished request, so this affects only unfinished ones.
      controller?.abort(cut);
      resolve(outcome);
    };
    const succeed = () => settle({ status, error: null, location });
    const fail = (error: Error) => {
      const refused = error instanceof RefusedPeer ? { refusedTarget: error.message } : {};
      settle({ status: null, error: explainFailure(error, status !== null), ...refused });
    };
    const cancel = () => fail(new Error('cut off by the sandbox'));
    // EVT-9b: undici's own limits start again with every byte; this one does not.
    const timer = setTimeout(() => {
      const what = controller === null ? 'no connection' : 'no answer';
      const error = status === null ? what : 'the answer was not complete';
      settle({ status: null, error: `${error} within ${Math.ceil(limitMs / 1000)} s` });
    }, limitMs);
    if (cancelToken.isCancelled) return cancel();
    cancelToken.onCancel(cancel);
    try {
      pool.dispatch(request, {
        onRequestStart: (started) => {
          controller = started;
          // It timed out while it waited for a connection: nothing may be sent after that.
          if (isDone) started.abort(cut);
        },
        onResponseStart: (_controller, answered, headers) => {
          if (answered < 200) return;
          status = answered;
          location = [headers.location ?? []].flat()[0];
        },
        onResponseData: (_controller, chunk) => {
          bodyBytes += chunk.byteLength;
          if (bodyBytes > bodyKeptBytes) succeed();
        },
        onResponseEnd: succeed,
        onResponseError: (_controller, error) => fail(error),
      });
    } catch (error) {
      fail(error as Error);
    }
  });
}
