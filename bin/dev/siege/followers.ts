// Followers of the events channel and of the plane's stream: some read all, some read slowly, all
// of them come and go.
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Draw } from '../../../simulator/core/testing/random-inputs.ts';
import type { Besieged } from './besieged.ts';
import type { Tally } from './callers.ts';

export class Followers {
  readonly #besieged: Besieged;
  readonly #tally: () => Tally;
  #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  envelopes = 0;
  streamBytes = 0;

  constructor(besieged: Besieged, tally: () => Tally) {
    this.#besieged = besieged;
    this.#tally = tally;
  }

  start(draws: readonly Draw[]): void {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    this.#running = Promise.all(
      draws.map(async (draw, index) => {
        const follow = index % 3 === 2 ? this.#stream : this.#channel;
        while (!signal.aborted) await follow.call(this, draw, signal);
      }),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** EVT: the numbers of one connection only grow. */
  async #channel(draw: Draw, signal: AbortSignal): Promise<void> {
    const { besieged, url } = { besieged: this.#besieged, url: this.#besieged.ready.base_url };
    const from = draw(2) === 0 ? '&after_seq=0' : '';
    const path = `/api/v1/events?access_token=${besieged.tokenOf('firm')}${from}`;
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
    let lastSeq = 0;
    socket.on('message', (bytes: Buffer) => {
      const { seq } = JSON.parse(bytes.toString()) as { readonly seq: number };
      if (!(seq > lastSeq)) this.#tally().breaks(`the channel told ${seq} after ${lastSeq}`);
      lastSeq = seq;
      this.envelopes += 1;
    });
    // A handshake may be struck by a fault that was ordered, and a world may be replaced.
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await restUntil(signal, 200 + draw(1500));
    if (draw(3) === 0) {
      socket.pause();
      await restUntil(signal, draw(1000));
      socket.resume();
    }
    if (draw(2) === 0) socket.terminate();
    else socket.close();
    setTimeout(() => socket.terminate(), 1000).unref();
    await closed;
  }

  async #stream(draw: Draw, signal: AbortSignal): Promise<void> {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(300 + draw(2000))]);
    try {
      const url = `${this.#besieged.ready.control_url}/stream`;
      const { body, status } = await fetch(url, { signal: ends });
      if (status !== 200) this.#tally().breaks(`the stream was answered ${status}`);
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        this.streamBytes += chunk.byteLength;
      }
    } catch (error) {
      if (!ends.aborted) this.#tally().breaks(`the stream broke: ${(error as Error).message}`);
    }
  }
}

/** Sleeps, but no longer than until it is to stop. */
export async function restUntil(signal: AbortSignal, ms: number): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
