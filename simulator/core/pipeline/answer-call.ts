// Ends a call: what is recorded under its key, what the journal keeps, and how its answer leaves,
// whole or as a fault lets it through.
import type { Cite, Decision, Reply } from '../call.ts';
import { put } from '../change.ts';
import { evolve } from '../evolve.ts';
import { findHints } from '../explain/hints.ts';
import { findEntry, type JournalEntry } from '../journal.ts';
import type { Effect, StepResult } from '../step.ts';
import type { TimerKind } from '../timers.ts';
import type { SuspendedCall } from '../world.ts';
import type { CallEffect } from './find-fault.ts';
import type { RequestContext } from './request-context.ts';

/** IDEM-4, IDEM-6: kept under the key as printed, unless it may be retried. */
export function recordReply(context: RequestContext, reply: Reply): void {
  const { world, behaviour, keyId } = context;
  if (keyId === null) return;
  if (!behaviour.keys.records(reply)) {
    releaseKey(context);
    return;
  }
  // NS-42.
  const atMs = behaviour.settings.key_age_from === 'request' ? context.receivedAtMs : world.nowMs;
  evolve(world, [{ type: 'key', keyId, record: { atMs, reply, firstCall: context.n } }]);
}

/** A call that is over without anything to repeat frees its key. */
export function releaseKey({ world, behaviour, keyId }: RequestContext): void {
  if (keyId === null) return;
  const record = behaviour.keys.find(world, keyId, world.nowMs);
  if (record?.reply === null) evolve(world, [{ type: 'key', keyId, record: null }]);
}

/** Journals the call, and hands its answer to the host as the fault lets it through. */
export function answerCall(
  context: RequestContext,
  { reply: given, cites }: Pick<Decision, 'reply' | 'cites'>,
  fault: CallEffect | null = null,
): StepResult {
  const { n, requestId } = context;
  const effects = fault === null ? null : answerUnder(context, given, cites, fault);
  if (effects !== null) return { effects, n };
  const reply = finishReply(context, given);
  journalCall(context, cites, reply);
  return { effects: [{ kind: 'answer', n, requestId, reply }], n };
}

/** What is left of an answer under this fault; null: it leaves whole and now. */
function answerUnder(
  context: RequestContext,
  given: Reply,
  cites: readonly Cite[],
  fault: CallEffect,
): readonly Effect[] | null {
  const { n, requestId, world } = context;
  if (fault.kind === 'hang' || fault.kind === 'reset') {
    const isReset = fault.kind === 'reset';
    journalCall(context, cites, null, isReset);
    return isReset ? [{ kind: 'reset', n }] : [];
  }
  const reply = finishReply(context, given);
  const body = Buffer.from(reply.body);
  if (fault.kind === 'delay') {
    const wakeAtMs = world.nowMs + fault.ms;
    journalCall(context, cites, null);
    suspend(context, { reply, wakeAtMs }, [['answer', wakeAtMs]]);
    return [];
  }
  if (fault.kind === 'slow_body' && body.byteLength > 0 && fault.ms > 0) {
    const wakeAtMs = world.nowMs + fault.ms;
    journalCall(context, cites, null);
    const left = piecesOf(reply);
    const firstAtMs = world.nowMs + Math.round(fault.ms / left);
    suspend(context, { reply, wakeAtMs, left }, [['piece', firstAtMs]]);
    return [{ kind: 'begin', n, requestId, reply }];
  }
  // A shorter body arrives whole.
  if (fault.kind !== 'truncate' || body.byteLength <= fault.bytes) return null;
  journalCall(context, cites, reply);
  return [
    { kind: 'begin', n, requestId, reply },
    { kind: 'piece', n, bytes: body.subarray(0, fault.bytes) },
    { kind: 'end', n, isWhole: false },
  ];
}

/** A slow body comes in ten pieces, or in as many as it has bytes. */
export const piecesOf = ({ body }: Reply): number => Math.min(10, Buffer.byteLength(body));

/** The answer as it leaves, with the id of the last fault that struck the call. */
function finishReply(context: RequestContext, given: Reply): Reply {
  if (given.isForeign === true) return given;
  const reply = context.behaviour.finalizeReply(given, context);
  const fault = context.faults.at(-1);
  if (fault === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, 'x-sandbox-fault': fault.id } };
}

/** Keeps a call until its timers are due; a `reply` of null: nothing has run yet. */
export function suspend(
  context: RequestContext,
  waiting: Pick<SuspendedCall, 'reply' | 'wakeAtMs' | 'left'>,
  timers: readonly (readonly [TimerKind, number])[],
): void {
  const { world, keyId, call, facts, n, requestId, credential } = context;
  const id = String(world.counters.suspendedCall + 1);
  const suspended: SuspendedCall = {
    id,
    n,
    requestId,
    askedAtMs: context.receivedAtMs,
    call,
    clientId: credential?.client_id ?? null,
    keyId,
    facts,
    faultId: context.faults.at(-1)?.id ?? '',
    abandoned: false,
    ...waiting,
  };
  evolve(world, [
    put('suspendedCalls', suspended),
    ...timers.map(([kind, dueAtMs]) => ({ type: 'timer', kind, dueAtMs, ref: id }) as const),
  ]);
}

/** `reply` is null if it is held back or lost. */
export function journalCall(
  context: RequestContext,
  cites: readonly Cite[],
  reply: Reply | null,
  reset = false,
): void {
  const { journal, nowMs, events } = context.world;
  // A call that was suspended came earlier, and drew from its allowance then.
  const before = context.n > journal.newest ? undefined : findEntry(journal, context.n);
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
    decidedBy: context.decidedBy,
    allowanceLeft: before?.allowanceLeft ?? context.allowanceLeft,
    allowance: before?.allowance ?? context.allowance,
    cites,
    hints: findHints(context, reply, before),
    eventsAfter: context.eventsAfter,
    eventsTo: events.lastSeq,
    faults: context.faults,
    reply,
    answeredAtMs: reply === null ? null : nowMs,
    reset,
  };
  evolve(context.world, [{ type: 'journal', entry }]);
}
