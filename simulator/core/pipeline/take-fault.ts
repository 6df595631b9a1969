// Which fault applies to a call or a delivery, and how matches are counted.
import { evolve, put } from '../change.ts';
import { hmacSha256Hex } from '../values/digest.ts';
import type { World } from '../world.ts';
import { type CallEffect, concernsWebhooks, type Fault, isSpent } from './find-fault.ts';
import type { RequestContext } from './request-context.ts';

/** The effect on this call of the oldest fault of this phase that matches and is due. */
export function takeCallFault(context: RequestContext, phase: Fault['phase']): CallEffect | null {
  const { world, operation, call, path, credential } = context;
  if (world.faults.size === 0 || operation === null) return null;
  const found = take(world, ({ match, phase: own }) => {
    if (own !== phase || concernsWebhooks(match)) return false;
    if (match.operation !== undefined && match.operation !== operation) return false;
    if (match.method !== undefined && match.method.toUpperCase() !== call.method) return false;
    if (match.client_id !== undefined && match.client_id !== credential?.client_id) return false;
    if (match.path === undefined) return true;
    return match.path.endsWith('*')
      ? path.startsWith(match.path.slice(0, -1))
      : path === match.path;
  });
  if (found === null) return null;
  const effect = found.effect as CallEffect;
  context.faults = [...context.faults, { id: found.id, phase, effect }];
  return effect;
}

/** The fault that applies to an attempt to deliver to a subscription. */
export const takeDeliveryFault = (world: World, subscriptionId: number): Fault | null =>
  take(
    world,
    ({ match: { webhook } }) => webhook === true || String(webhook) === String(subscriptionId),
  );

/** Increments `matches` of each matching fault, and `hits` of the one that applies. */
function take(world: World, concerns: (fault: Fault) => boolean): Fault | null {
  let found: Fault | null = null;
  for (const fault of world.faults.values()) {
    if (isSpent(fault) || !concerns(fault)) continue;
    const { nth, probability } = fault;
    const isCounted = nth !== undefined || probability !== undefined;
    const counted = isCounted ? { ...fault, matches: (fault.matches ?? 0) + 1 } : fault;
    const applies = found === null && isDue(counted, world.seed);
    if (applies) found = { ...counted, hits: fault.hits + 1 };
    if (applies || isCounted) evolve(world, [put('faults', applies ? (found as Fault) : counted)]);
  }
  return found;
}

const drawnDigits = 12;

function isDue({ id, nth, probability, matches = 0 }: Fault, seed: string): boolean {
  if (nth !== undefined && matches < nth) return false;
  if (probability === undefined) return true;
  // A number from 0 to 1 (exclusive) that depends only on the seed and this label.
  const digits = hmacSha256Hex(seed, `fault ${id}, ${matches}`).slice(0, drawnDigits);
  return Number.parseInt(digits, 16) / 16 ** drawnDigits < probability;
}
