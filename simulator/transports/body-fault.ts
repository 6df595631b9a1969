// Sends the body of an answer under a fault: cut short, or in pieces over some time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyFault } from '../core/pipeline/find-fault.ts';

const maxPieces = 10;
const longestTimerMs = 2 ** 31 - 1;

export const arrivesWhole = (fault: BodyFault, body: string): boolean =>
  fault.kind === 'slow_body' || Buffer.byteLength(body) <= fault.bytes;

/** The parts of the body that are sent, each when it is due. */
export async function* piecesUnder(fault: BodyFault, body: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body);
  if (fault.kind === 'truncate') {
    if (fault.bytes > 0) yield bytes.subarray(0, fault.bytes);
    return;
  }
  const pieces = Math.min(maxPieces, bytes.byteLength);
  const upTo = (count: number) => Math.floor((bytes.byteLength * count) / pieces);
  for (let sent = 0; sent < pieces; sent += 1) {
    await sleep(Math.min(fault.ms / pieces, longestTimerMs));
    yield bytes.subarray(upTo(sent), upTo(sent + 1));
  }
}
