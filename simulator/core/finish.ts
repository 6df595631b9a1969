// Ends an attempt: what is recorded under its key, what the journal keeps, what is answered.
import type { Attempt } from './attempt.ts';
import type { Decision, Reply } from './call.ts';
import { evolve } from './evolve.ts';
import { findEntry, type JournalEntry } from './journal.ts';
import type { StepResult } from './step.ts';

/** What the journal needs besides the attempt and its decision. */
export interface Ending {
  readonly steps: readonly string[];
  /** Sequence number of the last event before the attempt. */
  readonly eventsAfter: number;
  readonly faultId: string | null;
}

const faultHeader = 'x-sandbox-fault';

/** Keeps the answer for repeats where it may be kept, and gives it. */
export function finishAttempt(
  attempt: Attempt,
  decision: Decision,
  ending: Ending,
  recordable: boolean,
): StepResult {
  if (recordable) record(attempt, decision.reply);
  return answer(attempt, decision.reply, decision.cites, ending);
}

export function answer(
  attempt: Attempt,
  given: Reply,
  cites: readonly string[],
  ending: Ending,
): StepResult {
  const finished = attempt.behaviour.finish(given, attempt);
  const reply = ending.faultId === null ? finished : withFault(finished, ending.faultId);
  journal(attempt, cites, ending, { reply, answeredAtMs: attempt.world.nowMs });
  const { n, requestId } = attempt;
  return { effects: [{ kind: 'answer', n, requestId, reply }], n };
}

/** IDEM-4, IDEM-6: kept as printed, unless it may be retried. */
export function record(attempt: Attempt, reply: Reply): void {
  const { world, behaviour, keyId } = attempt;
  if (keyId === null) return;
  if (!behaviour.keys.records(reply)) {
    forgetInFlight(attempt, keyId);
    return;
  }
  // NS-42.
  const atMs = behaviour.settings.key_age_from === 'request' ? attempt.askedAtMs : world.nowMs;
  evolve(world, [{ type: 'key-recorded', keyId, record: { atMs, reply, attempt: attempt.n } }]);
}

/** An attempt that is over without anything to repeat frees its key. */
export function forgetInFlight({ world, behaviour }: Attempt, keyId: string): void {
  const record = behaviour.keys.find(world, keyId, world.nowMs);
  if (record?.reply === null) evolve(world, [{ type: 'key-forgotten', keyId }]);
}

export function withFault(reply: Reply, faultId: string): Reply {
  return { ...reply, headers: { ...reply.headers, [faultHeader]: faultId } };
}

interface Shown {
  readonly reply: Reply | null;
  readonly answeredAtMs: number | null;
  readonly reset?: boolean;
}

export function journal(
  attempt: Attempt,
  cites: readonly string[],
  ending: Ending,
  shown: Shown,
): void {
  const kept = attempt.world.journal;
  // An attempt that was held back came earlier, and drew from its allowance then.
  const before = attempt.n > kept.newest ? undefined : findEntry(kept, attempt.n);
  const entry: JournalEntry = {
    n: attempt.n,
    requestId: attempt.requestId,
    atMs: attempt.askedAtMs,
    call: attempt.call,
    operation: attempt.operation,
    clientId: attempt.credential?.clientId ?? null,
    key: attempt.key,
    subject: attempt.subject,
    idempotency: attempt.idempotency,
    firstAttempt: attempt.firstAttempt,
    steps: ending.steps,
    allowanceLeft: before?.allowanceLeft ?? attempt.allowanceLeft,
    allowance: before?.allowance ?? attempt.allowance,
    cites,
    eventsAfter: ending.eventsAfter,
    eventsTo: attempt.world.events.lastSeq,
    faultId: ending.faultId,
    reply: shown.reply,
    answeredAtMs: shown.answeredAtMs,
    reset: shown.reset ?? false,
  };
  evolve(attempt.world, [{ type: 'journalled', entry }]);
}
