// What a fault does to a call: another answer, a call that is suspended, or an answer that is lost,
// late, cut short or slow.
import type { Cite, Decision, Reply } from '../call.ts';
import { type Change, put } from '../change.ts';
import { evolve } from '../evolve.ts';
import type { StepResult } from '../step.ts';
import {
  type Completion,
  completeRequest,
  completeWithReply,
  finishReply,
  journalCall,
  recordReply,
  releaseKey,
  stepNamesBeforeOperation,
} from './complete-request.ts';
import { type CallEffect, type FaultRefusal, searchCallFaults } from './find-fault.ts';
import { refuse, refuseUnreadable } from './refuse.ts';
import type { RequestContext } from './request-context.ts';
import { rateRefusal, refuseToken } from './stages.ts';

/** What a fault does to the call that it meets. */
interface Injection {
  readonly effect: CallEffect;
  readonly completion: Completion;
}

const unanswered = { reply: null, answeredAtMs: null } as const;

/** Nothing has run: another answer, no answer, or a later run. Null: no fault was ordered. */
export function injectFaultBefore(context: RequestContext, passed: Completion): StepResult | null {
  if (context.world.faults.size === 0) return null;
  const steps = stepNamesBeforeOperation(context.behaviour.stages);
  const injection = findInjection(context, 'before', { ...passed, steps });
  if (injection === null) return null;
  const { effect, completion } = injection;
  if (effect.kind === 'delay') return suspendRequest(context, completion, effect.ms);
  if (effect.kind === 'hang') return suspendRequest(context, completion, null);
  if (effect.kind === 'reset') return cutConnection(context, [], completion);
  const decision = decisionOf(context, effect);
  if (decision === null) throw new Error(`${effect.kind} is no fault before a call`);
  const isRecorded = effect.kind === 'refuse' && !neverRecorded.includes(effect.code);
  return completeRequest(context, decision, completion, isRecorded);
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
 * A replay is struck like any call, in either phase; what is recorded stays as it is. Null: no
 * fault was ordered.
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
  for (const fault of changed) evolve(world, [put('faults', fault)]);
  if (found === null) return null;
  const effect = found.effect as CallEffect;
  const faults = [...completion.faults, { id: found.id, phase, effect }];
  return { effect, completion: { ...completion, faults } };
}

/** There is an answer; it is replaced, lost, late, cut short or slow. */
function withholdAnswer(
  context: RequestContext,
  decision: Decision,
  { effect, completion }: Injection,
): StepResult {
  const { reply, cites } = decision;
  switch (effect.kind) {
    case 'status':
    case 'refuse': {
      const other = decisionOf(context, effect) ?? decision;
      return completeWithReply(context, other.reply, other.cites, completion);
    }
    case 'reset':
      return cutConnection(context, cites, completion);
    case 'hang':
      journalCall(context, cites, completion, unanswered);
      return { effects: [], n: context.n };
    case 'delay':
      return delayAnswer(context, decision, completion, effect.ms);
    case 'truncate':
      return sendTruncated(completeWithReply(context, reply, cites, completion), effect.bytes);
    case 'slow_body':
      return sendSlowly(context, decision, completion, effect.ms);
  }
}

function cutConnection(
  context: RequestContext,
  cites: readonly Cite[],
  completion: Completion,
): StepResult {
  journalCall(context, cites, completion, { ...unanswered, reset: true });
  return { effects: [{ kind: 'reset', n: context.n }], n: context.n };
}

const codeOfStatus = {
  429: 'rate_limited',
  500: 'internal_error',
  503: 'write_contention',
} as const;

/** NS-30, IDEM-14a: refusals that come before the look-up of the key, or from it. */
const neverRecorded: readonly FaultRefusal[] = [
  'idempotency_key_required',
  'idempotency_in_flight',
  'unauthorized',
  'unreadable',
];

/** The answer that a fault orders; null if it orders none. */
function decisionOf(context: RequestContext, effect: CallEffect): Decision | null {
  if (effect.kind === 'refuse') return refuseCode(context, effect.code);
  if (effect.kind !== 'status') return null;
  const { status } = effect;
  if (status === 502 || status === 504) {
    const title = status === 502 ? '502 Bad Gateway' : '504 Gateway Time-out';
    return { reply: gatewayReply(status, title), changes: [], cites: [] };
  }
  return refuseCode(context, codeOfStatus[status]);
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

/** The page of a gateway that got no answer it could pass on: no problem, no request id. */
function gatewayReply(status: number, title: string): Reply {
  const lines = [
    '<html>',
    `<head><title>${title}</title></head>`,
    '<body>',
    `<center><h1>${title}</h1></center>`,
    '<hr><center>nginx</center>',
    '</body>',
    '</html>',
    '',
  ];
  const body = lines.join('\r\n');
  return { status, contentType: 'text/html', body, headers: { server: 'nginx' }, isForeign: true };
}

type TimerChange = Extract<Change, { readonly type: 'timer' }>;

/** Keeps a call until its timers are due; `reply` is null if nothing has run yet. */
function suspend(
  context: RequestContext,
  completion: Completion,
  reply: Reply | null,
  wakeAtMs: number | null,
  timers: readonly Omit<TimerChange, 'type' | 'ref'>[],
  refOf: (id: string, index: number) => string = (id) => id,
): void {
  const { world, operation, keyId, subject, call, facts, n, requestId, credential } = context;
  const fault = completion.faults.at(-1);
  if (operation === null || fault === undefined)
    throw new Error('a call was suspended without an operation or a fault');
  const id = String(world.counters.suspendedCall + 1);
  evolve(world, [
    put('suspendedCalls', {
      id,
      n,
      requestId,
      askedAtMs: context.receivedAtMs,
      call,
      operation,
      clientId: credential?.client_id ?? null,
      keyId,
      subject,
      facts,
      reply,
      wakeAtMs,
      faultId: fault.id,
      abandoned: false,
    }),
    ...timers.map((timer, index) => ({ type: 'timer', ...timer, ref: refOf(id, index) }) as const),
  ]);
}

/**
 * Nothing runs until the delay is over (null: it hangs): the key reads in flight meanwhile
 * (IDEM-14a).
 */
function suspendRequest(
  context: RequestContext,
  completion: Completion,
  delayMs: number | null,
): StepResult {
  const { world, behaviour, n, keyId } = context;
  const { nowMs } = world;
  journalCall(context, ['IDEM-14a'], completion, unanswered);
  // Without a key no repeat can ask for it, so a hang leaves nothing but its journal entry.
  if (delayMs === null && keyId === null) return { effects: [], n };
  const wakeAtMs = delayMs === null ? null : nowMs + delayMs;
  const timers: Omit<TimerChange, 'type' | 'ref'>[] = [];
  if (keyId !== null) {
    // IDEM-14b: never given up in under about 30 seconds; a call without a key never is.
    timers.push({ dueAtMs: nowMs + behaviour.keys.abandonAfterMs, kind: 'abandon' });
    evolve(world, [{ type: 'key', keyId, record: { atMs: nowMs, reply: null, firstCall: n } }]);
  }
  if (wakeAtMs !== null) timers.push({ dueAtMs: wakeAtMs, kind: 'wake' });
  suspend(context, completion, null, wakeAtMs, timers);
  return { effects: [], n };
}

/** The operation has run and its answer is kept under its key; the caller gets it later. */
function delayAnswer(
  context: RequestContext,
  { reply, cites }: Decision,
  completion: Completion,
  delayMs: number,
): StepResult {
  const dueAtMs = context.world.nowMs + delayMs;
  const late = finishReply(context, reply, completion);
  journalCall(context, cites, completion, unanswered);
  suspend(context, completion, late, dueAtMs, [{ dueAtMs, kind: 'answer' }]);
  return { effects: [], n: context.n };
}

/** The connection ends after some bytes of the body; a shorter body arrives whole. */
function sendTruncated(whole: StepResult, bytes: number): StepResult {
  const answer = whole.effects[0];
  if (answer?.kind !== 'answer') return whole;
  const body = Buffer.from(answer.reply.body);
  if (body.byteLength <= bytes) return whole;
  const { n } = answer;
  return {
    effects: [
      { ...answer, kind: 'begin' },
      { kind: 'piece', n, bytes: body.subarray(0, bytes) },
      { kind: 'end', n, isWhole: false },
    ],
    n,
  };
}

/** A body comes in so many pieces, or in as many as it has bytes. */
const mostPieces = 10;

/** The headers come at once, the body in pieces, the last one when the time is over. */
function sendSlowly(
  context: RequestContext,
  { reply, cites }: Decision,
  completion: Completion,
  ms: number,
): StepResult {
  const { world, n, requestId } = context;
  const pieces = Math.min(mostPieces, Buffer.byteLength(reply.body));
  if (pieces === 0 || ms === 0) return completeWithReply(context, reply, cites, completion);
  journalCall(context, cites, completion, unanswered);
  const slow = finishReply(context, reply, completion);
  const timers = Array.from({ length: pieces }, (_, index) => {
    const dueAtMs = world.nowMs + Math.round((ms * (index + 1)) / pieces);
    return { dueAtMs, kind: 'piece' } as const;
  });
  const refOf = (id: string, index: number) => `${id}/${index + 1}/${pieces}`;
  suspend(context, completion, slow, world.nowMs + ms, timers, refOf);
  return { effects: [{ kind: 'begin', n, requestId, reply: slow }], n };
}
