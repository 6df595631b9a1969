// What becomes of a suspended call: it runs at last, is answered at last, or is given up.
import type { Behaviour } from '../behaviour.ts';
import type { Reply } from '../call.ts';
import { type Change, put } from '../change.ts';
import { evolve } from '../evolve.ts';
import { findEntry } from '../journal.ts';
import type { Effect } from '../step.ts';
import type { SuspendedCall, World } from '../world.ts';
import { piecesOf } from './answer-call.ts';
import { refusalReply } from './refuse.ts';
import { RequestContext } from './request-context.ts';
import { runAndAnswer } from './run-request.ts';
import { tokenText } from './stages.ts';

/** Answers a suspended call, and completes its entry in the journal. */
export function answerSuspendedCall(world: World, suspended: SuspendedCall): readonly Effect[] {
  const { n, requestId, reply } = suspended;
  if (reply === null) throw new Error(`suspended call ${suspended.id} has no answer`);
  endSuspension(world, suspended, reply);
  return [{ kind: 'answer', n, requestId, reply }];
}

function endSuspension(world: World, { id, n }: SuspendedCall, reply: Reply): void {
  const entry = findEntry(world.journal, n);
  const changes: Change[] = [{ type: 'remove', table: 'suspendedCalls', key: id }];
  if (entry !== undefined) {
    changes.push({ type: 'journal', entry: { ...entry, reply, answeredAtMs: world.nowMs } });
  }
  evolve(world, changes);
}

/** The next piece of a slow body; with the last one the call is answered. */
export function sendPiece(world: World, suspended: SuspendedCall): readonly Effect[] {
  const { id, n, reply, left = 1, wakeAtMs } = suspended;
  if (reply === null) throw new Error(`suspended call ${id} has no answer`);
  const body = Buffer.from(reply.body);
  const pieces = piecesOf(reply);
  const upTo = (count: number) => Math.floor((body.byteLength * count) / pieces);
  const bytes = body.subarray(upTo(pieces - left), upTo(pieces - left + 1));
  const piece: Effect = { kind: 'piece', n, bytes };
  if (left <= 1) {
    endSuspension(world, suspended, reply);
    return [piece, { kind: 'end', n, isWhole: true }];
  }
  const dueAtMs = world.nowMs + Math.round(((wakeAtMs ?? 0) - world.nowMs) / (left - 1));
  evolve(world, [
    put('suspendedCalls', { ...suspended, left: left - 1 }),
    { type: 'timer', kind: 'piece', dueAtMs, ref: id },
  ]);
  return [piece];
}

/** IDEM-14b, NS-34: given up; its key is free again and the call will never run. */
export function abandonSuspendedCall(world: World, suspended: SuspendedCall): void {
  const { id, keyId, wakeAtMs } = suspended;
  if (keyId !== null) evolve(world, [{ type: 'key', keyId, record: null }]);
  // A hang has nothing more to come; a delay still owes its caller an answer.
  evolve(world, [
    wakeAtMs === null
      ? { type: 'remove', table: 'suspendedCalls', key: id }
      : put('suspendedCalls', { ...suspended, abandoned: true }),
  ]);
}

/** The delay is over: the call runs as it came, every stage passed already. */
export function resumeSuspendedCall(
  world: World,
  behaviour: Behaviour,
  suspended: SuspendedCall,
): readonly Effect[] {
  const { id, call, facts, n, faultId } = suspended;
  const context = new RequestContext(world, behaviour, call, facts, n);
  if (suspended.abandoned) {
    // IDEM-14b, NS-34.
    const detail = 'This attempt was given up before it ran. Repeat it with the same key.';
    const refused = refusalReply(context, 'internal_error', detail);
    const reply = { ...refused, headers: { ...refused.headers, 'x-sandbox-fault': faultId } };
    return answerSuspendedCall(world, { ...suspended, reply });
  }
  evolve(world, [{ type: 'remove', table: 'suspendedCalls', key: id }]);
  restoreContext(context, suspended);
  return runAndAnswer(context).effects;
}

/** What the stages had found out when the call was suspended. */
function restoreContext(context: RequestContext, suspended: SuspendedCall): void {
  const { world, behaviour } = context;
  const { clientId, keyId, askedAtMs, faultId, n } = suspended;
  context.credential = world.credentials.get(clientId ?? '') ?? null;
  for (const { name, decide } of behaviour.stages) {
    if (name === 'route' || name === 'key' || name === 'readable') decide(context);
  }
  context.token = world.tokens.get(tokenText(context) ?? '') ?? null;
  context.receivedAtMs = askedAtMs;
  const { operation } = context;
  if (keyId !== null && operation !== null) {
    context.keyId = keyId;
    context.subject = behaviour.keys.subjects[operation]?.(context) ?? null;
    context.idempotency = 'first';
  }
  // As the journal says, or as the fault is now if a state was loaded meanwhile.
  const fault = world.faults.get(faultId);
  context.faults = findEntry(world.journal, n)?.faults ?? (fault === undefined ? [] : [fault]);
}
