// Deliveries over real sockets with undici, which is loaded when the first one leaves.
import { isIP, type LookupFunction } from 'node:net';
import type Undici from 'undici';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { parseAddress } from '../../core/values/address.ts';
import type { CancelToken, Deliverer, DeliveryOutcome, DeliveryRequest } from './deliverer.ts';
import { isLoopbackHost } from './loopback.ts';
import { type Lookup, limitedLookup } from './resolver.ts';

export interface UndiciDelivererOptions {
  /** Refuses to send to other machines, except through a forward. */
  readonly localOnly?: boolean;
  /** Options of every connection, for tests: a certificate authority, or another look-up. */
  readonly connect?: { readonly ca?: string; readonly lookup?: LookupFunction };
}

const userAgent = 'trading-platform-sandbox';
const maxRedirects = 10;

export function undiciDeliverer(options: UndiciDelivererOptions = {}): Deliverer {
  const resolve = limitedLookup();
  let opening: Promise<Pools> | null = null;
  let closed = false;
  // A bundler keeps only the default export of a CommonJS module.
  const open = async () => new Pools((await import('undici')).default, options.connect);
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
    const answerLimitMs = Math.max(1, endAtMs - performance.now());
    const outcome = await sendOnce(pools, { ...request, addresses, answerLimitMs }, url);
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

/** `location`: the target of a redirect. */
type Exchanged = DeliveryOutcome & { readonly location?: string | undefined };

async function sendOnce(
  pools: Pools,
  request: DeliveryRequest,
  { origin, pathname, search }: URL,
): Promise<Exchanged> {
  const { addresses, refuseAddress, headers, body, answerLimitMs, cancelToken } = request;
  // A pooled connection skips the look-up, so the addresses of this delivery are checked again.
  for (const address of addresses ?? []) {
    const why = refuseAddress(address);
    if (why !== null) return { status: null, error: why, refusedTarget: why };
  }
  const post: Dispatcher.DispatchOptions = {
    path: `${pathname}${search}`,
    method: 'POST',
    headers: { 'user-agent': userAgent, ...headers },
    body,
  };
  return exchange(pools.find(origin, request), post, answerLimitMs, cancelToken);
}

/** A response is complete once this much of its body has arrived; the rest is not read. */
const bodyKeptBytes = 64 * 1024;

const cut = new Error('cut off');

/**
 * Never rejects. The limit is for everything: waiting for a connection, connecting, the answer and
 * its whole body.
 */
function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  limitMs: number,
  cancelToken: CancelToken,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let isDone = false;
    let status: number | null = null;
    let location: string | undefined;
    let bodyBytes = 0;
    const settle = (outcome: Exchanged) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      cancelToken.onCancel(null);
      // A complete response leaves its connection open for the next request; anything else closes
      // it. Undici has already forgotten a finished request, so this affects only unfinished ones.
      controller?.abort(cut);
      resolve(outcome);
    };
    const succeed = () => settle({ status, error: null, location });
    const fail = (error: Error) => {
      const refused = error instanceof RefusedPeer ? { refusedTarget: error.message } : {};
      settle({ status: null, error: explainFailure(error, status !== null), ...refused });
    };
    const cancel = () => fail(new Error('cut off by the sandbox'));
    // EVT-9b: undici's own limits start again with every byte; this one does not.
    const timer = setTimeout(() => {
      const what = controller === null ? 'no connection' : 'no response';
      const error = status === null ? what : 'the response was not complete';
      settle({ status: null, error: `${error} within ${Math.ceil(limitMs / 1000)} s` });
    }, limitMs);
    if (cancelToken.isCancelled) return cancel();
    cancelToken.onCancel(cancel);
    try {
      pool.dispatch(request, {
        onRequestStart: (started) => {
          controller = started;
          // It timed out while it waited for a connection: nothing may be sent after that.
          if (isDone) started.abort(cut);
        },
        onResponseStart: (_controller, answered, headers) => {
          if (answered < 200) return;
          status = answered;
          location = [headers.location ?? []].flat()[0];
        },
        onResponseData: (_controller, chunk) => {
          bodyBytes += chunk.byteLength;
          if (bodyBytes > bodyKeptBytes) succeed();
        },
        onResponseEnd: succeed,
        onResponseError: (_controller, error) => fail(error),
      });
    } catch (error) {
      fail(error as Error);
    }
  });
}

/** Codes whose own message does not say what happened. */
const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the delivery was being sent',
  ETIMEDOUT: 'no connection: the host does not respond',
  UND_ERR_CONNECT_TIMEOUT: 'no connection: the host does not respond',
  EHOSTUNREACH: 'the host cannot be reached from this machine',
  ENETUNREACH: 'the network of the host cannot be reached from this machine',
  EADDRNOTAVAIL: 'no connection: this machine has no free address or port',
  EMFILE: 'no connection: this program has too many files and sockets open',
  EPROTO: 'TLS failed: does the port speak https?',
  UND_ERR_SOCKET: 'the connection was closed before a response',
};

/** For users; `isAnswering`: the headers of an answer had already arrived. */
function explainFailure(error: Error, isAnswering: boolean): string {
  const code = codeOf(error);
  if (isAnswering && (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')) {
    return 'the connection was closed before the response was complete';
  }
  const known = byCode[code.startsWith('ERR_SSL_') ? 'EPROTO' : code];
  if (known !== undefined) return known;
  if (error.name === 'HTTPParserError') {
    const [, why = ''] = /^[^(]*(\(.*\))/.exec(error.message) ?? [];
    return `the response is not valid HTTP ${why}`.trimEnd();
  }
  return error.message === '' ? 'the delivery failed' : error.message;
}

/** If several addresses were tried, the first failure is reported. */
function codeOf(error: NodeJS.ErrnoException): string {
  if (error.code !== undefined) return String(error.code);
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error ? codeOf(first) : '';
}

/** The connection is to an address that deliveries may not be sent to (EVT-11). */
class RefusedPeer extends Error {
  override readonly name = 'RefusedPeer';
}

const maxPools = 256;
/** A receiver may close an idle connection at any time; this is too short for most of them. */
const idleMs = 1000;

/** Keep-alive connections: one is never reused for another origin or other checked addresses. */
class Pools {
  readonly #undici: typeof Undici;
  readonly #connect: UndiciDelivererOptions['connect'];
  /** Least recently used first. */
  readonly #pools = new Map<string, Pool>();

  constructor(undici: typeof Undici, connect: UndiciDelivererOptions['connect']) {
    this.#undici = undici;
    this.#connect = connect;
  }

  find(origin: string, request: DeliveryRequest): Pool {
    const key = `${origin} ${request.addresses}`;
    const pool = this.#pools.get(key) ?? this.#open(origin, request);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    if (this.#pools.size > maxPools) this.#forgetOldest();
    return pool;
  }

  #open(origin: string, { addresses, refuseAddress }: DeliveryRequest): Pool {
    const lookup = addresses === null ? undefined : pinned(addresses);
    const options = { timeout: 15_000, lookup, ...this.#connect } as buildConnector.BuildOptions;
    const connect = this.#undici.buildConnector(options);
    /** EVT-11: there is no look-up for an address literal, so the peer itself is checked as well. */
    const refusePeer = (peer = 'nowhere'): string | null => {
      if (addresses === null) return null;
      const value = parseAddress(peer)?.value;
      const wasJudged = addresses.some((address) => parseAddress(address)?.value === value);
      const odd = wasJudged ? null : `the connection leads to ${peer}, which was not judged`;
      return refuseAddress(peer) ?? odd;
    };
    return new this.#undici.Pool(origin, {
      connections: 128,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // EVT-9b: the exchange has one limit for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (target, done) =>
        connect(target, (...result) => {
          const [error, socket] = result;
          const why = error === null ? refusePeer(socket.remoteAddress) : null;
          if (why === null) return done(...result);
          socket?.destroy();
          return done(new RefusedPeer(why), null);
        }),
    });
  }

  #forgetOldest(): void {
    const [idle] = [...this.#pools].filter(([, pool]) => pool.stats.size === 0);
    if (idle === undefined) return;
    this.#pools.delete(idle[0]);
    void idle[1].close();
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

/** HOOK-8, EVT-11: a name resolves to exactly the addresses that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (hostname, { all }, done) => {
    const [first] = found;
    if (first === undefined) {
      done(new Error(`${hostname} does not resolve`), []);
    } else if (all === true) done(null, found);
    else done(null, first.address, first.family);
  };
}
