// Delivery attempts under way: started, answered, timed out by the sandbox's clock, or cut off.
import type { Send } from '../core/deliveries.ts';
import { type SendResult, sendDelivery } from './sending.ts';
import type { WorldHost } from './world-host.ts';

interface Running {
  readonly send: Send;
  readonly startedAtMs: number;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

export class InFlight {
  readonly #host: WorldHost;
  #running = new Map<string, Running>();

  constructor(host: WorldHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Starts an attempt and takes its answer when it comes. */
  start(send: Send): void {
    const abort = new AbortController();
    const ended = this.send(send, abort.signal).then((result) => {
      if (this.#running.get(send.deliveryId)?.abort !== abort) return;
      this.#running.delete(send.deliveryId);
      this.take(result);
    });
    const startedAtMs = this.#host.world.nowMs;
    this.#running.set(send.deliveryId, { send, startedAtMs, abort, ended });
  }

  /** Sends one attempt; the result still has to be taken. */
  send(send: Send, signal: AbortSignal): Promise<SendResult> {
    const { world, behaviour, deliverer, wallMs } = this.#host;
    this.#host.notify({ kind: 'delivery', id: send.deliveryId, phase: 'sent' });
    return sendDelivery({ world, behaviour, deliverer, wallMs, signal }, send);
  }

  /** Puts the outcome of an attempt into the world; what follows from it is sent, or collected. */
  take(result: SendResult, collect?: Send[]): void {
    const host = this.#host;
    const atMs = Math.max(host.clock.nowMs(), host.world.nowMs);
    const { effects } = host.step({ ...result, atMs });
    const id = result.kind === 'answered' ? result.answer.deliveryId : result.deliveryId;
    host.notify({ kind: 'delivery', id, phase: 'ended' });
    host.carryOut(effects, collect);
  }

  /** Waits until what runs now has ended, but no longer than this on the wall's clock. */
  async settle(withinMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    const all = async () => {
      while (this.#running.size > 0) {
        await Promise.all([...this.#running.values()].map((running) => running.ended));
      }
    };
    await Promise.race([all(), limit]);
    clearTimeout(timer);
  }

  /** When the first of them runs out of time on the sandbox's clock (EVT-9b); null when none runs. */
  nextExpiryMs(): number | null {
    let least: number | null = null;
    for (const { startedAtMs } of this.#running.values()) {
      const at = startedAtMs + this.#host.behaviour.delivery.answerLimitMs;
      if (least === null || at < least) least = at;
    }
    return least;
  }

  /** Ends the attempts whose time has run out, as failures; answers how many. */
  expire(nowMs: number, collect: Send[]): string[] {
    const expired: string[] = [];
    for (const [id, { send, startedAtMs, abort }] of [...this.#running]) {
      const limitMs = this.#host.behaviour.delivery.answerLimitMs;
      if (startedAtMs + limitMs > nowMs) continue;
      this.#running.delete(id);
      abort.abort();
      const answer = {
        deliveryId: id,
        attempt: send.attempt,
        startedAtMs,
        status: null,
        error: `no answer within ${limitMs / 1000} s`,
        durationMs: nowMs - startedAtMs,
        signature: null,
      };
      this.take({ kind: 'answered', answer }, collect);
      expired.push(id);
    }
    return expired;
  }

  /** Cuts all of them off without taking an outcome. */
  abandon(): void {
    for (const { abort } of this.#running.values()) abort.abort();
    this.#running = new Map();
  }

  /** Sends again what a loaded world says was under way when it was saved (EVT-4). */
  restart(): void {
    for (const delivery of this.#host.world.deliveries.values()) {
      if (!delivery.inFlight) continue;
      const attempt = delivery.attempts.length + 1;
      this.start({ kind: 'send', deliveryId: delivery.id, attempt, twist: null });
    }
  }
}
