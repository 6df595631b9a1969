// What a fault does to a call: another answer, a call that is suspended, or an answer that is lost,
// late, cut short or slow.
import type { Decision, Reply } from '../call.ts';
import { put } from '../change.ts';
import { evolve } from '../evolve.ts';
import type { StepResult } from '../step.ts';
import type { TimerKind } from '../timers.ts';
import { answerCall, journalCall, recordReply, releaseKey, suspend } from './answer-call.ts';
import { type CallEffect, type Fault, type FaultRefusal, searchCallFaults } from './find-fault.ts';
import { refuse, refuseUnreadable } from './refuse.ts';
import type { RequestContext } from './request-context.ts';
import { rateRefusal, refuseToken } from './stages.ts';

/** Nothing has run: another answer, no answer, or a later run. Null: no fault strikes. */
export function injectFaultBefore(context: RequestContext): StepResult | null {
  const effect = strike(context, 'before');
  if (effect === null) return null;
  switch (effect.kind) {
    case 'delay':
      return suspendRequest(context, context.world.nowMs + effect.ms);
    case 'hang':
      return suspendRequest(context, null);
    default: {
      const decision = decisionOf(context, effect) ?? { reply: unseen, changes: [], cites: [] };
      const isRecorded = effect.kind === 'refuse' && !neverRecorded.includes(effect.code);
      if (isRecorded) recordReply(context, decision.reply);
      return answerCall(context, decision, effect);
    }
  }
}

/** Stands where a connection is cut. */
const unseen: Reply = { status: 500, contentType: null, body: '' };

/** The operation has run; only its answer suffers. Null: no fault strikes. */
export function injectFaultAfter(context: RequestContext, decision: Decision): StepResult | null {
  const effect = strike(context, 'after');
  if (effect === null) return null;
  // IDEM-6: behind a status nothing is recorded, so a repeat runs again and converges.
  if (effect.kind === 'status') releaseKey(context);
  else recordReply(context, decision.reply);
  return answerCall(context, decisionOf(context, effect) ?? decision, effect);
}

/** A replay is struck like any call, in either phase; what is recorded stays as it is. */
export function answerReplay(context: RequestContext, replayed: Decision): StepResult {
  const effect = strike(context, 'before') ?? strike(context, 'after');
  const other = effect === null ? null : decisionOf(context, effect);
  return answerCall(context, other ?? replayed, effect);
}

/** Finds the fault that strikes this call, and counts it. */
function strike(context: RequestContext, phase: Fault['phase']): CallEffect | null {
  const { world, operation } = context;
  if (world.faults.size === 0 || operation === null) return null;
  const { found, changed } = searchCallFaults(context, phase);
  for (const fault of changed) evolve(world, [put('faults', fault)]);
  if (found === null) return null;
  const effect = found.effect as CallEffect;
  context.faults = [...context.faults, { id: found.id, phase, effect }];
  return effect;
}

/** NS-30, IDEM-14a: refusals that come before the look-up of the key, or from it. */
const neverRecorded: readonly FaultRefusal[] = [
  'idempotency_key_required',
  'idempotency_in_flight',
  'unauthorized',
  'unreadable',
];

const codeOfStatus = {
  429: 'rate_limited',
  500: 'internal_error',
  503: 'write_contention',
} as const;

/** The answer that a fault orders; null if it orders none. */
function decisionOf(context: RequestContext, effect: CallEffect): Decision | null {
  if (effect.kind === 'refuse') return refuseCode(context, effect.code);
  if (effect.kind !== 'status') return null;
  const { status } = effect;
  if (status === 502 || status === 504) {
    return { reply: gatewayReply(status), changes: [], cites: [] };
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
function gatewayReply(status: 502 | 504): Reply {
  const title = status === 502 ? '502 Bad Gateway' : '504 Gateway Time-out';
  const body = [
    '<html>',
    `<head><title>${title}</title></head>`,
    '<body>',
    `<center><h1>${title}</h1></center>`,
    '<hr><center>nginx</center>',
    '</body>',
    '</html>',
    '',
  ].join('\r\n');
  return { status, contentType: 'text/html', body, headers: { server: 'nginx' }, isForeign: true };
}

/** Nothing runs until the delay is over (null: it hangs); the key is in flight (IDEM-14a). */
function suspendRequest(context: RequestContext, wakeAtMs: number | null): StepResult {
  const { world, behaviour, n, keyId } = context;
  const { nowMs } = world;
  journalCall(context, ['IDEM-14a'], null);
  // Without a key no repeat can ask for it, so a hang leaves nothing but its journal entry.
  if (wakeAtMs === null && keyId === null) return { effects: [], n };
  const timers: [TimerKind, number][] = [];
  if (keyId !== null) {
    // IDEM-14b: never given up in under about 30 seconds; a call without a key never is.
    timers.push(['abandon', nowMs + behaviour.keys.abandonAfterMs]);
    evolve(world, [{ type: 'key', keyId, record: { atMs: nowMs, reply: null, firstCall: n } }]);
  }
  if (wakeAtMs !== null) timers.push(['wake', wakeAtMs]);
  suspend(context, { reply: null, wakeAtMs }, timers);
  return { effects: [], n };
}
