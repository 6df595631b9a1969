// How long a scenario waits for a condition, and whether the target is to blame if it is not met in
// time.
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { EventLoopMark, EventLoopMonitor } from './event-loop-monitor.ts';

/** The longest wait in multiples of the time that was asked for, if stalls do not count. */
const LONGEST_FACTOR = 8;
const LONGEST_STEP_MS = 250;

/** After a stall of this length, deliveries are answered too late, and come once more. */
const LONG_GAP_MS = 800;
/** After a stall of this length, something that was waited for may have been missed. */
const SHORT_GAP_MS = 300;
/** If stalls take this share of the time, nothing is said about what did not arrive. */
const LOST_SHARE = 0.5;

export class ConditionWaiter {
  readonly #eventLoop: EventLoopMonitor;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #from: EventLoopMark;
  #hook: WebhookEndpoint | undefined;
  /** A condition was not met in time. */
  #vain = false;
  #slowestSoundingMs = 0;

  constructor(eventLoop: EventLoopMonitor, sleep: (ms: number) => Promise<void>) {
    this.#eventLoop = eventLoop;
    this.#sleep = sleep;
    this.#from = eventLoop.mark();
  }

  /** From now on a condition may be a delivery to this endpoint. */
  watchDeliveries(hook: WebhookEndpoint): void {
    this.#hook = hook;
  }

  async until(test: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
    const from = this.#eventLoop.mark();
    let stepMs = 2;
    while (!(await test())) {
      const { spanMs, lostMs } = this.#eventLoop.since(from);
      if (spanMs - lostMs >= withinMs || spanMs >= withinMs * LONGEST_FACTOR) {
        return await this.#lastLook(test);
      }
      await this.#sleep(stepMs);
      stepMs = Math.min(stepMs * 2, LONGEST_STEP_MS);
    }
    return true;
  }

  /** Tests once more after a request of our own: what arrived before it has been seen by then. */
  async #lastLook(test: () => boolean | Promise<boolean>): Promise<boolean> {
    if (this.#hook !== undefined) {
      const startedAtMs = performance.now();
      await this.#hook.roundTrip();
      const tookMs = performance.now() - startedAtMs;
      this.#slowestSoundingMs = Math.max(this.#slowestSoundingMs, tookMs);
      if (await test()) return true;
    }
    this.#vain = true;
    return false;
  }

  /**
   * Why this program may have missed a delivery, or caused its retry, by a stall of its own;
   * undefined if it cannot have.
   */
  get starvation(): string | undefined {
    if (this.#hook === undefined && !this.#vain) return undefined;
    const { worstMs, lostMs, spanMs } = this.#eventLoop.since(this.#from);
    const gapMs = Math.max(worstMs, this.#slowestSoundingMs);
    if (gapMs >= LONG_GAP_MS) return describeStarvation(gapMs);
    if (!this.#vain) return undefined;
    if (gapMs >= SHORT_GAP_MS) return describeStarvation(gapMs);
    return lostMs >= spanMs * LOST_SHARE ? describeStarvation(lostMs) : undefined;
  }
}

function describeStarvation(ms: number): string {
  return `this machine gave the judge no turn for ${Math.round(ms)} ms, so it may have missed it`;
}
