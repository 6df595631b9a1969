// Resolves names as the system does, one look-up per name at a time, with a timeout of a few
// seconds.
import { lookup as systemLookup } from 'node:dns/promises';

export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** A whole delivery has 15 s (EVT-9b); a silent resolver must leave some of that time. */
const longestMs = 5000;
/** The system's look-ups block threads that file access needs too; Node has four. */
const atOnce = 2;

const throughSystem: Lookup = async (hostname) => {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

/** The current addresses of a name; none if it does not resolve in time. Never rejects. */
export function limitedLookup(lookup: Lookup = throughSystem, limitMs = longestMs): Lookup {
  const pending = new Map<string, Promise<readonly string[]>>();
  const queue: (() => void)[] = [];
  let running = 0;
  const ask = (hostname: string) =>
    new Promise<readonly string[]>((resolve) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        resolve([]);
      }, limitMs);
      const begin = async () => {
        running += 1;
        // If its time is over, the next name gets its turn. Whatever the resolver's error is, the
        // name has no usable address.
        resolve(isLate ? [] : await lookup(hostname).catch(() => []));
        clearTimeout(timer);
        running -= 1;
        queue.shift()?.();
      };
      if (running < atOnce) void begin();
      else queue.push(begin);
    });
  return (hostname) => {
    // EVT-11: results are not cached, so that the next attempt resolves the name again.
    const found = pending.get(hostname) ?? ask(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, found);
    return found;
  };
}
