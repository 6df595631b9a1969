// What a fault does to a call: an answer in its place, a call suspended, an answer lost or late.

import type { Decision, Reply } from '../call.ts';
import { evolve } from '../evolve.ts';
import type { StepResult } from '../step.ts';
import {
  type Completion,
  completeWithReply,
  type FaultCompletion,
  journalCall,
  recordReply,
  releaseKey,
} from './complete-request.ts';
import { type Fault, findCallFault } from './find-fault.ts';
import { rateRefusal } from './rate.ts';
import { refusalReply } from './refuse.ts';
import type { RequestContext } from './request-context.ts';
import { stepNamesBeforeOperation } from './run-stages.ts';
import { delayAnswer, suspendRequest } from './suspend-request.ts';

/** Nothing has run: another answer, no answer, or a later run. Null: no fault was ordered. */
export function injectFaultBefore(
  context: RequestContext,
  completion: Completion,
): StepResult | null {
  const fault = findFaultFor(context, 'before');
  if (fault === null) return null;
  countHit(context, fault);
  const steps = stepNamesBeforeOperation(context.behaviour.stages);
  const faulted: FaultCompletion = { ...completion, steps, faultId: fault.id };
  const { effect } = fault;
  if (effect.kind === 'status') {
    const reply = statusReply(context, effect.status);
    return completeWithReply(context, reply, ['IDEM-6b', 'IDEM-6c'], faulted);
  }
  if (effect.kind === 'reset') {
    journalCall(context, ['IDEM-14a'], faulted, { reply: null, answeredAtMs: null, reset: true });
    return { effects: [{ kind: 'reset', n: context.n }], n: context.n };
  }
  return suspendRequest(context, faulted, effect.kind === 'delay' ? effect.ms : null);
}

/** The operation has run; only its answer is lost, late or replaced. Null: no fault was ordered. */
export function injectFaultAfter(
  context: RequestContext,
  decision: Decision,
  completion: Completion,
): StepResult | null {
  const fault = findFaultFor(context, 'after');
  if (fault === null) return null;
  countHit(context, fault);
  const { n } = context;
  const faulted: FaultCompletion = { ...completion, faultId: fault.id };
  const { effect } = fault;
  if (effect.kind === 'status') {
    // IDEM-6: nothing is recorded, so a repeat runs again and converges.
    if (context.keyId !== null) releaseKey(context, context.keyId);
    return completeWithReply(
      context,
      statusReply(context, effect.status),
      ['IDEM-6b', 'IDEM-6c'],
      faulted,
    );
  }
  if (context.keyId !== null) recordReply(context, decision.reply);
  if (effect.kind === 'delay') return delayAnswer(context, decision, faulted, effect.ms);
  const reset = effect.kind === 'reset';
  journalCall(context, decision.cites, faulted, { reply: null, answeredAtMs: null, reset });
  return { effects: reset ? [{ kind: 'reset', n }] : [], n };
}

function findFaultFor(context: RequestContext, phase: 'before' | 'after'): Fault | null {
  const { world, operation, call, path, credential } = context;
  if (world.faults.size === 0 || operation === null) return null;
  const clientId = credential?.clientId ?? null;
  const subject = { operation, method: call.method, path, clientId };
  return findCallFault(world.faults.values(), phase, subject);
}

function countHit(context: RequestContext, fault: Fault): void {
  evolve(context.world, [{ type: 'fault-set', fault: { ...fault, hits: fault.hits + 1 } }]);
}

/** IDEM-6, LIM-6: a status that a fault orders comes in the API's own form and headers. */
function statusReply(context: RequestContext, status: 429 | 500 | 503): Reply {
  if (status === 429)
    return rateRefusal(context, 1000, 'A fault limits this call. Retry after the wait.');
  const code = status === 500 ? 'internal_error' : 'write_contention';
  const detail =
    status === 500
      ? 'A fault broke this call. Repeat it with the same key.'
      : 'A fault made others write the same record. Repeat the call with the same key.';
  return refusalReply(context, { code, detail, cites: [] });
}
