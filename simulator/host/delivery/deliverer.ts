// The port through which deliveries leave: one HTTP POST to a URL, by whatever carries it.

export interface DeliveryRequest {
  /** The final address, after forwards. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * The addresses that were judged; connecting to any other is refused. null: a forward, not
   * pinned.
   */
  readonly addresses: readonly string[] | null;
  /** Why an address may not be connected to; null if it may. The peer is checked as well. */
  readonly refuseAddress: (address: string) => string | null;
  readonly answerLimitMs: number;
  readonly followsRedirects: boolean;
  /** Cuts the delivery off. */
  readonly cancelToken: CancelToken;
}

/** An AbortSignal for each delivery would cost as much as signing it does. */
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
  /** null: no whole answer came. */
  readonly status: number | null;
  readonly error: string | null;
  /** The target turned out not to be public when it was connected to (EVT-11). */
  readonly refusedTarget?: string;
}

/** Never rejects: whatever goes wrong outside is an outcome. */
export interface Deliverer {
  readonly deliver: (request: DeliveryRequest) => Promise<DeliveryOutcome>;
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}
