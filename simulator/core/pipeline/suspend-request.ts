// A call that a fault suspends: it runs later or never, or it has run and its answer comes later.

import type { Decision, Reply } from '../call.ts';
import type { Change } from '../change.ts';
import { evolve } from '../evolve.ts';
import { findEntry } from '../journal.ts';
import type { StepResult } from '../step.ts';
import type { SuspendedCall, World } from '../world.ts';
import { type Completion, finishReply, journalCall } from './complete-request.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Nothing runs until the delay is over (null: it hangs): the key reads in flight meanwhile
 * (IDEM-14a).
 */
export function suspendRequest(
  context: RequestContext,
  completion: Completion,
  delayMs: number | null,
): StepResult {
  const { world, behaviour, n, keyId } = context;
  journalCall(context, ['IDEM-14a'], completion, { reply: null, answeredAtMs: null });
  // Without a key nobody can ask for it again, so a hang leaves nothing but its journal entry.
  if (delayMs === null && keyId === null) return { effects: [], n };
  const wakeAtMs = delayMs === null ? null : world.nowMs + delayMs;
  const suspended = newSuspendedCall(context, completion, null, wakeAtMs);
  const changes: Change[] = suspensionOf(context, suspended);
  if (keyId !== null) {
    const record = { atMs: world.nowMs, reply: null, firstCall: n };
    changes.push({ type: 'key-recorded', keyId, record });
    // IDEM-14b: never given up in under about 30 seconds; a call without a key never is.
    const abandonAtMs = world.nowMs + behaviour.keys.abandonAfterMs;
    changes.push({ type: 'timer-set', dueAtMs: abandonAtMs, kind: 'abandon', ref: suspended.id });
  }
  if (wakeAtMs !== null) {
    changes.push({ type: 'timer-set', dueAtMs: wakeAtMs, kind: 'wake', ref: suspended.id });
  }
  evolve(world, changes);
  return { effects: [], n };
}

/** The operation has run and its answer is kept under its key; the caller gets it later. */
export function delayAnswer(
  context: RequestContext,
  decision: Decision,
  completion: Completion,
  delayMs: number,
): StepResult {
  const { world, n } = context;
  const dueAtMs = world.nowMs + delayMs;
  const reply = finishReply(context, decision.reply, completion);
  const suspended = newSuspendedCall(context, completion, reply, dueAtMs);
  journalCall(context, decision.cites, completion, { reply: null, answeredAtMs: null });
  evolve(world, [
    ...suspensionOf(context, suspended),
    { type: 'timer-set', dueAtMs, kind: 'answer', ref: suspended.id },
  ]);
  return { effects: [], n };
}

export function suspensionOf({ world }: RequestContext, suspended: SuspendedCall): Change[] {
  return [
    { type: 'suspended-set', suspended: suspended },
    { type: 'counted', counter: 'suspendedCall', to: world.counters.suspendedCall + 1 },
  ];
}

export function newSuspendedCall(
  context: RequestContext,
  completion: Completion,
  reply: Reply | null,
  wakeAtMs: number | null,
): SuspendedCall {
  const fault = completion.faults.at(-1);
  if (context.operation === null) throw new Error('a call was suspended without a route');
  if (fault === undefined) throw new Error('a call was suspended without a fault');
  return {
    id: String(context.world.counters.suspendedCall + 1),
    n: context.n,
    requestId: context.requestId,
    askedAtMs: context.receivedAtMs,
    call: context.call,
    operation: context.operation,
    clientId: context.credential?.client_id ?? null,
    keyId: context.keyId,
    subject: context.subject,
    facts: context.facts,
    reply,
    wakeAtMs,
    faultId: fault.id,
    abandoned: false,
  };
}

/** It has been answered to the end. */
export function endSuspension(world: World, suspended: SuspendedCall, reply: Reply): void {
  const entry = findEntry(world.journal, suspended.n);
  const changes: Change[] = [{ type: 'suspended-removed', id: suspended.id }];
  if (entry !== undefined) {
    const answered = { ...entry, reply, answeredAtMs: world.nowMs };
    changes.push({ type: 'journalled', entry: answered });
  }
  evolve(world, changes);
}
