// Fires what is due: settlements, suspended calls, answers that were late, retries of deliveries.
import type { Behaviour } from './behaviour.ts';
import { startAttempt } from './delivery/deliveries.ts';
import { evolve, moveClock, takeTimer } from './evolve.ts';
import { settleTransaction } from './operations/transactions.ts';
import { piecesOf } from './pipeline/answer-call.ts';
import {
  abandonSuspendedCall,
  answerSuspendedCall,
  resumeSuspendedCall,
  sendPiece,
} from './pipeline/resume-call.ts';
import type { Effect, StepResult } from './step.ts';
import type { Timer, TimerKind } from './timers.ts';
import type { SuspendedCall, World } from './world.ts';

/** One thing that happened because its time came. */
export interface FiredTimer {
  readonly atMs: number;
  readonly kind: TimerKind;
  /** Id of what it concerns. */
  readonly ref: string;
  readonly outcome: string;
}

/** The next thing that will really happen; timers that no longer matter are dropped. */
export function nextTimer(world: World): Timer | null {
  for (;;) {
    const timer = world.timers[0];
    if (timer === undefined) return null;
    if (isStillDue(world, timer)) return timer;
    takeTimer(world);
  }
}

export function nextDueMs(world: World): number | null {
  return nextTimer(world)?.dueAtMs ?? null;
}

function isStillDue(world: World, { kind, ref, dueAtMs }: Timer): boolean {
  switch (kind) {
    case 'settle':
      return world.transactions.get(ref)?.status === 'approved';
    case 'abandon':
      return world.suspendedCalls.get(ref)?.abandoned === false;
    case 'deliver': {
      const delivery = world.deliveries.get(ref);
      if (delivery === undefined || delivery.in_flight) return false;
      // EVT-13: a delivery that was to be sent again is not sent after a disable either.
      const subscription = world.subscriptions.get(delivery.subscription_id);
      return subscription?.disabled === false && delivery.next_due_ms === dueAtMs;
    }
    default:
      return world.suspendedCalls.has(ref);
  }
}

/** Fires the next timer if it is due by then; `fired` is undefined when none was. */
export function fireTimer(world: World, behaviour: Behaviour, byMs: number): StepResult {
  const timer = nextTimer(world);
  if (timer === null || timer.dueAtMs > byMs) return { effects: [] };
  takeTimer(world);
  const { dueAtMs: atMs, kind, ref } = timer;
  moveClock(world, atMs);
  const { outcome, effects = [] } = fire(world, behaviour, timer);
  return { effects, fired: { atMs, kind, ref, outcome } };
}

interface TimerOutcome {
  readonly outcome: string;
  readonly effects?: readonly Effect[];
}

function fire(world: World, behaviour: Behaviour, { kind, ref }: Timer): TimerOutcome {
  if (kind === 'settle') return settle(world, behaviour, ref);
  if (kind === 'deliver') return attemptDelivery(world, ref);
  const suspended = world.suspendedCalls.get(ref) as SuspendedCall;
  switch (kind) {
    case 'abandon':
      abandonSuspendedCall(world, suspended);
      return { outcome: 'given up, the key is free' };
    case 'wake': {
      const effects = resumeSuspendedCall(world, behaviour, suspended);
      return { outcome: 'the suspended call ran', effects };
    }
    case 'answer': {
      const effects = answerSuspendedCall(world, suspended);
      return { outcome: `answered ${suspended.reply?.status}`, effects };
    }
    case 'piece': {
      const effects = sendPiece(world, suspended);
      const pieces = suspended.reply === null ? 0 : piecesOf(suspended.reply);
      return { outcome: `piece ${pieces - (suspended.left ?? 1) + 1} of ${pieces}`, effects };
    }
  }
}

function settle(world: World, behaviour: Behaviour, id: string): TimerOutcome {
  const transaction = world.transactions.get(id);
  if (transaction === undefined) throw new Error(`no transaction ${id} to settle`);
  const moved = settleTransaction({ world, behaviour, atMs: world.nowMs }, transaction);
  if (moved === null) return { outcome: `stays ${transaction.status}` };
  evolve(world, moved.changes);
  return { outcome: moved.transaction.status };
}

function attemptDelivery(world: World, id: string): TimerOutcome {
  const delivery = world.deliveries.get(id);
  if (delivery === undefined) throw new Error(`no delivery ${id}`);
  const begun = startAttempt(world, delivery);
  const outcome =
    begun.kind === 'fault-injected' ? `${begun.how} by a fault` : `attempt ${begun.attempt}`;
  return { outcome, effects: [begun] };
}
