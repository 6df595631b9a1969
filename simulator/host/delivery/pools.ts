// Keep-alive connections by origin and checked addresses: a connection is never reused for other
// addresses.
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type Undici from 'undici';
import type { buildConnector, Pool } from 'undici';
import { parseAddress } from '../../core/values/address.ts';
import type { DeliveryRequest } from './deliverer.ts';

/** Where the connections of a pool may go. */
export interface Pins extends Pick<DeliveryRequest, 'addresses' | 'refuseAddress'> {
  /** Scheme, host and port as in the URL: used for SNI, certificate and `Host`. */
  readonly origin: string;
}

export interface PoolOptions {
  /** Certificate authorities to trust in addition to those of Node. */
  readonly ca?: string | undefined;
  /** Replaces the pinned look-up; for tests of the later check of the peer. */
  readonly lookup?: LookupFunction | undefined;
}

/** The connection is to an address that deliveries may not be sent to (EVT-11). */
export class RefusedPeer extends Error {
  override readonly name = 'RefusedPeer';
}

const maxPools = 256;
/** A receiver may close an idle connection at any time; this is too short for most of them. */
const idleMs = 1000;

export class Pools {
  readonly #undici: typeof Undici;
  readonly #options: PoolOptions;
  /** Least recently used first. */
  readonly #pools = new Map<string, Pool>();

  constructor(undici: typeof Undici, options: PoolOptions = {}) {
    this.#undici = undici;
    this.#options = options;
  }

  find(pins: Pins): Pool {
    const key = pins.addresses === null ? pins.origin : `${pins.origin} ${pins.addresses.join()}`;
    const pool = this.#pools.get(key) ?? this.#open(pins);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    if (this.#pools.size > maxPools) this.#forgetOldest();
    return pool;
  }

  #open(pins: Pins): Pool {
    const { ca, lookup = pins.addresses === null ? undefined : pinned(pins.addresses) } =
      this.#options;
    const given = { timeout: 15_000, lookup, ca };
    const connect = this.#undici.buildConnector(given as buildConnector.BuildOptions);
    return new this.#undici.Pool(pins.origin, {
      connections: 128,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // EVT-9b: the exchange has one limit for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, done) =>
        connect(options, (...result) => {
          const [error, socket] = result;
          const why = error === null ? refusePeer(pins, socket) : null;
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

  /** Closes all connections. */
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

/** EVT-11: there is no look-up for an address literal, so the peer itself is checked as well. */
function refusePeer({ addresses, refuseAddress }: Pins, { remoteAddress }: Socket): string | null {
  if (addresses === null) return null;
  const peer = remoteAddress ?? 'nowhere';
  const value = parseAddress(peer)?.value;
  const wasJudged = addresses.some((address) => parseAddress(address)?.value === value);
  const odd = wasJudged ? null : `the connection leads to ${peer}, which was not judged`;
  return refuseAddress(peer) ?? odd;
}
