// What becomes of a suspended call: it runs at last, is answered at last, or is given up.

import type { Behaviour } from '../behaviour.ts';
import type { Reply } from '../call.ts';
import { evolve } from '../evolve.ts';
import { findEntry, type InjectedFault } from '../journal.ts';
import type { StepResult } from '../step.ts';
import type { SuspendedCall, World } from '../world.ts';
import { withFaultHeader } from './complete-request.ts';
import { refusalReply } from './refuse.ts';
import { RequestContext } from './request-context.ts';
import { runAndComplete } from './run-operation.ts';
import { stepNamesWithOperation } from './run-stages.ts';
import { endSuspension } from './suspend-request.ts';
import { tokenText } from './token.ts';

export function findSuspendedCall(world: World, id: string): SuspendedCall {
  const suspended = world.suspendedCalls.get(id);
  if (suspended === undefined) throw new Error(`no suspended call ${id}`);
  return suspended;
}

/** Answers a suspended call at last, and completes its entry in the journal. */
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

/** IDEM-14b, NS-34: given up; its key is free again and the call will never run. */
export function abandonSuspendedCall(world: World, suspended: SuspendedCall): string {
  if (suspended.keyId !== null) evolve(world, [{ type: 'key-forgotten', keyId: suspended.keyId }]);
  const over: SuspendedCall = { ...suspended, abandoned: true };
  // A hang has nothing more to come; a delay still owes its caller an answer.
  evolve(world, [
    suspended.wakeAtMs === null
      ? { type: 'suspended-removed', id: suspended.id }
      : { type: 'suspended-set', suspended: over },
  ]);
  return 'given up, the key is free';
}

/** The delay is over: the call runs as it came, every stage passed already. */
export function resumeSuspendedCall(
  world: World,
  behaviour: Behaviour,
  suspended: SuspendedCall,
): StepResult {
  const context = new RequestContext(
    world,
    behaviour,
    suspended.call,
    suspended.facts,
    suspended.n,
  );
  if (suspended.abandoned) {
    const reply = refusalReply(context, {
      code: 'internal_error',
      detail: 'This attempt was given up before it ran. Repeat it with the same key.',
      cites: ['IDEM-14b', 'NS-34'],
    });
    return answerSuspendedCall(world, suspended, reply);
  }
  evolve(world, [{ type: 'suspended-removed', id: suspended.id }]);
  restoreContext(context, suspended);
  const eventsAfter = world.events.lastSeq;
  const steps = stepNamesWithOperation(behaviour.stages);
  return runAndComplete(context, { steps, eventsAfter, faults: faultsOf(world, suspended) });
}

/** What suspended it: as the journal tells, or as it stands where a state was loaded meanwhile. */
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
  context.credential =
    suspended.clientId === null ? null : (world.credentials.get(suspended.clientId) ?? null);
  context.token = world.tokens.get(tokenText(context) ?? '') ?? null;
  context.keyId = suspended.keyId;
  context.subject = suspended.subject;
  context.idempotency = suspended.keyId === null ? null : 'first';
}
