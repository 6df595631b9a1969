// Time and deliveries around one mind: what falls due is done, and what is sent is waited for.
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Sending } from '../deliveries.ts';
import { beginAttempt, endAttempt, isWaiting, patienceMs, readyDeliveries } from '../deliveries.ts';
import { wakeDisabled } from '../events.ts';
import type { SecondMind } from '../mind.ts';
import { settleDue } from '../operations/money-moves.ts';
import type { Outcome } from '../pipeline.ts';
import type { Answer, Call } from '../values/records.ts';

interface Held {
  readonly untilMs: number | null;
  readonly wake: () => void;
}

interface InFlight {
  readonly sending: Sending;
  readonly startedAtMs: number;
  readonly over: Promise<void>;
  readonly giveUp: (error: string) => void;
}

export interface Fired {
  readonly at_ms: number;
  readonly kind: string;
  readonly ref: string;
  readonly outcome: string;
}

const TICK_MS = 40;

export class WorldHost {
  readonly mind: SecondMind;
  #held: Held[] = [];
  #inFlight: InFlight[] = [];
  #fired: Fired[] = [];
  #closed = false;
  readonly #timer: NodeJS.Timeout;
  #advancing: Promise<unknown> = Promise.resolve();

  constructor(mind: SecondMind) {
    this.mind = mind;
    this.#timer = setInterval(() => {
      if (!mind.isFrozen()) this.tick();
    }, TICK_MS);
    this.#timer.unref();
  }

  /** The answer to a call, in its time; null where the connection is cut without one. */
  async call(call: Call): Promise<Answer | null> {
    const answer = await this.#await(this.mind.handle(call));
    this.pump();
    return answer;
  }

  async #await(outcome: Outcome): Promise<Answer | null> {
    let now = outcome;
    while (now.kind === 'held' || now.kind === 'paused') {
      if (now.kind === 'held') await this.#until(now.untilMs);
      else await sleep(now.wallMs);
      if (this.#closed) return null;
      now = now.resume();
    }
    return now.kind === 'answer' ? now.answer : null;
  }

  #until(untilMs: number | null): Promise<void> {
    return new Promise((wake) => this.#held.push({ untilMs, wake }));
  }

  /** Does everything that is due by now. */
  tick(): void {
    const nowMs = this.mind.now();
    settleDue(this.mind);
    wakeDisabled(this.mind);
    const due = this.#held.filter((each) => each.untilMs !== null && each.untilMs <= nowMs);
    this.#held = this.#held.filter((each) => !due.includes(each));
    for (const each of due) each.wake();
    for (const each of [...this.#inFlight]) {
      if (nowMs - each.startedAtMs >= patienceMs(this.mind, each.sending.delivery))
        each.giveUp('no answer within 15 s');
    }
    this.pump();
  }

  /** Starts every delivery that is due. */
  pump(): void {
    if (this.#closed) return;
    for (const delivery of readyDeliveries(this.mind)) {
      // Another one that was started in this round may have disabled the subscription.
      if (!isWaiting(this.mind, delivery)) continue;
      const sending = beginAttempt(this.mind, delivery);
      if (sending !== null) this.#start(sending);
    }
  }

  #start(sending: Sending): void {
    let giveUp = (_: string) => {};
    const over = new Promise<void>((resolve) => {
      let isOver = false;
      const end = (status: number | null, error: string | null) => {
        if (isOver) return;
        isOver = true;
        abort();
        endAttempt(this.mind, sending, status, error);
        this.#inFlight = this.#inFlight.filter((each) => each.sending !== sending);
        const ref = sending.delivery.id;
        const outcome = error ?? String(status);
        this.#fired.push({ at_ms: this.mind.now(), kind: 'delivery', ref, outcome });
        resolve();
        this.pump();
      };
      giveUp = (error) => end(null, error);
      const abort = send(sending, patienceMs(this.mind, sending.delivery), end);
    });
    const startedAtMs = this.mind.now();
    this.#inFlight.push({ sending, startedAtMs, over, giveUp });
  }

  /** When the next thing falls due by itself. */
  nextDueMs(): number | null {
    const dues: number[] = [];
    for (const each of this.mind.transactions) {
      if (each.settlesAtMs !== null) dues.push(each.settlesAtMs);
    }
    for (const each of this.#held) if (each.untilMs !== null) dues.push(each.untilMs);
    for (const each of this.#inFlight) {
      dues.push(each.startedAtMs + patienceMs(this.mind, each.sending.delivery));
    }
    for (const each of this.mind.deliveries) {
      if (isWaiting(this.mind, each)) dues.push(each.dueAtMs);
    }
    return dues.length === 0 ? null : Math.min(...dues);
  }

  /** Moves time on; what is due on the way has happened and been answered when it is over. */
  advance(toMs: number): Promise<Fired[]> {
    const next = this.#advancing.then(() => this.#advance(toMs));
    this.#advancing = next.catch(() => {});
    return next;
  }

  async #advance(toMs: number): Promise<Fired[]> {
    this.#fired = [];
    const before = [...this.#inFlight];
    for (;;) {
      this.tick();
      await settled();
      this.pump();
      const own = this.#inFlight.filter((each) => !before.includes(each));
      if (own.length > 0) {
        await Promise.all(own.map((each) => each.over));
        continue;
      }
      const nextMs = this.nextDueMs();
      if (nextMs === null || nextMs > toMs) break;
      this.mind.moveTo(nextMs);
    }
    this.mind.moveTo(toMs);
    this.tick();
    await Promise.all(this.#inFlight.map((each) => each.over));
    await settled();
    return this.#fired;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const each of this.#held) each.wake();
    for (const each of [...this.#inFlight]) each.giveUp('the platform is closed');
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Calls that were woken go on before time does. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((each) => setImmediate(each));
}

/** Sends once, follows nothing, and gives a way to stop. */
function send(
  sending: Sending,
  waitMs: number,
  end: (status: number | null, error: string | null) => void,
): () => void {
  const { url, method, headers, body, follows } = sending;
  const make = url.startsWith('https:') ? secureRequest : plainRequest;
  const timer = setTimeout(() => end(null, 'no answer in time'), waitMs);
  const length = String(Buffer.byteLength(body));
  const options = { method, headers: { ...headers, 'Content-Length': length } };
  const request = make(url, options, (response) => {
    response.resume();
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (follows && status >= 300 && status < 400 && location !== undefined) {
      const next = { url: new URL(location, url).href, method, headers, body, follows };
      send({ ...sending, ...next }, waitMs, end);
      return;
    }
    response.on('end', () => end(status, null));
    response.on('error', (error) => end(null, error.message));
  });
  request.on('error', (error) => end(null, error.message));
  request.end(body);
  return () => {
    clearTimeout(timer);
    request.destroy();
  };
}
