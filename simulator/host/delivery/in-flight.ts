// Delivery attempts in flight: started, answered, timed out by the sandbox's clock, or aborted.
import type { SendAttempt } from '../../core/delivery/deliveries.ts';
import type { World } from '../../core/world.ts';
import type { WorldHost } from '../world/world-host.ts';
import { CancelToken } from './deliverer.ts';
import { type Attempt, type SendResult, sendAttempt } from './send-attempt.ts';

interface Running {
  readonly attempt: Attempt;
  readonly result: Promise<SendResult>;
}

/** The longest wait for attempts that were in flight before an advance. */
const idleAtMostMs = 15_000;
/** A timer that fires later than this was delayed by a busy machine. */
const stalledByMs = 100;

export class InFlightDeliveries {
  readonly #host: WorldHost;
  /** By delivery, in the order in which they started. */
  #running = new Map<string, Running>();
  /** During an advance, the advance handles the responses to its attempts. */
  #awaited: Running[] | null = null;
  /** Called when an attempt has ended; one wait at a time, because advances are queued. */
  #onEnd: () => void = () => undefined;

  constructor(host: WorldHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Starts an attempt; its answer is handled when it arrives, or in the order of an advance. */
  start(send: SendAttempt): void {
    const startedAtMs = this.#host.world.nowMs;
    const attempt = { send, startedAtMs, cancelToken: new CancelToken(), signature: null };
    this.#host.notify({ kind: 'delivery', id: send.deliveryId, phase: 'sent' });
    const running = { attempt, result: sendAttempt(this.#host, attempt) };
    this.#running.set(send.deliveryId, running);
    if (this.#awaited !== null) this.#awaited.push(running);
    else this.#takeLater(running);
  }

  #takeLater(running: Running): void {
    void running.result.then((result) =>
      this.#host.untilKept(() => void this.#take(running, result)),
    );
  }

  /**
   * Applies the outcome of an attempt to the world, unless it was aborted; starts the next ones.
   */
  #take(running: Running, result: SendResult): boolean {
    const host = this.#host;
    const id = running.attempt.send.deliveryId;
    if (this.#running.get(id) !== running) return false;
    const { effects } = host.step({ ...result, atMs: host.nowMs });
    this.#running.delete(id);
    host.notify({ kind: 'delivery', id, phase: 'ended' });
    host.carryOut(effects);
    this.#onEnd();
    return true;
  }

  /** From now on attempts wait for `settle`. */
  beginOrder(): void {
    this.#awaited = [];
  }

  /**
   * Handles the answers to the attempts since then in the order of sending, so that the outcome is
   * always the same. False if an attempt was aborted, because its world is closed or gone.
   */
  async settle(taken: (deliveryId: string) => void): Promise<boolean> {
    const awaited = this.#awaited ?? [];
    for (let running = awaited[0]; running !== undefined; running = awaited[0]) {
      const isTaken = this.#take(running, await running.result);
      awaited.shift();
      if (!isTaken) return false;
      taken(running.attempt.send.deliveryId);
    }
    return true;
  }

  endOrder(): void {
    const rest = this.#awaited ?? [];
    this.#awaited = null;
    for (const running of rest) this.#takeLater(running);
  }

  /**
   * Waits until no attempt is running; gives up after this much wall-clock time without a response.
   */
  async waitUntilIdle(silenceMs: number): Promise<void> {
    const untilMs = performance.now() + idleAtMostMs;
    while (this.#running.size > 0) {
      const beganMs = performance.now();
      const timeoutMs = Math.min(silenceMs, untilMs - beganMs);
      if (timeoutMs <= 0) return;
      const hasEnded = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs, false);
        this.#onEnd = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      // If this process itself was stalled, the receivers did not have that time.
      const isStalled = performance.now() - beganMs > timeoutMs + stalledByMs;
      if (!hasEnded && !isStalled) return;
    }
  }

  /** When the first attempt times out on the sandbox's clock (EVT-9b); null if none is running. */
  nextExpiryMs(): number | null {
    const limitMs = this.#host.behaviour.delivery.answerLimitMs;
    // Attempts are in the order in which they started, so the first one expires first.
    for (const { attempt } of this.#running.values()) return attempt.startedAtMs + limitMs;
    return null;
  }

  /** Ends the attempts that have timed out, as failures; returns their deliveries. */
  expire(nowMs: number): string[] {
    const limitMs = this.#host.behaviour.delivery.answerLimitMs;
    const expired: string[] = [];
    for (const [id, running] of [...this.#running]) {
      const { send, startedAtMs, cancelToken, signature } = running.attempt;
      if (startedAtMs + limitMs > nowMs) break;
      const answer = {
        deliveryId: id,
        attempt: send.attempt,
        startedAtMs,
        status: null,
        error: `no response within ${limitMs / 1000} s of the sandbox's clock`,
        durationMs: nowMs - startedAtMs,
        signature,
      };
      this.#take(running, { kind: 'answered', answer });
      cancelToken.cancel();
      expired.push(id);
    }
    return expired;
  }

  /** Aborts all attempts without applying an outcome. */
  abandon(): void {
    const running = [...this.#running.values()];
    this.#running = new Map();
    for (const { attempt } of running) attempt.cancelToken.cancel();
    this.#onEnd();
  }

  /** Sends again the attempts that were running when a loaded world was saved (EVT-4). */
  restart(world: World): void {
    for (const delivery of world.deliveries.values()) {
      if (!delivery.in_flight || delivery.status === 'stopped') continue;
      const attempt = delivery.attempts.length + 1;
      this.start({ kind: 'send', deliveryId: delivery.id, attempt, fault: null });
    }
  }
}
