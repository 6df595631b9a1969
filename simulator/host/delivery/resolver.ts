// Looks names up as the system does, each only once at a time, and for no longer than a few
// seconds.
import { lookup as systemLookup } from 'node:dns/promises';

export type Lookup = (hostname: string) => Promise<readonly string[]>;

/**
 * The whole of a delivery has 15 s (EVT-9b); a resolver that is silent must leave something of
 * them.
 */
const limitMs = 5000;
/** The system's look-ups block threads that files need too, of which Node has four. */
const atOnce = 2;

const throughSystem: Lookup = async (hostname) => {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

export class Resolver {
  readonly #lookup: Lookup;
  readonly #limitMs: number;
  readonly #asked = new Map<string, Promise<readonly string[]>>();
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(lookup: Lookup = throughSystem, limit = limitMs) {
    this.#lookup = lookup;
    this.#limitMs = limit;
  }

  /**
   * The addresses of a name as they are now; none when it does not resolve, or not in time. Never
   * rejects.
   */
  resolve(hostname: string): Promise<readonly string[]> {
    const asked = this.#asked.get(hostname);
    if (asked !== undefined) return asked;
    // EVT-11: nothing is kept once it is answered, so that the next attempt looks again.
    const found = this.#ask(hostname).finally(() => this.#asked.delete(hostname));
    this.#asked.set(hostname, found);
    return found;
  }

  #ask(hostname: string): Promise<readonly string[]> {
    return new Promise((resolve) => {
      let waited = false;
      const timer = setTimeout(() => {
        waited = true;
        resolve([]);
      }, this.#limitMs);
      const ended = (addresses: readonly string[]) => {
        clearTimeout(timer);
        resolve(addresses);
        this.#running -= 1;
        this.#queue.shift()?.();
      };
      const begin = () => {
        this.#running += 1;
        // Its time is over: the next one's turn.
        if (waited) return ended([]);
        // Whatever the resolver's reason, the name has no address for us.
        this.#lookup(hostname).then(ended, () => ended([]));
      };
      if (this.#running < atOnce) begin();
      else this.#queue.push(begin);
    });
  }
}
