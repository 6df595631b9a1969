// Answers whose body does not come whole or not at once: cut short, or in pieces over a time.

import type { Decision } from '../call.ts';
import type { Change } from '../change.ts';
import { evolve } from '../evolve.ts';
import type { Effect, StepResult } from '../step.ts';
import type { SuspendedCall, World } from '../world.ts';
import {
  type Completion,
  completeWithReply,
  finishReply,
  journalCall,
} from './complete-request.ts';
import type { RequestContext } from './request-context.ts';
import { endSuspension, newSuspendedCall, suspensionOf } from './suspend-request.ts';

/** The connection ends after some bytes of the body; one that is no longer arrives whole. */
export function sendTruncated(
  context: RequestContext,
  { reply, cites }: Decision,
  completion: Completion,
  bytes: number,
): StepResult {
  const whole = completeWithReply(context, reply, cites, completion);
  const answer = whole.effects[0];
  if (answer?.kind !== 'answer') return whole;
  const body = Buffer.from(answer.reply.body);
  if (body.byteLength <= bytes) return whole;
  const { n } = context;
  return {
    effects: [
      { ...answer, kind: 'begin' },
      { kind: 'piece', n, bytes: body.subarray(0, bytes) },
      { kind: 'end', n, isWhole: false },
    ],
    n,
  };
}

/** A body comes in so many pieces, or in as many as it has bytes. */
const mostPieces = 10;

/** The headers come at once, the body in pieces, the last one when the time is over. */
export function sendSlowly(
  context: RequestContext,
  { reply, cites }: Decision,
  completion: Completion,
  ms: number,
): StepResult {
  const { world, n, requestId } = context;
  const pieces = Math.min(mostPieces, Buffer.byteLength(reply.body));
  if (pieces === 0 || ms === 0) return completeWithReply(context, reply, cites, completion);
  journalCall(context, cites, completion, { reply: null, answeredAtMs: null });
  const slow = finishReply(context, reply, completion);
  const suspended = newSuspendedCall(context, completion, slow, world.nowMs + ms);
  const changes: Change[] = suspensionOf(context, suspended);
  for (let piece = 1; piece <= pieces; piece += 1) {
    changes.push({
      type: 'timer-set',
      dueAtMs: world.nowMs + Math.round((ms * piece) / pieces),
      kind: 'piece',
      ref: `${suspended.id}/${piece}/${pieces}`,
    });
  }
  evolve(world, changes);
  return { effects: [{ kind: 'begin', n, requestId, reply: slow }], n };
}

/** The suspended call of a timer for a piece, which piece it is, and of how many. */
export function parsePieceRef(ref: string): { id: string; piece: number; pieces: number } {
  const [id = '', piece, pieces] = ref.split('/');
  return { id, piece: Number(piece), pieces: Number(pieces) };
}

/** The next piece of a slow body; with the last one the call is answered. */
export function sendPiece(
  world: World,
  suspended: SuspendedCall,
  piece: number,
  pieces: number,
): readonly Effect[] {
  const { n, reply } = suspended;
  if (reply === null) throw new Error(`suspended call ${suspended.id} has no answer`);
  const body = Buffer.from(reply.body);
  const upTo = (count: number) => Math.floor((body.byteLength * count) / pieces);
  const sent: Effect = { kind: 'piece', n, bytes: body.subarray(upTo(piece - 1), upTo(piece)) };
  if (piece < pieces) return [sent];
  endSuspension(world, suspended, reply);
  return [sent, { kind: 'end', n, isWhole: true }];
}
