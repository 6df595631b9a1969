// One step of a world: input in, effects out. The step never waits, so no other step can run in
// between.

import type { Behaviour } from './behaviour.ts';
import { type Call, type Facts, noFacts, type Reply } from './call.ts';
import { type CommandInput, type CommandOutcome, executeCommand } from './commands/commands.ts';
import {
  answerChanges,
  type DeliveryAnswer,
  type DeliveryStart,
  disableRefusedTarget,
  type RefusedTarget,
  startDeliveries,
} from './delivery/deliveries.ts';
import { countCall, evolve, moveClock } from './evolve.ts';
import { type FiredTimer, fireTimer, nextTimer } from './fire-timer.ts';
import type { BodyFault } from './pipeline/find-fault.ts';
import { refusalReply } from './pipeline/refuse.ts';
import { RequestContext } from './pipeline/request-context.ts';
import { runCall } from './pipeline/run-call.ts';
import type { World } from './world.ts';

export type Input =
  | {
      readonly kind: 'call';
      readonly atMs: number;
      readonly call: Call;
      readonly facts: Facts;
    }
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

export interface StepResult {
  readonly effects: readonly Effect[];
  /** Number of the call, if the input is a call. */
  readonly n?: number;
  readonly fired?: FiredTimer | undefined;
  readonly outcome?: CommandOutcome;
}

const none: readonly Effect[] = [];
const noSends: readonly DeliveryStart[] = [];

export function step(world: World, behaviour: Behaviour, input: Input): StepResult {
  moveClock(world, input.atMs);
  const before = world.events.lastSeq;
  const result = handleInput(world, behaviour, input);
  const sends =
    world.subscriptions.size === 0
      ? noSends
      : startFreedDeliveries(world, behaviour, input, result, world.events.lastSeq > before);
  // Timers that no longer matter are removed now instead of later, so that a world depends only on
  // its inputs.
  nextTimer(world);
  return sends.length === 0 ? result : { ...result, effects: [...result.effects, ...sends] };
}

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
  const deliveryId =
    input.kind === 'answered'
      ? input.answer.deliveryId
      : input.kind === 'time' && fired?.kind === 'deliver'
        ? fired.ref
        : null;
  const delivery = deliveryId === null ? undefined : world.deliveries.get(deliveryId);
  const subscription = world.subscriptions.get(delivery?.subscription_id ?? 0);
  return subscription === undefined ? noSends : startDeliveries(world, behaviour, [subscription]);
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
      return { effects: none };
    case 'target-refused':
      disableRefusedTarget(world, input);
      return { effects: none };
    case 'command':
      return executeCommand(world, behaviour, input);
  }
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
