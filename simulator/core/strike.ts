// What a fault does to a call: an answer in its place, an attempt held back, an answer lost or
// late.
import type { Attempt } from './attempt.ts';
import type { Decision, Reply } from './call.ts';
import type { Change } from './change.ts';
import { runOperation, stepsBeforeTheEnd } from './decide.ts';
import { evolve } from './evolve.ts';
import { type Fault, findCallFault } from './faults.ts';
import {
  answer,
  type Ending,
  finishAttempt,
  forgetInFlight,
  journal,
  record,
  withFault,
} from './finish.ts';
import { findEntry } from './journal.ts';
import { refusalReply } from './refuse.ts';
import { rateRefusal } from './stages/rate.ts';
import type { StepResult } from './step.ts';
import type { Held, World } from './world.ts';

/** Goes on after the stages: held back by a fault, or run. */
export function proceed(attempt: Attempt, ending: Ending): StepResult {
  const fault = findFault(attempt, 'before');
  if (fault === null) return runAttempt(attempt, ending);
  hit(attempt, fault);
  const steps = stepsBeforeTheEnd(attempt.behaviour.stages);
  const struck: Ending = { ...ending, steps, faultId: fault.id };
  const { effect } = fault;
  if (effect.kind !== 'status') return holdAttempt(attempt, fault, struck);
  const reply = statusReply(attempt, effect.status);
  return answer(attempt, reply, ['IDEM-6b', 'IDEM-6c'], struck);
}

/** Runs the operation of an attempt that has passed every stage, now or after it was held back. */
export function runAttempt(attempt: Attempt, ending: Ending): StepResult {
  const decision = runOperation(attempt);
  const fault = findFault(attempt, 'after');
  if (fault !== null) return loseAnswer(attempt, decision, ending, fault);
  return finishAttempt(attempt, decision, ending, attempt.keyId !== null);
}

function findFault(attempt: Attempt, phase: 'before' | 'after'): Fault | null {
  const { world, operation, call, path, credential } = attempt;
  if (world.faults.size === 0 || operation === null) return null;
  const clientId = credential?.clientId ?? null;
  const subject = { operation, method: call.method, path, clientId };
  return findCallFault(world.faults.values(), phase, subject);
}

function hit(attempt: Attempt, fault: Fault): void {
  evolve(attempt.world, [{ type: 'fault-set', fault: { ...fault, hits: fault.hits + 1 } }]);
}

/** IDEM-6, LIM-6: a status that a fault orders comes in the API's own form and headers. */
function statusReply(attempt: Attempt, status: 429 | 500 | 503): Reply {
  if (status === 429)
    return rateRefusal(attempt, 1000, 'A fault limits this call. Retry after the wait.');
  const code = status === 500 ? 'internal_error' : 'write_contention';
  const detail =
    status === 500
      ? 'A fault broke this call. Repeat it with the same key.'
      : 'A fault made others write the same record. Repeat the call with the same key.';
  return refusalReply(attempt, { code, detail, cites: [] });
}

/** A fault after: it has run; only the answer is lost, late or replaced. */
function loseAnswer(
  attempt: Attempt,
  decision: Decision,
  ending: Ending,
  fault: Fault,
): StepResult {
  hit(attempt, fault);
  const { world, n } = attempt;
  const struck: Ending = { ...ending, faultId: fault.id };
  const { effect } = fault;
  if (effect.kind === 'status') {
    // IDEM-6: nothing is recorded, so a repeat runs again and converges.
    if (attempt.keyId !== null) forgetInFlight(attempt, attempt.keyId);
    return answer(attempt, statusReply(attempt, effect.status), ['IDEM-6b', 'IDEM-6c'], struck);
  }
  if (attempt.keyId !== null) record(attempt, decision.reply);
  if (effect.kind === 'delay') {
    const held = newHeld(attempt, fault, decision.reply, world.nowMs + effect.ms);
    journal(attempt, decision.cites, struck, { reply: null, answeredAtMs: null });
    const dueAtMs = world.nowMs + effect.ms;
    evolve(world, [
      { type: 'held-set', held },
      { type: 'counted', counter: 'held', to: world.counters.held + 1 },
      { type: 'timer-set', dueAtMs, kind: 'answer', ref: held.id },
    ]);
    return { effects: [], n };
  }
  const reset = effect.kind === 'reset';
  journal(attempt, decision.cites, struck, { reply: null, answeredAtMs: null, reset });
  return { effects: reset ? [{ kind: 'reset', n }] : [], n };
}

/** A fault before that holds the attempt back: its key reads in flight meanwhile (IDEM-14a). */
function holdAttempt(attempt: Attempt, fault: Fault, struck: Ending): StepResult {
  const { world, behaviour, n, keyId } = attempt;
  const { effect } = fault;
  journal(attempt, ['IDEM-14a'], struck, {
    reply: null,
    answeredAtMs: null,
    reset: effect.kind === 'reset',
  });
  if (effect.kind === 'reset') return { effects: [{ kind: 'reset', n }], n };
  const wakeAtMs = effect.kind === 'delay' ? world.nowMs + effect.ms : null;
  const held = newHeld(attempt, fault, null, wakeAtMs);
  const changes: Change[] = [
    { type: 'held-set', held },
    { type: 'counted', counter: 'held', to: world.counters.held + 1 },
  ];
  if (keyId !== null) {
    const record = { atMs: world.nowMs, reply: null, attempt: n };
    changes.push({ type: 'key-recorded', keyId, record });
  }
  // IDEM-14b: never given up in under about 30 seconds.
  const abandonAtMs = world.nowMs + behaviour.keys.abandonAfterMs;
  changes.push({ type: 'timer-set', dueAtMs: abandonAtMs, kind: 'abandon', ref: held.id });
  if (wakeAtMs !== null) {
    changes.push({ type: 'timer-set', dueAtMs: wakeAtMs, kind: 'wake', ref: held.id });
  }
  evolve(world, changes);
  return { effects: [], n };
}

function newHeld(
  attempt: Attempt,
  fault: Fault,
  reply: Reply | null,
  wakeAtMs: number | null,
): Held {
  if (attempt.operation === null) throw new Error('an attempt was held without a route');
  return {
    id: String(attempt.world.counters.held + 1),
    n: attempt.n,
    requestId: attempt.requestId,
    askedAtMs: attempt.askedAtMs,
    call: attempt.call,
    operation: attempt.operation,
    clientId: attempt.credential?.clientId ?? null,
    keyId: attempt.keyId,
    subject: attempt.subject,
    facts: attempt.facts,
    reply,
    wakeAtMs,
    faultId: fault.id,
    abandoned: false,
  };
}

/** Answers a held call at last, and completes its entry in the journal. */
export function answerHeld(world: World, held: Held, reply: Reply): StepResult {
  const entry = findEntry(world.journal, held.n);
  const shown = withFault(reply, held.faultId);
  const changes: Change[] = [{ type: 'held-removed', id: held.id }];
  if (entry !== undefined) {
    const answered = { ...entry, reply: shown, answeredAtMs: world.nowMs };
    changes.push({ type: 'journalled', entry: answered });
  }
  evolve(world, changes);
  return { effects: [{ kind: 'answer', n: held.n, requestId: held.requestId, reply: shown }] };
}
