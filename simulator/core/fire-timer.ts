// Fires due timers: settlements, retries of deliveries, and suspended calls, which finally run, get
// their response, or time out.
import type { Behaviour } from './behaviour.ts';
import type { Reply } from './call.ts';
import { put, remove } from './change.ts';
import { startAttempt } from './delivery/deliveries.ts';
import { evolve, moveClock, takeTimer } from './evolve.ts';
import { findEntry } from './journal.ts';
import { settleTransaction } from './operations/transactions.ts';
import { refusalReply } from './pipeline/refuse.ts';
import { RequestContext } from './pipeline/request-context.ts';
import { runAndAnswer } from './pipeline/run-call.ts';
import { tokenText } from './pipeline/stages.ts';
import type { Effect, StepResult } from './step.ts';
import type { Timer, TimerKind } from './timers.ts';
import type { SuspendedCall, World } from './world.ts';

/** A due timer that has fired. */
export interface FiredTimer {
  readonly atMs: number;
  readonly kind: TimerKind;
  /** Id of the record concerned. */
  readonly ref: string;
  readonly outcome: string;
}

/** The next timer that will have an effect; timers that no longer matter are dropped. */
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
      // EVT-13: a delivery sent again by an operator stops too when its subscription is disabled.
      const subscription = world.subscriptions.get(delivery.subscription_id);
      return subscription?.disabled === false && delivery.next_due_ms === dueAtMs;
    }
    default:
      return world.suspendedCalls.has(ref);
  }
}

/** Fires the next timer if it is due; otherwise `fired` is undefined. */
export function fireTimer(world: World, behaviour: Behaviour, byMs: number): StepResult {
  const timer = nextTimer(world);
  if (timer === null || timer.dueAtMs > byMs) return { effects: [] };
  takeTimer(world);
  const { dueAtMs: atMs, kind, ref } = timer;
  moveClock(world, atMs);
  const [outcome, effects = []] = fire[kind](world, behaviour, ref);
  return { effects, fired: { atMs, kind, ref, outcome } };
}

type TimerOutcome = readonly [outcome: string, effects?: readonly Effect[]];

const fire: Readonly<
  Record<TimerKind, (world: World, behaviour: Behaviour, ref: string) => TimerOutcome>
> = {
  settle(world, behaviour, id) {
    const transaction = existing(world.transactions, id);
    const moved = settleTransaction({ world, behaviour, atMs: world.nowMs }, transaction);
    if (moved === null) return [`stays ${transaction.status}`];
    evolve(world, moved.changes);
    return [moved.transaction.status];
  },
  deliver(world, _behaviour, id) {
    const begun = startAttempt(world, existing(world.deliveries, id));
    const isFault = begun.kind === 'fault-injected';
    return [isFault ? `${begun.how} by a fault` : `attempt ${begun.attempt}`, [begun]];
  },
  /** IDEM-14b, NS-34: the call is abandoned: its key is free again, and it will never run. */
  abandon(world, _behaviour, id) {
    const suspended = existing(world.suspendedCalls, id);
    const { keyId, wakeAtMs } = suspended;
    if (keyId !== null) evolve(world, [remove('keys', keyId)]);
    // A hang ends here; a delayed call still has to be answered.
    const isOver = wakeAtMs === null;
    evolve(world, [
      isOver
        ? remove('suspendedCalls', id)
        : put('suspendedCalls', { ...suspended, abandoned: true }),
    ]);
    return ['given up, the key is free'];
  },
  /** The delay is over: the call runs. It has already passed every stage. */
  wake(world, behaviour, id) {
    const suspended = existing(world.suspendedCalls, id);
    const { facts, n, faultId } = suspended;
    const body = new Uint8Array(Buffer.from(suspended.call.body, 'base64'));
    const call = { ...suspended.call, body };
    const context = new RequestContext(world, behaviour, call, facts, n);
    const outcome = 'the suspended call ran';
    if (suspended.abandoned) {
      // IDEM-14b, NS-34.
      const detail = 'This attempt was given up before it ran. Repeat it with the same key.';
      const refused = refusalReply(context, 'internal_error', detail);
      const headers = { ...refused.headers, 'x-sandbox-fault': faultId };
      return [outcome, answerSuspended(world, suspended, { ...refused, headers })];
    }
    evolve(world, [remove('suspendedCalls', id)]);
    restoreContext(context, suspended);
    return [outcome, runAndAnswer(context).effects];
  },
  answer(world, _behaviour, id) {
    const suspended = existing(world.suspendedCalls, id);
    const { reply } = suspended;
    if (reply === null) throw new Error(`suspended call ${id} has no answer`);
    return [`answered ${reply.status}`, answerSuspended(world, suspended, reply)];
  },
};

function existing<R>(records: ReadonlyMap<string, R>, id: string): R {
  const record = records.get(id);
  if (record === undefined) throw new Error(`a timer names ${id}, which does not exist`);
  return record;
}

/** Answers a suspended call, and completes its entry in the journal. */
function answerSuspended(world: World, suspended: SuspendedCall, reply: Reply): readonly Effect[] {
  const { id, n, requestId } = suspended;
  evolve(world, [remove('suspendedCalls', id)]);
  const entry = findEntry(world.journal, n);
  if (entry !== undefined) {
    evolve(world, [{ type: 'journal', entry: { ...entry, reply, answeredAtMs: world.nowMs } }]);
  }
  return [{ kind: 'answer', n, requestId, reply }];
}

/** Restores the results that the stages had before the call was suspended. */
function restoreContext(context: RequestContext, suspended: SuspendedCall): void {
  const { world, behaviour } = context;
  const { clientId, keyId, askedAtMs, faultId, n } = suspended;
  context.credential = world.credentials.get(clientId ?? '') ?? null;
  for (const { name, decide } of behaviour.stages) {
    if (name === 'route' || name === 'key' || name === 'readable') decide(context);
  }
  context.token = world.tokens.get(tokenText(context) ?? '') ?? null;
  context.receivedAtMs = askedAtMs;
  const { operation } = context;
  if (keyId !== null && operation !== null) {
    context.keyId = keyId;
    context.subject = behaviour.keys.subjects[operation]?.(context) ?? null;
    context.idempotency = 'first';
  }
  // From the journal, or from the current faults if a state was loaded in the meantime.
  const fault = world.faults.get(faultId);
  context.faults = findEntry(world.journal, n)?.faults ?? (fault === undefined ? [] : [fault]);
}
