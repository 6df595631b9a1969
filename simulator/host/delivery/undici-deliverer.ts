// Deliveries over real sockets with undici, which is loaded when the first one leaves.
import { parseUrl } from '../../../fixtures/parse-url.ts';
import type { Deliverer, DeliveryOutcome, DeliveryRequest } from './deliverer.ts';
import { type ExchangeOutcome, exchange } from './exchange.ts';
import { isLoopbackHost } from './loopback.ts';
import { type PoolOptions, Pools } from './pools.ts';
import { type Lookup, limitedLookup } from './resolver.ts';

export interface UndiciDelivererOptions {
  /** Replaces the system's resolver. */
  readonly resolve?: Lookup;
  readonly pools?: PoolOptions;
  /** Refuses to send to other machines, except through a forward. */
  readonly localOnly?: boolean;
}

const userAgent = 'trading-platform-sandbox';
const maxRedirects = 10;

/** Carries deliveries over the network. */
export function undiciDeliverer(options: UndiciDelivererOptions = {}): Deliverer {
  const resolve = limitedLookup(options.resolve);
  let opening: Promise<Pools> | null = null;
  let closed = false;
  // A bundler keeps only the default export of a CommonJS module.
  const open = async () => new Pools((await import('undici')).default, options.pools);
  return {
    resolve,
    deliver: async (request) => {
      if (options.localOnly && isPublic(request)) return notSent(request);
      opening ??= open();
      const pools = await opening;
      if (closed) return { status: null, error: 'the sandbox is closing' };
      return send(pools, resolve, request);
    },
    close: async () => {
      closed = true;
      await (await opening)?.close();
    },
  };
}

/** Addresses are pinned for every target that is not forwarded. */
const isPublic = ({ addresses }: DeliveryRequest): boolean =>
  addresses !== null && !addresses.every(isLoopbackHost);

function notSent({ url }: DeliveryRequest): DeliveryOutcome {
  const forward = `--forward ${new URL(url).origin}=URL`;
  const remedy = `forward it with ${forward}, or start with --allow-public-deliveries`;
  return { status: null, error: `not sent: the target is not on this machine; ${remedy}` };
}

/** EVT-9a: a redirect is an answer like any other; only a deviation follows it. */
async function send(
  pools: Pools,
  resolve: Lookup,
  request: DeliveryRequest,
): Promise<DeliveryOutcome> {
  const endAtMs = performance.now() + request.answerLimitMs;
  let { addresses } = request;
  let url = new URL(request.url);
  for (let redirects = 0; ; redirects += 1) {
    const limitMs = Math.max(1, endAtMs - performance.now());
    const outcome = await sendOnce(pools, { ...request, addresses }, url, limitMs);
    const { status, location } = outcome;
    const isRedirect = [301, 302, 303, 307, 308].includes(status ?? 0);
    if (!request.followsRedirects || !isRedirect || redirects === maxRedirects) return outcome;
    const next = parseUrl(location ?? '', url);
    if (location === undefined || next === null || !/^https?:$/.test(next.protocol)) return outcome;
    // A forward and its redirects may go anywhere; other redirects must stay on the checked host.
    if (addresses !== null && next.hostname !== url.hostname) {
      addresses = await resolve(next.hostname);
    }
    url = next;
  }
}

async function sendOnce(
  pools: Pools,
  { addresses, refuseAddress, headers, body, cancelToken }: DeliveryRequest,
  { origin, pathname, search }: URL,
  limitMs: number,
): Promise<ExchangeOutcome> {
  // A pooled connection skips the look-up, so the addresses of this delivery are checked again.
  for (const address of addresses ?? []) {
    const why = refuseAddress(address);
    if (why !== null) return { status: null, error: why, refusedTarget: why };
  }
  return exchange(pools.find({ origin, addresses, refuseAddress }), {
    path: `${pathname}${search}`,
    method: 'POST',
    headers: { 'user-agent': userAgent, ...headers },
    body,
    limitMs,
    cancelToken,
  });
}
