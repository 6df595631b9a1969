// The interface for sending deliveries: one HTTP POST to a URL, over any transport.

export interface DeliveryRequest {
  /** The final address, after forwards. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * The addresses that were checked; connecting to any other is refused. null: a forward, not
   * pinned.
   */
  readonly addresses: readonly string[] | null;
  /** Why an address may not be connected to; null if it may. The peer is checked as well. */
  readonly refuseAddress: (address: string) => string | null;
  readonly answerLimitMs: number;
  readonly followsRedirects: boolean;
  readonly cancelToken: CancelToken;
}

/** Cheaper than an AbortSignal, which would cost as much per delivery as signing does. */
export class CancelToken {
  #isCancelled = false;
  #listener: (() => void) | null = null;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Replaces the function that is called on `cancel`. */
  onCancel(listener: (() => void) | null): void {
    this.#listener = listener;
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#listener?.();
  }
}

export interface DeliveryOutcome {
  /** null: no complete answer arrived. */
  readonly status: number | null;
  readonly error: string | null;
  /** After connecting, the target turned out not to be public (EVT-11). */
  readonly refusedTarget?: string;
}

/** Never rejects: every network error is an outcome. */
export interface Deliverer {
  readonly deliver: (request: DeliveryRequest) => Promise<DeliveryOutcome>;
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}
