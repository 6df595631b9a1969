// What a fault does to a call: an answer in its place, an attempt held back, an answer lost or
// late.

import type { Decision, Reply } from '../call.ts';
import type { Change } from '../change.ts';
import { evolve } from '../evolve.ts';
import { findEntry } from '../journal.ts';
import type { StepResult } from '../step.ts';
import type { SuspendedCall, World } from '../world.ts';
import {
  type Completion,
  completeRequest,
  completeWithReply,
  journalCall,
  recordReply,
  releaseKey,
  withFaultHeader,
} from './complete-request.ts';
import { runOperation, stepNamesBeforeOperation } from './decide.ts';
import { type Fault, findCallFault } from './find-fault.ts';
import { rateRefusal } from './rate.ts';
import { refusalReply } from './refuse.ts';
import type { RequestContext } from './request-context.ts';

/** Goes on after the stages: suspended by a fault, or run. */
export function runOrInjectFault(context: RequestContext, completion: Completion): StepResult {
  const fault = findFaultFor(context, 'before');
  if (fault === null) return runAndComplete(context, completion);
  countHit(context, fault);
  const steps = stepNamesBeforeOperation(context.behaviour.stages);
  const faulted: Completion = { ...completion, steps, faultId: fault.id };
  const { effect } = fault;
  if (effect.kind !== 'status') return suspendRequest(context, fault, faulted);
  const reply = statusReply(context, effect.status);
  return completeWithReply(context, reply, ['IDEM-6b', 'IDEM-6c'], faulted);
}

/** Runs the operation of an attempt that has passed every stage, now or after it was held back. */
export function runAndComplete(context: RequestContext, completion: Completion): StepResult {
  const decision = runOperation(context);
  const fault = findFaultFor(context, 'after');
  if (fault !== null) return withholdAnswer(context, decision, completion, fault);
  return completeRequest(context, decision, completion, context.keyId !== null);
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

/** A fault after: it has run; only the answer is lost, late or replaced. */
function withholdAnswer(
  context: RequestContext,
  decision: Decision,
  completion: Completion,
  fault: Fault,
): StepResult {
  countHit(context, fault);
  const { world, n } = context;
  const faulted: Completion = { ...completion, faultId: fault.id };
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
  if (effect.kind === 'delay') {
    const suspended = newSuspendedCall(context, fault, decision.reply, world.nowMs + effect.ms);
    journalCall(context, decision.cites, faulted, { reply: null, answeredAtMs: null });
    const dueAtMs = world.nowMs + effect.ms;
    evolve(world, [
      { type: 'held-set', held: suspended },
      { type: 'counted', counter: 'held', to: world.counters.held + 1 },
      { type: 'timer-set', dueAtMs, kind: 'answer', ref: suspended.id },
    ]);
    return { effects: [], n };
  }
  const reset = effect.kind === 'reset';
  journalCall(context, decision.cites, faulted, { reply: null, answeredAtMs: null, reset });
  return { effects: reset ? [{ kind: 'reset', n }] : [], n };
}

/** A fault before that holds the attempt back: its key reads in flight meanwhile (IDEM-14a). */
function suspendRequest(context: RequestContext, fault: Fault, faulted: Completion): StepResult {
  const { world, behaviour, n, keyId } = context;
  const { effect } = fault;
  journalCall(context, ['IDEM-14a'], faulted, {
    reply: null,
    answeredAtMs: null,
    reset: effect.kind === 'reset',
  });
  if (effect.kind === 'reset') return { effects: [{ kind: 'reset', n }], n };
  const wakeAtMs = effect.kind === 'delay' ? world.nowMs + effect.ms : null;
  const suspended = newSuspendedCall(context, fault, null, wakeAtMs);
  const changes: Change[] = [
    { type: 'held-set', held: suspended },
    { type: 'counted', counter: 'held', to: world.counters.held + 1 },
  ];
  if (keyId !== null) {
    const record = { atMs: world.nowMs, reply: null, attempt: n };
    changes.push({ type: 'key-recorded', keyId, record });
  }
  // IDEM-14b: never given up in under about 30 seconds.
  const abandonAtMs = world.nowMs + behaviour.keys.abandonAfterMs;
  changes.push({ type: 'timer-set', dueAtMs: abandonAtMs, kind: 'abandon', ref: suspended.id });
  if (wakeAtMs !== null) {
    changes.push({ type: 'timer-set', dueAtMs: wakeAtMs, kind: 'wake', ref: suspended.id });
  }
  evolve(world, changes);
  return { effects: [], n };
}

function newSuspendedCall(
  context: RequestContext,
  fault: Fault,
  reply: Reply | null,
  wakeAtMs: number | null,
): SuspendedCall {
  if (context.operation === null) throw new Error('a call was suspended without a route');
  return {
    id: String(context.world.counters.held + 1),
    n: context.n,
    requestId: context.requestId,
    askedAtMs: context.receivedAtMs,
    call: context.call,
    operation: context.operation,
    clientId: context.credential?.clientId ?? null,
    keyId: context.keyId,
    subject: context.subject,
    facts: context.facts,
    reply,
    wakeAtMs,
    faultId: fault.id,
    abandoned: false,
  };
}

/** Answers a held call at last, and completes its entry in the journal. */
export function answerSuspendedCall(
  world: World,
  suspended: SuspendedCall,
  reply: Reply,
): StepResult {
  const entry = findEntry(world.journal, suspended.n);
  const shown = withFaultHeader(reply, suspended.faultId);
  const changes: Change[] = [{ type: 'held-removed', id: suspended.id }];
  if (entry !== undefined) {
    const answered = { ...entry, reply: shown, answeredAtMs: world.nowMs };
    changes.push({ type: 'journalled', entry: answered });
  }
  evolve(world, changes);
  return {
    effects: [{ kind: 'answer', n: suspended.n, requestId: suspended.requestId, reply: shown }],
  };
}
