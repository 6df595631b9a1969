// Runs one call through its stages to its answer: the first stage that refuses decides, otherwise
// the operation. A fault applies before or after the operation: it replaces the answer, suspends
// the call, or loses, delays, cuts or slows the answer.
import type { Batch, Cite, Decision, Reply } from '../call.ts';
import { evolve, put, putAt, remove } from '../change.ts';
import { findHints } from '../explain/hints.ts';
import { findEntry, type JournalEntry } from '../journal.ts';
import type { StepResult } from '../step.ts';
import type { SuspendedCall } from '../world.ts';
import type { CallEffect, FaultRefusal } from './find-fault.ts';
import { operationOf, type RequestContext, refuse, refuseUnreadable } from './request-context.ts';
import { rateRefusal, refuseToken } from './stages.ts';
import { takeCallFault } from './take-fault.ts';

export function runCall(context: RequestContext): StepResult {
  const { world } = context;
  const refused = runStages(context);
  evolve(world, context.changes);
  if (refused === null) return applyFaultBefore(context) ?? runAndAnswer(context);
  evolve(world, refused.changes);
  if (context.idempotency === 'replayed') {
    // Faults apply to a replay as to any call, in both phases; the key record does not change.
    const fault = takeCallFault(context, 'before') ?? takeCallFault(context, 'after');
    return answerCall(context, orderedBy(context, fault) ?? refused, fault);
  }
  // NS-30: a refusal is recorded for repeats if it comes after the replay look-up, and not from it.
  if (context.decidedBy !== 'replay') recordReply(context, refused.reply);
  return answerCall(context, refused);
}

/** The first refusal; null if the call passes every stage. */
function runStages(context: RequestContext): Decision | null {
  for (const stage of context.behaviour.stages) {
    const decision = stage.decide(context);
    if (decision === null) continue;
    context.decidedBy = stage.name;
    return decision;
  }
  return null;
}

/** Runs the operation: now, or when the delay of a suspended call is over. */
export function runAndAnswer(context: RequestContext): StepResult {
  const { behaviour, world } = context;
  context.decidedBy = 'operation';
  const result = behaviour.operations[operationOf(context)](context);
  const decision = 'decideRow' in result ? runBatch(context, result) : result;
  evolve(world, decision.changes);
  const fault = takeCallFault(context, 'after');
  // IDEM-6: if a fault replaces the status nothing is recorded, so a repeat runs again.
  if (fault?.kind === 'status') releaseKey(context);
  else recordReply(context, decision.reply);
  return answerCall(context, orderedBy(context, fault) ?? decision, fault);
}

/** Applies the changes of a batch row by row, each row seeing the one before. */
function runBatch(context: RequestContext, batch: Batch): Decision {
  const outcome = context.idempotency;
  const replies: Reply[] = [];
  // BULK-3: a refused row rests on the rules of its refusal; what is open in it is not in the batch.
  const cites = new Set(batch.cites);
  for (let index = 0; index < batch.rows; index += 1) {
    const row = batch.decideRow(index);
    evolve(context.world, row.changes);
    replies.push(row.reply);
    if (row.reply.status < 400) continue;
    for (const cite of row.cites) if (!cite.startsWith('NS-')) cites.add(cite);
  }
  // A converged row does not make the whole batch converged.
  context.idempotency = outcome;
  return { reply: batch.answer(replies), changes: [], cites: [...cites] };
}

/** NS-30, IDEM-14a: refusals that come before the replay look-up, or from it. */
const neverRecorded: readonly FaultRefusal[] = [
  'idempotency_key_required',
  'idempotency_in_flight',
  'unauthorized',
  'unreadable',
];

/** A fault before anything has run: another response, none, or a later run. Null: no fault. */
function applyFaultBefore(context: RequestContext): StepResult | null {
  const fault = takeCallFault(context, 'before');
  if (fault === null) return null;
  if (fault.kind === 'delay') return suspendBefore(context, context.world.nowMs + fault.ms);
  if (fault.kind === 'hang') return suspendBefore(context, null);
  const decision = orderedBy(context, fault) ?? nothingRan;
  const isRecorded = fault.kind === 'refuse' && !neverRecorded.includes(fault.code);
  if (isRecorded) recordReply(context, decision.reply);
  return answerCall(context, decision, fault);
}

/** Placeholder for a response whose connection is cut. */
const nothingRan = { reply: { status: 500, contentType: null, body: '' }, cites: [] } as const;

/** Nothing runs until the delay is over (null: it hangs); the key is in flight (IDEM-14a). */
function suspendBefore(context: RequestContext, wakeAtMs: number | null): StepResult {
  const { n, keyId } = context;
  journalCall(context, ['IDEM-14a'], null);
  // Without a key no repeat can match it, so a hang leaves only its journal entry.
  if (wakeAtMs !== null || keyId !== null) suspend(context, null, wakeAtMs);
  return { effects: [], n };
}

/** Keeps a call until its timers are due; a `reply` of null means that it has not run yet. */
function suspend(context: RequestContext, reply: Reply | null, wakeAtMs: number | null): void {
  const { world, behaviour, keyId, call, facts, n, requestId, credential } = context;
  const id = String(world.counters.suspendedCall + 1);
  const suspended: SuspendedCall = {
    ...{ id, n, requestId, keyId, facts, reply, wakeAtMs, abandoned: false },
    call: { ...call, body: Buffer.from(call.body).toString('base64') },
    askedAtMs: context.receivedAtMs,
    clientId: credential?.client_id ?? null,
    faultId: context.faults.at(-1)?.id ?? '',
  };
  evolve(world, [put('suspendedCalls', suspended)]);
  if (reply === null && keyId !== null) {
    // IDEM-14b: never abandoned within about 30 seconds; a call without a key is never abandoned.
    const dueAtMs = world.nowMs + behaviour.keys.abandonAfterMs;
    evolve(world, [
      putAt('keys', keyId, { atMs: world.nowMs, reply: null, firstCall: n }),
      { type: 'timer', kind: 'abandon', dueAtMs, ref: id },
    ]);
  }
  if (wakeAtMs === null) return;
  const kind = reply === null ? 'wake' : 'answer';
  evolve(world, [{ type: 'timer', kind, dueAtMs: wakeAtMs, ref: id }]);
}

const codeOfStatus = {
  429: 'rate_limited',
  500: 'internal_error',
  503: 'write_contention',
} as const;

/** The response of a fault; null if the fault has none. */
function orderedBy(context: RequestContext, fault: CallEffect | null): Decision | null {
  if (fault?.kind === 'refuse') return refuseCode(context, fault.code);
  if (fault?.kind !== 'status') return null;
  const { status } = fault;
  return status === 502 || status === 504
    ? { reply: gatewayReply(status), changes: [], cites: [] }
    : refuseCode(context, codeOfStatus[status]);
}

/** The refusal of this code as the platform itself words it (ERR-3, IDEM-6, LIM-6). */
function refuseCode(context: RequestContext, code: FaultRefusal): Decision {
  switch (code) {
    case 'unauthorized':
      return refuseToken(context, 'A fault refuses the access token of this call.');
    case 'unreadable': {
      const { unparsable_status: status } = context.behaviour.settings;
      const detail = 'A fault says that this body cannot be read.';
      return refuseUnreadable(status, detail, ['ERR-2', 'NS-14']);
    }
    case 'rate_limited': {
      const reply = rateRefusal(context, 1000, 'A fault limits this call. Retry after the wait.');
      return { reply, changes: [], cites: ['IDEM-6a', 'LIM-6'] };
    }
    case 'internal_error': {
      const detail = 'A fault broke this call. Repeat it with the same key.';
      return refuse(context, code, ['IDEM-6c'], detail);
    }
    case 'write_contention': {
      const detail = 'A fault wrote to the same record. Repeat the call with the same key.';
      return refuse(context, code, ['IDEM-6b'], detail);
    }
    default:
      return refuse(context, code, ['ERR-3'], 'A fault refuses this call.');
  }
}

/** The error page of a gateway whose upstream did not answer: no problem, no request id. */
function gatewayReply(status: 502 | 504): Reply {
  const title = status === 502 ? '502 Bad Gateway' : '504 Gateway Time-out';
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
  return { status, contentType: 'text/html', body, headers: { server: 'nginx' }, isForeign: true };
}

/** IDEM-4, IDEM-6: records the answer under its key exactly as sent, unless it may be retried. */
function recordReply(context: RequestContext, reply: Reply): void {
  const { world, behaviour, keyId } = context;
  if (keyId === null) return;
  if (!behaviour.keys.records(reply)) {
    releaseKey(context);
    return;
  }
  // NS-42.
  const atMs = behaviour.settings.key_age_from === 'request' ? context.receivedAtMs : world.nowMs;
  evolve(world, [putAt('keys', keyId, { atMs, reply, firstCall: context.n })]);
}

/** Frees the key of a call that ends without an answer to replay. */
function releaseKey({ world, behaviour, keyId }: RequestContext): void {
  if (keyId === null) return;
  const record = behaviour.keys.find(world, keyId, world.nowMs);
  if (record?.reply === null) evolve(world, [remove('keys', keyId)]);
}

/** Journals the call, and hands its answer to the host, changed by the fault if there is one. */
function answerCall(
  context: RequestContext,
  { reply: given, cites }: Pick<Decision, 'reply' | 'cites'>,
  fault: CallEffect | null = null,
): StepResult {
  const { n, requestId, world } = context;
  if (fault?.kind === 'hang' || fault?.kind === 'reset') {
    const isReset = fault.kind === 'reset';
    journalCall(context, cites, null, isReset);
    return { effects: isReset ? [{ kind: 'reset', n }] : [], n };
  }
  const reply = finishReply(context, given);
  if (fault?.kind === 'delay') {
    suspend(context, reply, world.nowMs + fault.ms);
    journalCall(context, cites, null);
    return { effects: [], n };
  }
  journalCall(context, cites, reply);
  const answer = { kind: 'answer', n, requestId, reply } as const;
  const isOnBody = fault?.kind === 'truncate' || fault?.kind === 'slow_body';
  return { effects: [isOnBody ? { ...answer, bodyFault: fault } : answer], n };
}

/** The response with the id of the last fault that applied to the call. */
function finishReply(context: RequestContext, given: Reply): Reply {
  if (given.isForeign === true) return given;
  const reply = context.behaviour.finalizeReply(given, context);
  const fault = context.faults.at(-1);
  if (fault === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, 'x-sandbox-fault': fault.id } };
}

/** `reply` is null if it is held back or lost. */
function journalCall(
  context: RequestContext,
  cites: readonly Cite[],
  reply: Reply | null,
  reset = false,
): void {
  const { journal, nowMs, events } = context.world;
  // A suspended call arrived earlier, and its allowance was drawn then.
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
    transition: context.transition,
    allowanceLeft: before?.allowanceLeft ?? context.allowanceLeft,
    allowance: before?.allowance ?? context.allowance,
    cites,
    hints: findHints(context, reply),
    eventsAfter: context.eventsAfter,
    eventsTo: events.lastSeq,
    faults: context.faults,
    reply,
    answeredAtMs: reply === null ? null : nowMs,
    reset,
  };
  evolve(context.world, [{ type: 'journal', entry }]);
}
