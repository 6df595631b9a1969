// What a fault does to a call: an answer in its place, a call suspended, an answer lost, late, cut
// short or slow.

import type { Cite, Decision } from '../call.ts';
import { evolve } from '../evolve.ts';
import type { StepResult } from '../step.ts';
import {
  type Completion,
  completeRequest,
  completeWithReply,
  journalCall,
  recordReply,
  releaseKey,
} from './complete-request.ts';
import { isRecordedRefusal, refuseCode, statusDecision } from './fault-answers.ts';
import { type CallEffect, searchCallFaults } from './find-fault.ts';
import type { RequestContext } from './request-context.ts';
import { stepNamesBeforeOperation } from './run-stages.ts';
import { sendSlowly, sendTruncated } from './send-body.ts';
import { delayAnswer, suspendRequest } from './suspend-request.ts';

/** What a fault does to the call that it meets. */
interface Injection {
  readonly effect: CallEffect;
  readonly completion: Completion;
}

/** Nothing has run: another answer, no answer, or a later run. Null: no fault was ordered. */
export function injectFaultBefore(context: RequestContext, passed: Completion): StepResult | null {
  if (context.world.faults.size === 0) return null;
  const steps = stepNamesBeforeOperation(context.behaviour.stages);
  const injection = findInjection(context, 'before', { ...passed, steps });
  if (injection === null) return null;
  const { effect, completion } = injection;
  switch (effect.kind) {
    case 'status': {
      const { reply, cites } = statusDecision(context, effect.status);
      return completeWithReply(context, reply, cites, completion);
    }
    case 'refuse': {
      const decision = refuseCode(context, effect.code);
      return completeRequest(context, decision, completion, isRecordedRefusal(effect.code));
    }
    case 'reset':
      return cutConnection(context, [], completion);
    default:
      return suspendRequest(context, completion, effect.kind === 'delay' ? effect.ms : null);
  }
}

/** The operation has run; only its answer suffers. Null: no fault was ordered. */
export function injectFaultAfter(
  context: RequestContext,
  decision: Decision,
  completion: Completion,
): StepResult | null {
  const injection = findInjection(context, 'after', completion);
  if (injection === null) return null;
  if (context.keyId !== null) {
    // IDEM-6: behind a status nothing is recorded, so a repeat runs again and converges.
    if (injection.effect.kind === 'status') releaseKey(context, context.keyId);
    else recordReply(context, decision.reply);
  }
  return withholdAnswer(context, decision, injection);
}

/**
 * A repeat that gets the first answer is struck like any call, in either phase; what is recorded
 * stays as it is. Null: no fault was ordered.
 */
export function injectFaultOnReplay(
  context: RequestContext,
  replayed: Decision,
  completion: Completion,
): StepResult | null {
  const injection =
    findInjection(context, 'before', completion) ?? findInjection(context, 'after', completion);
  return injection === null ? null : withholdAnswer(context, replayed, injection);
}

/** Finds the fault that this call meets, and counts it. */
function findInjection(
  context: RequestContext,
  phase: 'before' | 'after',
  completion: Completion,
): Injection | null {
  const { world, operation, call, path, credential } = context;
  if (world.faults.size === 0 || operation === null) return null;
  const clientId = credential?.client_id ?? null;
  const subject = { operation, method: call.method, path, clientId };
  const { found, changed } = searchCallFaults(world, phase, subject);
  for (const fault of changed) evolve(world, [{ type: 'fault-set', fault }]);
  if (found === null) return null;
  const effect = found.effect as CallEffect;
  const faults = [...completion.faults, { id: found.id, phase, effect }];
  return { effect, completion: { ...completion, faults } };
}

function cutConnection(
  context: RequestContext,
  cites: readonly Cite[],
  completion: Completion,
): StepResult {
  journalCall(context, cites, completion, { reply: null, answeredAtMs: null, reset: true });
  return { effects: [{ kind: 'reset', n: context.n }], n: context.n };
}

/** There is an answer; it is replaced, lost, late, cut short or slow. */
function withholdAnswer(
  context: RequestContext,
  decision: Decision,
  { effect, completion }: Injection,
): StepResult {
  switch (effect.kind) {
    case 'status': {
      const { reply, cites } = statusDecision(context, effect.status);
      return completeWithReply(context, reply, cites, completion);
    }
    case 'refuse': {
      const { reply, cites } = refuseCode(context, effect.code);
      return completeWithReply(context, reply, cites, completion);
    }
    case 'reset':
      return cutConnection(context, decision.cites, completion);
    case 'hang':
      journalCall(context, decision.cites, completion, { reply: null, answeredAtMs: null });
      return { effects: [], n: context.n };
    case 'delay':
      return delayAnswer(context, decision, completion, effect.ms);
    case 'truncate':
      return sendTruncated(context, decision, completion, effect.bytes);
    case 'slow_body':
      return sendSlowly(context, decision, completion, effect.ms);
  }
}
