// Keep-alive connections by origin and judged addresses: one that was judged otherwise is never
// used.
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type Undici from 'undici';
import type { buildConnector, Pool } from 'undici';
import { parseAddress } from '../../core/values/address.ts';
import { RefusedPeer } from './exchange.ts';

/** Where the connections of a pool may lead. */
export interface Pins {
  /** Scheme, host and port as the URL has them: what SNI, certificate and `Host` go by. */
  readonly origin: string;
  /** null: wherever the system's resolver says (a forward). */
  readonly addresses: readonly string[] | null;
  readonly refuseAddress: (address: string) => string | null;
}

export interface PoolOptions {
  /** Certificates of authorities trusted beside those of Node. */
  readonly ca?: string | undefined;
  /** Replaces the pinned look-up; for tests of the check that comes after it. */
  readonly lookup?: LookupFunction | undefined;
}

const mostPools = 256;
const mostConnections = 128;
/** A receiver may close an idle connection at any time; so short a pause hardly ever meets that. */
const idleMs = 1000;
const connectLimitMs = 15_000;

export class Pools {
  readonly #undici: typeof Undici;
  readonly #options: PoolOptions;
  /** The least recently used first. */
  readonly #pools = new Map<string, Pool>();

  constructor(undici: typeof Undici, options: PoolOptions = {}) {
    this.#undici = undici;
    this.#options = options;
  }

  get size(): number {
    return this.#pools.size;
  }

  find(pins: Pins): Pool {
    const key = pins.addresses === null ? pins.origin : `${pins.origin} ${pins.addresses.join()}`;
    const known = this.#pools.get(key);
    if (known !== undefined) {
      this.#pools.delete(key);
      this.#pools.set(key, known);
      return known;
    }
    const pool = new this.#undici.Pool(pins.origin, {
      connections: mostConnections,
      pipelining: 1,
      connect: this.#connector(pins),
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // EVT-9b: the exchange keeps one limit for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pools.set(key, pool);
    this.#forgetOldest();
    return pool;
  }

  #connector(pins: Pins): buildConnector.connector {
    const { ca, lookup } = this.#options;
    const resolve = lookup ?? (pins.addresses === null ? undefined : pinned(pins.addresses));
    const connect = this.#undici.buildConnector({
      timeout: connectLimitMs,
      ...(resolve === undefined ? {} : { lookup: resolve }),
      ...(ca === undefined ? {} : { ca }),
    } as buildConnector.BuildOptions);
    return (options, done) =>
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error !== null) return done(error, null);
        const why = refusePeer(pins, socket);
        if (why === null) return done(null, socket);
        socket.destroy();
        return done(new RefusedPeer(why), null);
      });
  }

  #forgetOldest(): void {
    if (this.#pools.size <= mostPools) return;
    for (const [key, pool] of this.#pools) {
      if (pool.stats.size > 0) continue;
      this.#pools.delete(key);
      void pool.close();
      return;
    }
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

/** HOOK-8, EVT-11: a name was judged by these addresses, so it leads to these and to no other. */
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

/**
 * EVT-11: the look-up is not asked for an address literal, so the peer itself is looked at as well.
 */
function refusePeer({ addresses, refuseAddress }: Pins, { remoteAddress }: Socket): string | null {
  if (addresses === null) return null;
  const peer = remoteAddress ?? 'nowhere';
  const value = parseAddress(peer)?.value;
  if (!addresses.some((address) => parseAddress(address)?.value === value)) {
    return refuseAddress(peer) ?? `the connection leads to ${peer}, which was not judged`;
  }
  return refuseAddress(peer);
}
