// Ends a call: what is recorded under its key, what the journal keeps, what is answered.
import type { Behaviour } from '../behaviour.ts';
import type { Cite, Decision, Reply } from '../call.ts';
import { evolve } from '../evolve.ts';
import { findHints } from '../explain/hints.ts';
import { findEntry, type InjectedFault, type JournalEntry } from '../journal.ts';
import type { StepResult } from '../step.ts';
import type { RequestContext } from './request-context.ts';

/** What the journal needs besides the call and its decision. */
export interface Completion {
  readonly steps: readonly string[];
  /** Sequence number of the last event before the call. */
  readonly eventsAfter: number;
  /** What faults have done to it so far, in order. */
  readonly faults: readonly InjectedFault[];
}

const faultHeader = 'x-sandbox-fault';

/** Keeps the answer under its key where it has one and it may be kept, and gives it. */
export function completeRequest(
  context: RequestContext,
  decision: Decision,
  completion: Completion,
  recordable: boolean,
): StepResult {
  if (recordable) recordReply(context, decision.reply);
  return completeWithReply(context, decision.reply, decision.cites, completion);
}

export function completeWithReply(
  context: RequestContext,
  given: Reply,
  cites: readonly Cite[],
  completion: Completion,
): StepResult {
  const reply = finishReply(context, given, completion);
  journalCall(context, cites, completion, { reply, answeredAtMs: context.world.nowMs });
  const { n, requestId } = context;
  return { effects: [{ kind: 'answer', n, requestId, reply }], n };
}

/** The answer as it leaves, with the id of the last fault that struck the call. */
export function finishReply(context: RequestContext, given: Reply, completion: Completion): Reply {
  if (given.isForeign === true) return given;
  const finished = context.behaviour.finalizeReply(given, context);
  const fault = completion.faults.at(-1);
  return fault === undefined ? finished : withFaultHeader(finished, fault.id);
}

/** IDEM-4, IDEM-6: kept as printed, unless it may be retried. */
export function recordReply(context: RequestContext, reply: Reply): void {
  const { world, behaviour, keyId } = context;
  if (keyId === null) return;
  if (!behaviour.keys.records(reply)) {
    releaseKey(context, keyId);
    return;
  }
  // NS-42.
  const atMs = behaviour.settings.key_age_from === 'request' ? context.receivedAtMs : world.nowMs;
  evolve(world, [{ type: 'key', keyId, record: { atMs, reply, firstCall: context.n } }]);
}

/** A call that is over without anything to repeat frees its key. */
export function releaseKey({ world, behaviour }: RequestContext, keyId: string): void {
  const record = behaviour.keys.find(world, keyId, world.nowMs);
  if (record?.reply === null) evolve(world, [{ type: 'key', keyId, record: null }]);
}

export function withFaultHeader(reply: Reply, faultId: string): Reply {
  return { ...reply, headers: { ...reply.headers, [faultHeader]: faultId } };
}

interface JournalOutcome {
  readonly reply: Reply | null;
  readonly answeredAtMs: number | null;
  readonly reset?: boolean;
}

export function journalCall(
  context: RequestContext,
  cites: readonly Cite[],
  completion: Completion,
  shown: JournalOutcome,
): void {
  const kept = context.world.journal;
  // A call that was suspended came earlier, and drew from its allowance then.
  const before = context.n > kept.newest ? undefined : findEntry(kept, context.n);
  const entry: JournalEntry = {
    n: context.n,
    requestId: context.requestId,
    atMs: context.receivedAtMs,
    call: context.call,
    operation: context.operation,
    clientId: context.credential?.client_id ?? null,
    key: context.key,
    subject: context.subject,
    idempotency: context.idempotency,
    firstCall: context.firstCall,
    steps: completion.steps,
    allowanceLeft: before?.allowanceLeft ?? context.allowanceLeft,
    allowance: before?.allowance ?? context.allowance,
    cites,
    hints: findHints(context, shown.reply, before),
    eventsAfter: completion.eventsAfter,
    eventsTo: context.world.events.lastSeq,
    faults: completion.faults,
    reply: shown.reply,
    answeredAtMs: shown.answeredAtMs,
    reset: shown.reset ?? false,
  };
  evolve(context.world, [{ type: 'journal', entry }]);
}

const stageNames = new WeakMap<Behaviour['stages'], readonly string[][]>();

/**
 * The lists of steps that can be taken, one for each stage that may decide; made once, shared by
 * all calls.
 */
export function stepsOf(stages: Behaviour['stages'], count: number): readonly string[] {
  let lists = stageNames.get(stages);
  if (lists === undefined) {
    const names = [...stages.map((stage) => stage.name), 'operation'];
    lists = [...names.keys(), names.length].map((length) => names.slice(0, length));
    stageNames.set(stages, lists);
  }
  return lists[count] ?? [];
}

/** Every stage, and the operation after them: the steps of a call that ran. */
export function stepNamesWithOperation(stages: Behaviour['stages']): readonly string[] {
  return stepsOf(stages, stages.length + 1);
}

/** Every stage and nothing after them: the steps of a call that a fault kept from running. */
export function stepNamesBeforeOperation(stages: Behaviour['stages']): readonly string[] {
  return stepsOf(stages, stages.length);
}
