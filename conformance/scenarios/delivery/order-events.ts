// Which events orders bring, and what they are called (NS-1, NS-11).
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { UnknownPayload } from '../../engine/scenario-errors.ts';
import type { Place } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { arrived, kindsIn } from './brought-events.ts';
import { flushDeliveries } from './trigger-event.ts';

export interface OrderEvents {
  readonly words: readonly string[];
  /** By the name of each kind here the target's, null for one that it has not got. */
  readonly kinds: Readonly<Record<string, string | null>>;
}

/**
 * By one subscription to each category. Kinds are left out where no other names make them the
 * target's: where one order brings several events of a category, or now some and now none.
 */
export async function orderEventsOf(t: ScenarioContext, place: Place): Promise<OrderEvents> {
  const [positions, orders] = [await t.receiver(), await t.receiver()];
  await t.given.webhook(positions, ['position']);
  await t.given.webhook(orders, ['order']);
  const brought = async (hook: WebhookEndpoint, from: number) =>
    kindsIn(await t.deliveriesAt(hook, 0, 0), from);
  const during = async (run: () => Promise<unknown>) => {
    const from = [positions.deliveries.length, orders.deliveries.length] as const;
    await run();
    await flushDeliveries(t);
    await arrived(t);
    return { position: await brought(positions, from[0]), order: await brought(orders, from[1]) };
  };
  try {
    let opened: Awaited<ReturnType<typeof openPosition>> | undefined;
    const opening = await during(async () => {
      opened = await openPosition(t, place);
    });
    const closing = await during(async () => opened && closePosition(t, opened));
    const filled = opening.order.join() === closing.order.join() ? opening.order : undefined;
    const kinds = Object.entries({
      'position.opened': opening.position,
      'position.closed': closing.position,
      'order.filled': filled,
    }).flatMap(([kind, names]) =>
      names === undefined || names.length > 1 ? [] : [[kind, names[0] ?? null] as const],
    );
    const told = (what: string, { position, order }: typeof opening) =>
      `${what}: ${[...position, ...order].join(', ') || 'no event'}`;
    return {
      words: [told('opening a position', opening), told('closing it', closing)],
      kinds: Object.fromEntries(kinds),
    };
  } catch (error) {
    if (error instanceof UnknownPayload) return { words: [], kinds: {} };
    throw error;
  }
}
