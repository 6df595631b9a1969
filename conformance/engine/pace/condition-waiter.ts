// How long a scenario waits for a condition, and whether the target is to blame if it is not met in
// time.
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { EventLoopMonitor } from './event-loop-monitor.ts';

/** The longest wait as a multiple of the requested time, without stalls. */
const LONGEST_FACTOR = 8;
const LONGEST_STEP_MS = 250;

/** After a stall of this length, deliveries are answered too late and are repeated. */
const LONG_STALL_MS = 800;
/** After a stall of this length, the awaited condition may have been missed. */
const SHORT_STALL_MS = 300;
/** If stalls take this share of the time, a missing arrival is inconclusive. */
const LOST_SHARE = 0.5;

export class ConditionWaiter {
  readonly #eventLoop: EventLoopMonitor;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #fromMs: number;
  #hook: WebhookEndpoint | undefined;
  #hasWaitedInVain = false;
  #slowestRoundTripMs = 0;

  constructor(eventLoop: EventLoopMonitor, sleep: (ms: number) => Promise<void>) {
    this.#eventLoop = eventLoop;
    this.#sleep = sleep;
    this.#fromMs = eventLoop.now();
  }

  /** From now on a condition may depend on a delivery to this endpoint. */
  watchDeliveries(hook: WebhookEndpoint): void {
    this.#hook = hook;
  }

  async until(test: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
    const fromMs = this.#eventLoop.now();
    for (let stepMs = 2; !(await test()); stepMs = Math.min(stepMs * 2, LONGEST_STEP_MS)) {
      const spanMs = performance.now() - fromMs;
      const { lostMs } = this.#eventLoop.since(fromMs);
      if (spanMs - lostMs >= withinMs || spanMs >= withinMs * LONGEST_FACTOR) {
        return await this.#lastLook(test);
      }
      await this.#sleep(stepMs);
    }
    return true;
  }

  /** Tests once more after a request to ourselves: by then everything that arrived earlier has been seen. */
  async #lastLook(test: () => boolean | Promise<boolean>): Promise<boolean> {
    if (this.#hook !== undefined) {
      const fromMs = performance.now();
      await this.#hook.roundTrip();
      const tookMs = performance.now() - fromMs;
      this.#slowestRoundTripMs = Math.max(this.#slowestRoundTripMs, tookMs);
      if (await test()) return true;
    }
    this.#hasWaitedInVain = true;
    return false;
  }

  /**
   * Why this program may have missed a delivery, or caused its retry, by its own stall;
   * undefined if that is impossible.
   */
  get starvation(): string | undefined {
    if (this.#hook === undefined && !this.#hasWaitedInVain) return undefined;
    const { worstMs, lostMs } = this.#eventLoop.since(this.#fromMs);
    const stallMs = Math.max(worstMs, this.#slowestRoundTripMs);
    const isLong = stallMs >= (this.#hasWaitedInVain ? SHORT_STALL_MS : LONG_STALL_MS);
    const spanMs = performance.now() - this.#fromMs;
    const isOften = this.#hasWaitedInVain && lostMs >= spanMs * LOST_SHARE;
    if (!isLong && !isOften) return undefined;
    const ms = Math.round(isLong ? stallMs : lostMs);
    return `this machine gave the judge no turn for ${ms} ms, so it may have missed it`;
  }
}
