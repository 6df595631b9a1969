// Fires what is due: settlements, suspended calls, answers that were late, retries of deliveries.

import type { Behaviour } from './behaviour.ts';
import { startAttempt } from './delivery/deliveries.ts';
import { evolve, moveClock, takeTimer } from './evolve.ts';
import { settleTransaction } from './operations/transactions.ts';
import {
  abandonSuspendedCall,
  answerSuspendedCall,
  findSuspendedCall,
  parsePieceRef,
  resumeSuspendedCall,
  sendPiece,
} from './pipeline/resume-call.ts';
import type { Effect, StepResult } from './step.ts';
import type { Timer, TimerKind } from './timers.ts';
import type { World } from './world.ts';

/** One thing that happened because its time came. */
export interface FiredTimer {
  readonly atMs: number;
  readonly kind: TimerKind;
  readonly ref: string;
  readonly outcome: string;
}

/** The time of the next thing that will really happen; timers that no longer matter are dropped. */
export function nextDueMs(world: World): number | null {
  for (;;) {
    const timer = world.timers[0];
    if (timer === undefined) return null;
    if (isStillDue(world, timer)) return timer.dueAtMs;
    takeTimer(world);
  }
}

function isStillDue(world: World, { kind, ref, dueAtMs }: Timer): boolean {
  switch (kind) {
    case 'settle':
      return world.transactions.get(ref)?.status === 'approved';
    case 'wake':
    case 'answer':
      return world.suspendedCalls.has(ref);
    case 'piece':
      return world.suspendedCalls.has(parsePieceRef(ref).id);
    case 'abandon':
      return world.suspendedCalls.get(ref)?.abandoned === false;
    case 'deliver': {
      const delivery = world.deliveries.get(deliveryOf(ref));
      if (delivery === undefined || delivery.in_flight) return false;
      // EVT-13: a delivery that was to be sent again is not sent after a disable either.
      const subscription = world.subscriptions.get(delivery.subscription_id);
      return subscription?.disabled === false && delivery.next_due_ms === dueAtMs;
    }
  }
}

function deliveryOf(ref: string): string {
  return ref.slice(0, ref.indexOf('/'));
}

/** The next thing that will really happen, by the id of what it concerns; null if there is none. */
export function nextDue(
  world: World,
): { readonly atMs: number; readonly kind: TimerKind; readonly ref: string } | null {
  const atMs = nextDueMs(world);
  const timer = world.timers[0];
  if (atMs === null || timer === undefined) return null;
  return { atMs, kind: timer.kind, ref: subjectOf(timer.kind, timer.ref) };
}

/** Fires the next timer if it is due by then; `fired` is undefined when none was. */
export function fireTimer(world: World, behaviour: Behaviour, byMs: number): StepResult {
  const dueAtMs = nextDueMs(world);
  if (dueAtMs === null || dueAtMs > byMs) return { effects: [] };
  const timer = takeTimer(world);
  if (timer === undefined) throw new Error('a due timer vanished');
  moveClock(world, dueAtMs);
  const { kind, ref } = timer;
  const { outcome, effects } = fire(world, behaviour, kind, ref);
  return { effects, fired: { atMs: dueAtMs, kind, ref: subjectOf(kind, ref), outcome } };
}

/** What a timer concerns, by its id alone. */
function subjectOf(kind: TimerKind, ref: string): string {
  if (kind === 'deliver') return deliveryOf(ref);
  return kind === 'piece' ? parsePieceRef(ref).id : ref;
}

interface TimerOutcome {
  readonly outcome: string;
  readonly effects: readonly Effect[];
}

function fire(world: World, behaviour: Behaviour, kind: TimerKind, ref: string): TimerOutcome {
  switch (kind) {
    case 'settle':
      return { outcome: settle(world, behaviour, ref), effects: [] };
    case 'deliver':
      return attemptDelivery(world, ref);
    case 'abandon':
      abandonSuspendedCall(world, findSuspendedCall(world, ref));
      return { outcome: 'given up, the key is free', effects: [] };
    case 'wake': {
      const result = resumeSuspendedCall(world, behaviour, findSuspendedCall(world, ref));
      return { outcome: 'the suspended call ran', effects: result.effects };
    }
    case 'answer': {
      const suspended = findSuspendedCall(world, ref);
      if (suspended.reply === null) throw new Error(`suspended call ${ref} has no answer`);
      const { effects } = answerSuspendedCall(world, suspended, suspended.reply);
      return { outcome: `answered ${suspended.reply.status}`, effects };
    }
    case 'piece': {
      const { piece, pieces } = parsePieceRef(ref);
      return { outcome: `piece ${piece} of ${pieces}`, effects: sendPiece(world, ref) };
    }
  }
}

function settle(world: World, behaviour: Behaviour, id: string): string {
  const transaction = world.transactions.get(id);
  if (transaction === undefined) throw new Error(`no transaction ${id} to settle`);
  const moved = settleTransaction({ world, behaviour, atMs: world.nowMs }, transaction);
  if (moved === null) return `stays ${transaction.status}`;
  evolve(world, moved.changes);
  return moved.transaction.status;
}

function attemptDelivery(world: World, ref: string): TimerOutcome {
  const delivery = world.deliveries.get(deliveryOf(ref));
  if (delivery === undefined) throw new Error(`no delivery ${ref}`);
  // A fault has had its delay: the attempt itself now goes out.
  const late = ref.endsWith('/delayed');
  const begun = startAttempt(world, delivery, late);
  const outcome =
    begun.kind === 'fault-injected' ? `${begun.how} by a fault` : `attempt ${begun.attempt}`;
  return { outcome, effects: [begun] };
}
