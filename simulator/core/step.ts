// One step of a world: input in, effects out. The step never waits, so no other step can run in
// between. An input is a call, the time (which may fire a timer), the outcome of a delivery, or a
// command.
import type { Behaviour } from './behaviour.ts';
import { type Call, type Facts, noFacts, type Reply } from './call.ts';
import { countCall, evolve, moveClock, put, remove, takeTimer } from './change.ts';
import { type CommandInput, type CommandOutcome, executeCommand } from './commands/commands.ts';
import {
  answerChanges,
  type DeliveryAnswer,
  type DeliveryStart,
  disableRefusedTarget,
  type RefusedTarget,
  startAttempt,
  startDeliveries,
} from './delivery/deliveries.ts';
import { findEntry } from './journal.ts';
import { transitionChanges } from './operations/transactions.ts';
import type { BodyFault } from './pipeline/find-fault.ts';
import { RequestContext, refusalReply } from './pipeline/request-context.ts';
import { runAndAnswer, runCall } from './pipeline/run-call.ts';
import { tokenText } from './pipeline/stages.ts';
import { existing, type SuspendedCall, type Timer, type TimerKind, type World } from './world.ts';

export type Input =
  | { readonly kind: 'call'; readonly atMs: number; readonly call: Call; readonly facts: Facts }
  /** The next timer fires, if it is due by then. */
  | { readonly kind: 'time'; readonly atMs: number }
  | { readonly kind: 'answered'; readonly atMs: number; readonly answer: DeliveryAnswer }
  | ({ readonly kind: 'target-refused'; readonly atMs: number } & RefusedTarget)
  | CommandInput;

/** Work for the host. */
export type Effect =
  | {
      readonly kind: 'answer';
      readonly n: number;
      readonly requestId: string;
      readonly reply: Reply;
      /** How to send the body, if not as a whole. */
      readonly bodyFault?: BodyFault;
    }
  /** Cut the connection of this call instead of answering. */
  | { readonly kind: 'reset'; readonly n: number }
  | DeliveryStart;

/** A due timer that has fired. */
export interface FiredTimer {
  readonly atMs: number;
  readonly kind: TimerKind;
  /** Id of the record concerned. */
  readonly ref: string;
  readonly outcome: string;
}

export interface StepResult {
  readonly effects: readonly Effect[];
  /** Number of the call, if the input is a call. */
  readonly n?: number;
  readonly fired?: FiredTimer;
  readonly outcome?: CommandOutcome;
}

export function step(world: World, behaviour: Behaviour, input: Input): StepResult {
  moveClock(world, input.atMs);
  const before = world.events.lastSeq;
  const result = handleInput(world, behaviour, input);
  const hasEvents = world.events.lastSeq > before;
  const sends =
    world.subscriptions.size === 0
      ? noSends
      : startFreedDeliveries(world, behaviour, input, result, hasEvents);
  // Timers that no longer matter are removed now instead of later, so that a world depends only on
  // its inputs.
  nextTimer(world);
  return sends.length === 0 ? result : { ...result, effects: [...result.effects, ...sends] };
}

function handleInput(world: World, behaviour: Behaviour, input: Input): StepResult {
  switch (input.kind) {
    case 'call':
      return runCall(
        new RequestContext(world, behaviour, input.call, input.facts, countCall(world)),
      );
    case 'time':
      return fireTimer(world, behaviour, input.atMs);
    case 'answered':
      evolve(world, answerChanges(world, behaviour, input.answer));
      return { effects: [] };
    case 'target-refused':
      disableRefusedTarget(world, input);
      return { effects: [] };
    case 'command':
      return executeCommand(world, behaviour, input);
  }
}

const noSends: readonly DeliveryStart[] = [];

/**
 * Deliveries that this step may have made possible: of any subscription after a new event,
 * otherwise of at most one.
 */
function startFreedDeliveries(
  world: World,
  behaviour: Behaviour,
  input: Input,
  { fired }: StepResult,
  hasEvents: boolean,
): readonly DeliveryStart[] {
  if (hasEvents || input.kind === 'command') {
    return startDeliveries(world, behaviour, world.subscriptions.values());
  }
  const fromTimer = fired?.kind === 'deliver' ? fired.ref : '';
  const deliveryId = input.kind === 'answered' ? input.answer.deliveryId : fromTimer;
  const delivery = world.deliveries.get(deliveryId);
  const subscription = world.subscriptions.get(delivery?.subscription_id ?? 0);
  return subscription === undefined ? noSends : startDeliveries(world, behaviour, [subscription]);
}

/** The answer to a call that could not be processed: never recorded, safe to retry. */
export function brokenReply(
  world: World,
  behaviour: Behaviour,
  call: Call,
  { requestId, detail }: { readonly requestId: string; readonly detail: string },
): Reply {
  const named = { ...behaviour, requestId: () => requestId };
  const context = new RequestContext(world, named, call, noFacts, world.counters.request);
  return refusalReply(context, 'internal_error', detail);
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

export const nextDueMs = (world: World): number | null => nextTimer(world)?.dueAtMs ?? null;

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

/** Fires the next timer if it is due. */
function fireTimer(world: World, behaviour: Behaviour, byMs: number): StepResult {
  const timer = nextTimer(world);
  if (timer === null || timer.dueAtMs > byMs) return { effects: [] };
  takeTimer(world);
  const { dueAtMs: atMs, kind, ref } = timer;
  moveClock(world, atMs);
  const [outcome, effects = []] = fire[kind](world, behaviour, ref);
  return { effects, fired: { atMs, kind, ref, outcome } };
}

type Fire = (
  world: World,
  behaviour: Behaviour,
  ref: string,
) => readonly [outcome: string, effects?: readonly Effect[]];

const fire: Readonly<Record<TimerKind, Fire>> = {
  settle(world, behaviour, id) {
    const transaction = existing(world.transactions, id);
    const move = behaviour.transactions.transitions[transaction.status].settle;
    if (move.kind !== 'move') return [`stays ${transaction.status}`];
    const context = { world, behaviour, atMs: world.nowMs };
    const moved = transitionChanges(context, transaction, move, 'settle');
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
    const context = new RequestContext(world, behaviour, { ...suspended.call, body }, facts, n);
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
