// Deliveries over real sockets with undici, which is loaded when the first one leaves.
import { parseUrl } from '../../../fixtures/parse-url.ts';
import type { FollowsRedirect } from '../../core/behaviour.ts';
import { memoize } from '../../core/values/memoize.ts';
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
  let pools: Pools | null = null;
  let closed = false;
  const open = async () => {
    // A bundler keeps only the default export of what is CommonJS.
    pools = new Pools((await import('undici')).default, options.pools);
    return pools;
  };
  const send = (to: Pools, request: DeliveryRequest): Promise<DeliveryOutcome> => {
    if (closed) return Promise.resolve({ status: null, error: 'the sandbox is closing' });
    return request.followsRedirect === null
      ? sendFirst(to, request)
      : sendOn(to, resolver, request, request.followsRedirect);
  };
  return {
    resolve: (hostname) => resolver.resolve(hostname),
    deliver: (request) => {
      if (options.localOnly && isPublic(request)) return Promise.resolve(notSent(request));
      if (pools !== null) return send(pools, request);
      opening ??= open();
      return opening.then((opened) => send(opened, request));
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

/** Where a request goes, taken apart. */
interface Place {
  readonly url: URL;
  readonly origin: string;
  readonly path: string;
}

const placeOf = memoize((text): Place => {
  const url = new URL(text);
  return { url, origin: url.origin, path: `${url.pathname}${url.search}` };
});

/** One hop of a delivery: the first, or where a redirect leads. */
interface Hop {
  readonly place: Place;
  readonly addresses: readonly string[] | null;
  readonly method: 'POST' | 'GET';
}

function firstHop({ url, addresses }: DeliveryRequest): Hop {
  return { place: placeOf(url), addresses, method: 'POST' };
}

/** EVT-9a: a redirect is an answer like any other, and not followed. */
function sendFirst(pools: Pools, request: DeliveryRequest): Promise<DeliveryOutcome> {
  return sendHop(pools, request, firstHop(request), request.answerLimitMs);
}

/** With redirects followed, which only a deviation does. */
async function sendOn(
  pools: Pools,
  resolver: Resolver,
  request: DeliveryRequest,
  follows: FollowsRedirect,
): Promise<DeliveryOutcome> {
  const endAtMs = performance.now() + request.answerLimitMs;
  let hop = firstHop(request);
  for (let redirects = 0; ; redirects += 1) {
    const outcome = await sendHop(pools, request, hop, Math.max(1, endAtMs - performance.now()));
    const next = await nextHop(resolver, hop, outcome, follows);
    if (next === null || redirects === mostRedirects) return outcome;
    hop = next;
  }
}

function sendHop(
  pools: Pools,
  request: DeliveryRequest,
  { place, addresses, method }: Hop,
  limitMs: number,
): Promise<ExchangeOutcome> {
  const { refuseAddress, headers, body, cancelToken } = request;
  // Pooled connections are looked up no more, so what was judged for this delivery is asked again.
  for (const address of addresses ?? []) {
    const why = refuseAddress(address);
    if (why !== null) {
      const refused = { status: null, error: why, location: null, refusedTarget: why };
      return Promise.resolve(refused);
    }
  }
  return exchange(pools.find({ origin: place.origin, addresses, refuseAddress }), {
    path: place.path,
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
  hop: Hop,
  { status, location }: ExchangeOutcome,
  follows: FollowsRedirect,
): Promise<Hop | null> {
  if (status === null || location === null || ![301, 302, 303, 307, 308].includes(status)) {
    return null;
  }
  const before = hop.place.url;
  const url = parseUrl(location, before);
  if (url === null || !follows(location, before)) return null;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  const method = status >= 307 ? hop.method : 'GET';
  // A forward leads where its owner wants, and so do its redirects; others stay judged.
  const place = placeOf(url.href);
  const sameHost = url.hostname === before.hostname;
  if (hop.addresses === null || sameHost) return { place, addresses: hop.addresses, method };
  return { place, addresses: await resolver.resolve(url.hostname), method };
}
