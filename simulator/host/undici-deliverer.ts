// Deliveries over real sockets with undici, which is loaded when the first one leaves.
import { lookup } from 'node:dns/promises';
import type { Deliverer, DeliveryOrder, DeliveryOutcome } from './deliverer.ts';

/** Carries deliveries over the network. */
export function undiciDeliverer(): Deliverer {
  return {
    deliver: post,
    resolve: async (hostname) => {
      try {
        const found = await lookup(hostname, { all: true });
        return found.map(({ address }) => address);
      } catch {
        // Whatever the resolver's reason, the name has no address for us.
        return [];
      }
    },
    close: async () => undefined,
  };
}

async function post(order: DeliveryOrder): Promise<DeliveryOutcome> {
  const { request } = await import('undici');
  const limit = AbortSignal.timeout(order.answerLimitMs);
  const signal = AbortSignal.any([limit, order.signal]);
  try {
    const { url, headers, body } = order;
    const answer = await request(url, { method: 'POST', headers: { ...headers }, body, signal });
    await answer.body.dump({ limit: 64 * 1024, signal });
    return { status: answer.statusCode, error: null };
  } catch (error) {
    if (limit.aborted) return { status: null, error: 'no answer in time' };
    return { status: null, error: (error as Error).message };
  }
}
