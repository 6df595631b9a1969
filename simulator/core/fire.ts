// Fires what is due: settlements, held attempts, answers that were late, retries of deliveries.
import type { Attempt } from './attempt.ts';
import type { Behaviour } from './behaviour.ts';
import { NewAttempt, stepsToTheEnd } from './decide.ts';
import { startAttempt } from './deliveries.ts';
import { evolve, moveClock, takeTimer } from './evolve.ts';
import { settleTransaction } from './operations/move-changes.ts';
import { refusalReply } from './refuse.ts';
import { tokenText } from './stages/token.ts';
import type { Effect, StepResult } from './step.ts';
import { answerHeld, runAttempt } from './strike.ts';
import type { Timer, TimerKind } from './timers.ts';
import type { Held, World } from './world.ts';

/** One thing that happened because its time came. */
export interface Fired {
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
    if (matters(world, timer)) return timer.dueAtMs;
    takeTimer(world);
  }
}

function matters(world: World, { kind, ref, dueAtMs }: Timer): boolean {
  switch (kind) {
    case 'settle':
      return world.transactions.get(ref)?.status === 'approved';
    case 'wake':
    case 'answer':
      return world.held.has(ref);
    case 'abandon':
      return world.held.get(ref)?.abandoned === false;
    case 'deliver': {
      const delivery = world.deliveries.get(deliveryOf(ref));
      if (delivery === undefined || delivery.inFlight) return false;
      // EVT-13: what was to go out once more is not sent after a disable either.
      const subscription = world.subscriptions.get(delivery.subscriptionId);
      return subscription?.disabled === false && delivery.nextDueMs === dueAtMs;
    }
  }
}

function deliveryOf(ref: string): string {
  return ref.slice(0, ref.indexOf('/'));
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
  return {
    effects,
    fired: { atMs: dueAtMs, kind, ref: kind === 'deliver' ? deliveryOf(ref) : ref, outcome },
  };
}

interface Happened {
  readonly outcome: string;
  readonly effects: readonly Effect[];
}

function fire(world: World, behaviour: Behaviour, kind: TimerKind, ref: string): Happened {
  switch (kind) {
    case 'settle':
      return { outcome: settle(world, behaviour, ref), effects: [] };
    case 'deliver':
      return retry(world, ref);
    case 'abandon':
      return { outcome: abandon(world, findHeld(world, ref)), effects: [] };
    case 'wake': {
      const result = wake(world, behaviour, findHeld(world, ref));
      return { outcome: 'the held attempt ran', effects: result.effects };
    }
    case 'answer': {
      const held = findHeld(world, ref);
      if (held.reply === null) throw new Error(`held attempt ${ref} has no answer`);
      const { effects } = answerHeld(world, held, held.reply);
      return { outcome: `answered ${held.reply.status}`, effects };
    }
  }
}

function findHeld(world: World, id: string): Held {
  const held = world.held.get(id);
  if (held === undefined) throw new Error(`no held attempt ${id}`);
  return held;
}

function settle(world: World, behaviour: Behaviour, id: string): string {
  const transaction = world.transactions.get(id);
  if (transaction === undefined) throw new Error(`no transaction ${id} to settle`);
  const moved = settleTransaction({ world, behaviour, atMs: world.nowMs }, transaction);
  if (moved === null) return `stays ${transaction.status}`;
  evolve(world, moved.changes);
  return moved.transaction.status;
}

function retry(world: World, ref: string): Happened {
  const delivery = world.deliveries.get(deliveryOf(ref));
  if (delivery === undefined) throw new Error(`no delivery ${ref}`);
  // A fault has had its delay: the attempt itself now goes out.
  const late = ref.endsWith('/delayed');
  const begun = startAttempt(world, delivery, late);
  const outcome = begun.kind === 'struck' ? `${begun.how} by a fault` : `attempt ${begun.attempt}`;
  return { outcome, effects: [begun] };
}

/** IDEM-14b, NS-34: given up; its key is free again and the attempt will never run. */
function abandon(world: World, held: Held): string {
  if (held.keyId !== null) evolve(world, [{ type: 'key-forgotten', keyId: held.keyId }]);
  const over: Held = { ...held, abandoned: true };
  // A hang has nothing more to come; a delay still owes its caller an answer.
  evolve(world, [
    held.wakeAtMs === null
      ? { type: 'held-removed', id: held.id }
      : { type: 'held-set', held: over },
  ]);
  return 'given up, the key is free';
}

/** The delay is over: the attempt runs as it came, every stage passed already. */
function wake(world: World, behaviour: Behaviour, held: Held): StepResult {
  const attempt = new NewAttempt(world, behaviour, held.call, held.facts, held.n);
  if (held.abandoned) {
    const reply = refusalReply(attempt, {
      code: 'internal_error',
      detail: 'This attempt was given up before it ran. Repeat it with the same key.',
      cites: ['IDEM-14b', 'NS-34'],
    });
    return answerHeld(world, held, reply);
  }
  evolve(world, [{ type: 'held-removed', id: held.id }]);
  restore(attempt, held);
  const eventsAfter = world.events.lastSeq;
  const steps = stepsToTheEnd(behaviour.stages);
  return runAttempt(attempt, { steps, eventsAfter, faultId: held.faultId });
}

/** What the stages had found out when the attempt was held back. */
function restore(attempt: Attempt, held: Held): void {
  const { world, behaviour } = attempt;
  for (const { name, decide } of behaviour.stages) {
    if (name === 'route' || name === 'key' || name === 'readable') decide(attempt);
  }
  attempt.operation = held.operation;
  attempt.askedAtMs = held.askedAtMs;
  attempt.credential =
    held.clientId === null ? null : (world.credentials.get(held.clientId) ?? null);
  attempt.token = world.tokens.get(tokenText(attempt) ?? '') ?? null;
  attempt.keyId = held.keyId;
  attempt.subject = held.subject;
  attempt.idempotency = held.keyId === null ? null : 'first';
}
