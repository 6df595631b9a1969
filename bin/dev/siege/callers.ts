// Callers of the API: calls right and odd, on connections that are kept, and a look at each answer.
import { Pool } from 'undici';
import { findWrongReply } from '../../../simulator/core/testing/invariants.ts';
import { type Draw, makeCall } from '../../../simulator/core/testing/random-inputs.ts';
import type { World } from '../../../simulator/core/world.ts';

/** What came of the calls so far. */
export class Tally {
  readonly statuses = new Map<string, number>();
  readonly tookMs: number[] = [];
  readonly broken: string[] = [];
  calls = 0;

  count(status: string): void {
    this.calls += 1;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  /** The first few are enough to see what it is. */
  breaks(what: string): void {
    if (this.broken.length < 20) this.broken.push(what);
  }
}

/** Worlds that calls are drawn from, as they were when the interval began. */
export interface Place {
  readonly world: World;
}

const openPool = (baseUrl: string) =>
  new Pool(baseUrl, { connections: 24, pipelining: 1, keepAliveTimeout: 60_000 });
const givesUpMs = 2500;
const text = new TextDecoder();

export class Callers {
  readonly #baseUrl: string;
  readonly #places: () => readonly Place[];
  #pool: Pool;
  tally = new Tally();
  #stopping = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(baseUrl: string, places: () => readonly Place[]) {
    this.#baseUrl = baseUrl;
    this.#pool = openPool(baseUrl);
    this.#places = places;
  }

  /** So many at once, each drawing by itself, until they are stopped. */
  start(draws: readonly Draw[]): void {
    this.#stopping = false;
    this.#running = Promise.all(draws.map((draw) => this.#goOn(draw)));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  /** Ends every connection; the next call opens new ones. */
  async hangUp(): Promise<void> {
    const pool = this.#pool;
    this.#pool = openPool(this.#baseUrl);
    await pool.destroy();
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #goOn(draw: Draw): Promise<void> {
    while (!this.#stopping) {
      const places = this.#places();
      const place = places[draw(places.length)];
      if (place === undefined) return;
      await this.#call(draw, place);
    }
  }

  async #call(draw: Draw, { world }: Place): Promise<void> {
    const { method, target, headers, body } = makeCall(draw, world, '{"odd":[1e999]}');
    // What is beside the API answers by rules of its own, and what is no HTTP is not sent here.
    const isSendable = target.startsWith('/api') && method !== 'BREW' && method !== 'TRACE';
    if (!isSendable) return;
    const known = Object.entries(headers).filter(([, value]) => value !== undefined);
    const beganMs = performance.now();
    try {
      const answer = await this.#pool.request({
        method: method as 'GET',
        path: target,
        headers: Object.fromEntries(known) as Record<string, string>,
        body: method === 'GET' || method === 'HEAD' ? null : Buffer.from(body),
        signal: AbortSignal.timeout(givesUpMs),
      });
      const bytes = await answer.body.arrayBuffer();
      this.tally.count(String(answer.statusCode));
      const isOrdered = answer.headers['x-sandbox-fault'] !== undefined;
      if (!isOrdered) this.tally.tookMs.push(performance.now() - beganMs);
      if (method === 'HEAD' || isOrdered) return;
      const { statusCode: status } = answer;
      const [contentType = ''] = String(answer.headers['content-type'] ?? '').split(';');
      const reply = { status, contentType: contentType as 'text/plain', body: text.decode(bytes) };
      const wrong = findWrongReply({ ...reply, isForeign: true });
      if (wrong !== null) this.tally.breaks(`${method} ${target.slice(0, 200)}: ${wrong}`);
    } catch (error) {
      this.#cutOff(error as Error & { readonly code?: string });
    }
  }

  /** Hangs, resets and cut answers are ordered; anything else that goes wrong is not. */
  #cutOff({ name, message, code }: Error & { readonly code?: string }): void {
    // Our own library does not send what no header can hold.
    if (code === 'UND_ERR_INVALID_ARG') return;
    this.tally.count(name === 'TimeoutError' ? 'given up' : 'cut off');
    const isOrdered = name === 'TimeoutError' || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
    if (!isOrdered) this.tally.breaks(`${name} ${code}: ${message}`);
  }
}
