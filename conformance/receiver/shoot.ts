// Sends one delivery to a receiver and keeps what happened, byte for byte.
import { Readable } from 'node:stream';
import type { HeaderLine } from '../engine/headers.ts';
import type { Exchange } from '../engine/types.ts';
import type { Delivery } from './delivery.ts';

/** EVT-9b: a receiver that answers later than this has failed. */
export const answerLimitMs = 15_000;

export interface Gun {
  readonly shoot: (delivery: Delivery) => Promise<Exchange>;
  /** Deliveries sent so far. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
}

/** Redirects are answers; an answer is read up to 64 KB. */
export async function gunFor(url: string, startedAtMs: number): Promise<Gun> {
  const { Agent, request } = (await import('undici')).default;
  const agent = new Agent({ connections: 16, pipelining: 1 });
  let n = 0;
  const shoot = async (delivery: Delivery): Promise<Exchange> => {
    n += 1;
    const { headers, body, chunked } = delivery;
    const beganMs = performance.now();
    const base = {
      n,
      kind: 'delivery',
      as: null,
      request: { method: 'POST', url, headers, body },
      atMs: Math.round(beganMs - startedAtMs),
    } as const;
    const took = () => Math.round(performance.now() - beganMs);
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: headers.flat(),
        body: chunked === true ? Readable.from(inChunks(body)) : body,
        signal: AbortSignal.timeout(answerLimitMs + 1000),
      });
      const text = await answer.body.text();
      const lines = Object.entries(answer.headers).flatMap(([name, value]): HeaderLine[] =>
        [value ?? []].flat().map((each) => [name, each]),
      );
      const response = {
        status: answer.statusCode,
        headers: lines,
        body: Buffer.from(text.slice(0, 65_536)),
      };
      return { ...base, response, failure: null, durationMs: took() };
    } catch (error) {
      const { name, message } = error as Error;
      const failure = name === 'TimeoutError' ? 'no answer within 16 s' : message;
      return { ...base, response: null, failure, durationMs: took() };
    }
  };
  return { shoot, sent: () => n, close: () => agent.destroy() };
}

async function* inChunks(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += 48) yield body.slice(at, at + 48);
}
