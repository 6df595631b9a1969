// Sends one delivery to a receiver and records the exchange, byte for byte.
import { setTimeout as pause } from 'node:timers/promises';
import { Unreachable } from '../engine/scenario-errors.ts';
import { socketSender } from '../engine/send/sender.ts';
import type { Exchange } from '../engine/types.ts';
import type { Delivery } from './delivery.ts';

/** EVT-9b: a receiver that takes longer than 15 s has failed. */
const timeoutMs = 16_000;
/** The rest of a longer response is not judged. */
const limitBytes = 65_536;

/** The run was stopped; deliveries in flight show nothing about the receiver. */
export class Interrupted extends Error {}

export async function openProbeSender(
  url: string,
  startedAtMs: number,
  signal: AbortSignal = new AbortController().signal,
) {
  const sender = await socketSender();
  let sent = 0;
  const send = async (delivery: Delivery): Promise<Exchange> => {
    if (signal.aborted) throw new Interrupted();
    sent += 1;
    const { headers, body, chunked } = delivery;
    const request = { method: 'POST', url, headers, body };
    const chunks = chunked ? { chunks: inChunks(delivery) } : {};
    // The sender adds this header itself.
    const shown = chunked ? [...headers, ['transfer-encoding', 'chunked'] as const] : headers;
    const sentAs = { ...request, headers: shown };
    const record = { n: sent, kind: 'delivery', as: null, request: sentAs } as const;
    const beganMs = performance.now();
    const answer = await sender
      .send({ ...request, ...chunks, timeoutMs, limitBytes, isCut: true, signal })
      .catch((error: unknown) => {
        if (signal.aborted) throw new Interrupted();
        if (error instanceof Unreachable) return error;
        throw error;
      });
    const result =
      answer instanceof Unreachable
        ? { response: null, failure: answer.message }
        : { response: answer, failure: null };
    return {
      ...{ ...record, ...result },
      atMs: Math.round(beganMs - startedAtMs),
      durationMs: Math.round(performance.now() - beganMs),
    };
  };
  return {
    /** Rejects with `Interrupted` once the run is stopped. */
    send,
    /** Deliveries sent so far. */
    sentCount: () => sent,
    close: () => sender.close(),
  };
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
