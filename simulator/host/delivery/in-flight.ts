// Delivery attempts under way: started, answered, timed out by the sandbox's clock, or cut off.
import type { SendAttempt } from '../../core/delivery/deliveries.ts';
import type { World } from '../../core/world.ts';
import type { WorldHost } from '../world/world-host.ts';
import { CancelToken } from './deliverer.ts';
import { prepareNext, type SendResult, sendAttempt } from './send-attempt.ts';

interface Running {
  readonly send: SendAttempt;
  readonly startedAtMs: number;
  readonly cancelToken: CancelToken;
}

/** The longest wait for attempts that were in flight before an advance. */
const idleAtMostMs = 15_000;
/** A timer that is later than this was delayed by a busy machine. */
const stalledByMs = 100;

export class InFlightDeliveries {
  readonly #host: WorldHost;
  /** By delivery: attempts that no advance waits for. */
  #running = new Map<string, Running>();
  /** Attempts that an advance waits for. */
  #awaited = new Set<CancelToken>();
  /** Called whenever an attempt that no advance waits for has ended. */
  readonly #onEnd = new Set<() => void>();

  constructor(host: WorldHost) {
    this.#host = host;
  }

  /** The number of attempts that no advance waits for. */
  get size(): number {
    return this.#running.size;
  }

  /** Starts an attempt and takes its answer when it comes. */
  start(send: SendAttempt): void {
    const cancelToken = new CancelToken();
    const running = { send, startedAtMs: this.#host.world.nowMs, cancelToken };
    this.#running.set(send.deliveryId, running);
    void this.#send(send, cancelToken).then((result) =>
      this.#host.untilKept(() => {
        if (this.#running.get(send.deliveryId) !== running) return;
        this.take(result, undefined, () => this.#running.delete(send.deliveryId));
        for (const tell of this.#onEnd) tell();
      }),
    );
    // Where several are under way the processor has enough to do.
    if (this.#running.size === 1) setImmediate(() => prepareNext(this.#host, send));
  }

  /**
   * Sends one attempt for an advance, which takes the result; null if it was cut off.
   */
  async sendAwaited(send: SendAttempt): Promise<SendResult | null> {
    const cancelToken = new CancelToken();
    this.#awaited.add(cancelToken);
    const result = await this.#send(send, cancelToken);
    return this.#awaited.delete(cancelToken) ? result : null;
  }

  #send(send: SendAttempt, cancelToken: CancelToken): Promise<SendResult> {
    const { world, behaviour, deliverer, wallMs } = this.#host;
    this.#host.notify({ kind: 'delivery', id: send.deliveryId, phase: 'sent' });
    return sendAttempt({ world, behaviour, deliverer, wallMs, cancelToken }, send);
  }

  /** Puts the outcome of an attempt into the world; what follows from it is sent, or collected. */
  take(result: SendResult, collect?: SendAttempt[], taken?: () => void): void {
    const host = this.#host;
    const atMs = Math.max(host.clock.nowMs(), host.world.nowMs);
    const { effects } = host.step({ ...result, atMs });
    taken?.();
    const id = result.kind === 'answered' ? result.answer.deliveryId : result.deliveryId;
    host.notify({ kind: 'delivery', id, phase: 'ended' });
    host.carryOut(effects, collect);
  }

  /**
   * Waits until nothing runs any more, as long as answers keep coming: it gives up when none has
   * come for this long on the wall's clock.
   */
  async waitUntilIdle(silenceMs: number): Promise<void> {
    const untilMs = performance.now() + idleAtMostMs;
    for (;;) {
      const leftMs = untilMs - performance.now();
      if (this.#running.size === 0 || leftMs <= 0) return;
      const waitMs = Math.min(silenceMs, leftMs);
      const askedMs = performance.now();
      // If this process itself was stalled, no receiver had that time.
      const hasStalled = () => performance.now() - askedMs > waitMs + stalledByMs;
      if (!(await this.#nextEnd(waitMs)) && !hasStalled()) return;
    }
  }

  /** Whether an attempt has ended within the time. */
  #nextEnd(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (ended: boolean) => {
        clearTimeout(timer);
        this.#onEnd.delete(tell);
        resolve(ended);
      };
      const tell = () => end(true);
      const timer = setTimeout(() => end(false), withinMs);
      this.#onEnd.add(tell);
    });
  }

  /**
   * When the first of them runs out of time on the sandbox's clock (EVT-9b); null when none runs.
   */
  nextExpiryMs(): number | null {
    const limitMs = this.#host.behaviour.delivery.answerLimitMs;
    // They are kept in the order in which they started, and time never goes back.
    for (const { startedAtMs } of this.#running.values()) return startedAtMs + limitMs;
    return null;
  }

  /** Ends the attempts whose time has run out, as failures; answers their deliveries. */
  expire(nowMs: number, collect: SendAttempt[]): string[] {
    const limitMs = this.#host.behaviour.delivery.answerLimitMs;
    const expired: string[] = [];
    for (const [id, { send, startedAtMs, cancelToken }] of [...this.#running]) {
      if (startedAtMs + limitMs > nowMs) break;
      const answer = {
        deliveryId: id,
        attempt: send.attempt,
        startedAtMs,
        status: null,
        error: `no answer within ${limitMs / 1000} s of the sandbox's clock`,
        durationMs: nowMs - startedAtMs,
        signature: null,
      };
      this.take({ kind: 'answered', answer }, collect, () => {
        this.#running.delete(id);
        cancelToken.cancel();
      });
      expired.push(id);
    }
    return expired;
  }

  /** The same without an advance: returns what is to be sent next. */
  expireAll(nowMs: number): readonly SendAttempt[] {
    const follow: SendAttempt[] = [];
    this.expire(nowMs, follow);
    return follow;
  }

  /** Cuts all of them off without taking an outcome. */
  abandon(): void {
    const cut = [
      ...[...this.#running.values()].map(({ cancelToken }) => cancelToken),
      ...this.#awaited,
    ];
    this.#running = new Map();
    this.#awaited = new Set();
    for (const cancelToken of cut) cancelToken.cancel();
    for (const tell of [...this.#onEnd]) tell();
  }

  /** Sends again what a loaded world says was under way when it was saved (EVT-4). */
  restart(world: World): void {
    for (const delivery of world.deliveries.values()) {
      if (!delivery.in_flight || delivery.status === 'stopped') continue;
      const attempt = delivery.attempts.length + 1;
      this.start({ kind: 'send', deliveryId: delivery.id, attempt, fault: null });
    }
  }
}
