// What becomes of a suspended call: it runs at last, is answered at last, or is given up.
import type { Behaviour } from '../behaviour.ts';
import type { Reply } from '../call.ts';
import { type Change, put } from '../change.ts';
import { evolve } from '../evolve.ts';
import { findEntry, type InjectedFault } from '../journal.ts';
import type { Effect, StepResult } from '../step.ts';
import type { SuspendedCall, World } from '../world.ts';
import { stepNamesWithOperation, withFaultHeader } from './complete-request.ts';
import { refusalReply } from './refuse.ts';
import { RequestContext } from './request-context.ts';
import { runAndComplete } from './run-request.ts';
import { tokenText } from './stages.ts';

export function findSuspendedCall(world: World, id: string): SuspendedCall {
  const suspended = world.suspendedCalls.get(id);
  if (suspended === undefined) throw new Error(`no suspended call ${id}`);
  return suspended;
}

/** Answers a suspended call, and completes its entry in the journal. */
export function answerSuspendedCall(
  world: World,
  suspended: SuspendedCall,
  reply: Reply,
): StepResult {
  const { n, requestId, faultId } = suspended;
  const shown = withFaultHeader(reply, faultId);
  endSuspension(world, suspended, shown);
  return { effects: [{ kind: 'answer', n, requestId, reply: shown }] };
}

function endSuspension(world: World, { id, n }: SuspendedCall, reply: Reply): void {
  const entry = findEntry(world.journal, n);
  const changes: Change[] = [{ type: 'remove', table: 'suspendedCalls', key: id }];
  if (entry !== undefined) {
    changes.push({ type: 'journal', entry: { ...entry, reply, answeredAtMs: world.nowMs } });
  }
  evolve(world, changes);
}

/** The suspended call of a timer for a piece, which piece it is, and of how many. */
export function parsePieceRef(ref: string): { id: string; piece: number; pieces: number } {
  const [id = '', piece, pieces] = ref.split('/');
  return { id, piece: Number(piece), pieces: Number(pieces) };
}

/** The next piece of a slow body; with the last one the call is answered. */
export function sendPiece(world: World, ref: string): readonly Effect[] {
  const { id, piece, pieces } = parsePieceRef(ref);
  const suspended = findSuspendedCall(world, id);
  const { n, reply } = suspended;
  if (reply === null) throw new Error(`suspended call ${id} has no answer`);
  const body = Buffer.from(reply.body);
  const upTo = (count: number) => Math.floor((body.byteLength * count) / pieces);
  const sent: Effect = { kind: 'piece', n, bytes: body.subarray(upTo(piece - 1), upTo(piece)) };
  if (piece < pieces) return [sent];
  endSuspension(world, suspended, reply);
  return [sent, { kind: 'end', n, isWhole: true }];
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
): StepResult {
  const { id, call, facts, n } = suspended;
  const context = new RequestContext(world, behaviour, call, facts, n);
  if (suspended.abandoned) {
    // IDEM-14b, NS-34.
    const detail = 'This attempt was given up before it ran. Repeat it with the same key.';
    const reply = refusalReply(context, 'internal_error', detail);
    return answerSuspendedCall(world, suspended, reply);
  }
  evolve(world, [{ type: 'remove', table: 'suspendedCalls', key: id }]);
  restoreContext(context, suspended);
  const steps = stepNamesWithOperation(behaviour.stages);
  const faults = faultsOf(world, suspended);
  return runAndComplete(context, { steps, eventsAfter: world.events.lastSeq, faults });
}

/** What suspended it: as the journal says, or as it is now if a state was loaded meanwhile. */
function faultsOf(world: World, { n, faultId }: SuspendedCall): readonly InjectedFault[] {
  const entry = findEntry(world.journal, n);
  if (entry !== undefined) return entry.faults;
  const fault = world.faults.get(faultId);
  return fault === undefined ? [] : [{ id: fault.id, phase: fault.phase, effect: fault.effect }];
}

/** What the stages had found out when the call was suspended. */
function restoreContext(context: RequestContext, suspended: SuspendedCall): void {
  const { world, behaviour } = context;
  for (const { name, decide } of behaviour.stages) {
    if (name === 'route' || name === 'key' || name === 'readable') decide(context);
  }
  context.operation = suspended.operation;
  context.receivedAtMs = suspended.askedAtMs;
  context.credential = world.credentials.get(suspended.clientId ?? '') ?? null;
  context.token = world.tokens.get(tokenText(context) ?? '') ?? null;
  context.keyId = suspended.keyId;
  context.subject = suspended.subject;
  context.idempotency = suspended.keyId === null ? null : 'first';
}
