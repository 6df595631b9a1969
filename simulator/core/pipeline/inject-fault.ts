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

/** A call that met a fault, and what the fault does to it. */
interface Struck {
  readonly effect: CallEffect;
  readonly completion: Completion;
}

/** Nothing has run: another answer, no answer, or a later run. Null: no fault was ordered. */
export function injectFaultBefore(
  context: RequestContext,
  completion: Completion,
): StepResult | null {
  if (context.world.faults.size === 0) return null;
  const steps = stepNamesBeforeOperation(context.behaviour.stages);
  const struck = strike(context, 'before', { ...completion, steps });
  if (struck === null) return null;
  const { effect } = struck;
  switch (effect.kind) {
    case 'status': {
      const { reply, cites } = statusDecision(context, effect.status);
      return completeWithReply(context, reply, cites, struck.completion);
    }
    case 'refuse': {
      const decision = refuseCode(context, effect.code);
      const recordable = context.keyId !== null && isRecordedRefusal(effect.code);
      return completeRequest(context, decision, struck.completion, recordable);
    }
    case 'reset':
      return cutConnection(context, [], struck.completion);
    default:
      return suspendRequest(context, struck.completion, effect.kind === 'delay' ? effect.ms : null);
  }
}

/** The operation has run; only its answer suffers. Null: no fault was ordered. */
export function injectFaultAfter(
  context: RequestContext,
  decision: Decision,
  completion: Completion,
): StepResult | null {
  const struck = strike(context, 'after', completion);
  if (struck === null) return null;
  if (context.keyId !== null) {
    // IDEM-6: behind a status nothing is recorded, so a repeat runs again and converges.
    if (struck.effect.kind === 'status') releaseKey(context, context.keyId);
    else recordReply(context, decision.reply);
  }
  return withholdAnswer(context, decision, struck);
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
  const struck = strike(context, 'before', completion) ?? strike(context, 'after', completion);
  return struck === null ? null : withholdAnswer(context, replayed, struck);
}

/** Finds the fault that this call meets, and counts it. */
function strike(
  context: RequestContext,
  phase: 'before' | 'after',
  completion: Completion,
): Struck | null {
  const { world, operation, call, path, credential } = context;
  if (world.faults.size === 0 || operation === null) return null;
  const clientId = credential?.clientId ?? null;
  const subject = { operation, method: call.method, path, clientId };
  const { struck, changed } = searchCallFaults(world, phase, subject);
  for (const fault of changed) evolve(world, [{ type: 'fault-set', fault }]);
  if (struck === null) return null;
  const effect = struck.effect as CallEffect;
  const faults = [...completion.faults, { id: struck.id, phase, effect }];
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
  { effect, completion }: Struck,
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
