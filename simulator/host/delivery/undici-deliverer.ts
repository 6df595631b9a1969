// Deliveries over real sockets with undici, which is loaded when the first one leaves.
import { parseUrl } from '../../../fixtures/parse-url.ts';
import type { FollowsRedirect } from '../../core/behaviour.ts';
import type { Deliverer, DeliveryOutcome, DeliveryRequest } from './deliverer.ts';
import { type ExchangeOutcome, exchange } from './exchange.ts';
import { isLoopbackHost } from './loopback.ts';
import { type PoolOptions, Pools } from './pools.ts';
import { type Lookup, Resolver } from './resolver.ts';

export interface UndiciDelivererOptions {
  /** Replaces the system's resolver. */
  readonly resolve?: Lookup;
  readonly pools?: PoolOptions;
  /** Refuses to send to other machines, except where a forward leads. */
  readonly localOnly?: boolean;
}

const userAgent = 'trading-platform-sandbox';
const mostRedirects = 10;

/** Carries deliveries over the network. */
export function undiciDeliverer(options: UndiciDelivererOptions = {}): Deliverer {
  const resolver = new Resolver(options.resolve);
  let opening: Promise<Pools> | null = null;
  let closed = false;
  // A bundler keeps only the default export of what is CommonJS.
  const open = async () => new Pools((await import('undici')).default, options.pools);
  return {
    resolve: (hostname) => resolver.resolve(hostname),
    deliver: async (request) => {
      if (options.localOnly && isPublic(request)) return notSent(request);
      opening ??= open();
      const pools = await opening;
      if (closed) return { status: null, error: 'the sandbox is closing' };
      return send(pools, resolver, request);
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

/** One hop of a delivery: the first, or where a redirect leads. */
interface Hop {
  readonly url: URL;
  readonly addresses: readonly string[] | null;
  readonly method: 'POST' | 'GET';
}

/** EVT-9a: a redirect is an answer like any other; only a deviation follows it. */
async function send(
  pools: Pools,
  resolver: Resolver,
  request: DeliveryRequest,
): Promise<DeliveryOutcome> {
  const endAtMs = performance.now() + request.answerLimitMs;
  let hop: Hop = { url: new URL(request.url), addresses: request.addresses, method: 'POST' };
  for (let redirects = 0; ; redirects += 1) {
    const outcome = await sendHop(pools, request, hop, Math.max(1, endAtMs - performance.now()));
    const { followsRedirect } = request;
    if (followsRedirect === null || redirects === mostRedirects) return outcome;
    const next = await nextHop(resolver, hop, outcome, followsRedirect);
    if (next === null) return outcome;
    hop = next;
  }
}

async function sendHop(
  pools: Pools,
  request: DeliveryRequest,
  { url, addresses, method }: Hop,
  limitMs: number,
): Promise<ExchangeOutcome> {
  const { refuseAddress, headers, body, cancelToken } = request;
  // Pooled connections are looked up no more, so what was judged for this delivery is asked again.
  for (const address of addresses ?? []) {
    const why = refuseAddress(address);
    if (why !== null) return { status: null, error: why, location: null, refusedTarget: why };
  }
  return exchange(pools.find({ origin: url.origin, addresses, refuseAddress }), {
    path: `${url.pathname}${url.search}`,
    method,
    headers: { 'user-agent': userAgent, ...headers },
    body: method === 'POST' ? body : null,
    limitMs,
    cancelToken,
  });
}

/** Where a redirect leads, by the rules of RFC 9110; null for any other answer. */
async function nextHop(
  resolver: Resolver,
  { url: before, addresses, method: methodBefore }: Hop,
  { status, location }: ExchangeOutcome,
  follows: FollowsRedirect,
): Promise<Hop | null> {
  if (status === null || location === null || ![301, 302, 303, 307, 308].includes(status)) {
    return null;
  }
  const url = parseUrl(location, before);
  if (url === null || !follows(location, before) || !/^https?:$/.test(url.protocol)) return null;
  const method = status >= 307 ? methodBefore : 'GET';
  // A forward leads where its owner wants, and so do its redirects; others stay judged.
  if (addresses === null || url.hostname === before.hostname) return { url, addresses, method };
  return { url, addresses: await resolver.resolve(url.hostname), method };
}
