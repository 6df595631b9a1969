// Sends one delivery to a receiver and records the exchange, byte for byte.

import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { HeaderLine } from '../engine/send/headers.ts';
import { readUpTo } from '../engine/send/read-body.ts';
import { withLimit } from '../engine/send/time-limit.ts';
import type { Exchange } from '../engine/types.ts';
import type { Delivery } from './delivery.ts';

/** EVT-9b: a receiver that answers later than this has failed. */
const answerLimitMs = 15_000;

/** The run was stopped; what was under way then shows nothing about the receiver. */
export class Interrupted extends Error {}

export interface ProbeSender {
  /** Rejects with `Interrupted` once the run is stopped. */
  readonly send: (delivery: Delivery) => Promise<Exchange>;
  /** Deliveries sent so far. */
  readonly sentCount: () => number;
  readonly close: () => Promise<void>;
}

/** Redirects are answers; an answer is read up to 64 KB. */
export async function openProbeSender(
  url: string,
  startedAtMs: number,
  stop: AbortSignal = new AbortController().signal,
): Promise<ProbeSender> {
  const { Agent, request } = (await import('undici')).default;
  const agent = new Agent({ connections: 16, pipelining: 1 });
  let n = 0;
  const shoot = async (delivery: Delivery): Promise<Exchange> => {
    if (stop.aborted) throw new Interrupted();
    n += 1;
    const { headers, body } = delivery;
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
        body: delivery.chunked === true ? Readable.from(inChunks(delivery)) : body,
        signal: withLimit(stop, answerLimitMs + 1000),
      });
      // More than this is not judged.
      const { bytes } = await readUpTo(answer.body, 65_536);
      const lines = Object.entries(answer.headers).flatMap(([name, value]): HeaderLine[] =>
        [value ?? []].flat().map((each) => [name, each]),
      );
      const response = {
        status: answer.statusCode,
        headers: lines,
        body: Buffer.from(bytes),
      };
      return { ...base, response, failure: null, durationMs: took() };
    } catch (error) {
      if (stop.aborted) throw new Interrupted();
      return { ...base, response: null, failure: failureWords(error as Error), durationMs: took() };
    }
  };
  return { send: shoot, sentCount: () => n, close: () => agent.destroy() };
}

const ENDED = new Set(['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET']);

/** Why there is no response, in words that say what to check. */
function failureWords({ name, message, code }: Error & { code?: string }): string {
  if (name === 'TimeoutError') return 'no response within 16 s';
  if (code === 'ECONNREFUSED') return `the connection was refused (${code})`;
  if (code !== undefined && ENDED.has(code)) {
    return `the connection ended without a response (${code})`;
  }
  if (/wrong version number|packet length too long/.test(message)) {
    return 'this port does not speak TLS: use http:// if that is meant';
  }
  return message;
}

/** Long enough for the receiver to read the chunks separately. */
const cutPauseMs = 20;

async function* inChunks({ body, cutsAt }: Delivery): AsyncGenerator<Uint8Array> {
  if (cutsAt === undefined) {
    for (let at = 0; at < body.byteLength; at += 48) yield body.slice(at, at + 48);
    return;
  }
  let from = 0;
  for (const to of cutsAt) {
    yield body.slice(from, to);
    await pause(cutPauseMs);
    from = to;
  }
  yield body.slice(from);
}
