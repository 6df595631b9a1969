// The port through which deliveries leave: one HTTP POST to a URL, by whatever carries it.
import type { FollowsRedirect } from '../../core/behaviour.ts';

export interface DeliveryRequest {
  /** Where it really goes, after forwards. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * The addresses that were judged; connecting to any other is refused. null: a forward, not
   * pinned.
   */
  readonly addresses: readonly string[] | null;
  /** Why an address may not be connected to; null when it may. Asked again of the peer itself. */
  readonly refuseAddress: (address: string) => string | null;
  readonly answerLimitMs: number;
  readonly followsRedirect: FollowsRedirect | null;
  readonly cancelToken: CancelToken;
}

export interface DeliveryOutcome {
  /** null: no whole answer came. */
  readonly status: number | null;
  readonly error: string | null;
  /** The target turned out not to be public when it was connected to (EVT-11). */
  readonly refusedTarget?: string;
}

/**
 * A way back for a delivery that is under way: an AbortSignal would cost as much as signing does.
 */
export class CancelToken {
  #cancelled = false;
  #tell: (() => void) | null = null;

  get isCancelled(): boolean {
    return this.#cancelled;
  }

  /** Registers the function that ends the exchange; it replaces an earlier one. */
  onCancel(tell: (() => void) | null): void {
    this.#tell = tell;
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#tell?.();
  }
}

/** Never rejects: whatever goes wrong outside is an outcome. */
export interface Deliverer {
  readonly deliver: (request: DeliveryRequest) => Promise<DeliveryOutcome>;
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}
