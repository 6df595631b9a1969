// Attempts that are still running: their response is lost, and repeats get 409 until they end.
import { problem } from './answers.ts';
import type { Fault, Treatment } from './fault.ts';

/** IDEM-14a: how long an attempt runs on after its connection was cut. */
export const runsOnMs = 3_000;

const waiting = 'answered 409 idempotency_in_flight: the earlier attempt is still running';

export function runOn(sites: ReadonlySet<string>): Fault {
  return inFlight(sites, runsOnMs, {
    kind: 'lose_answer',
    struck: 'the connection was cut while the attempt runs for 3 more seconds',
  });
}

/** As the second of two that share a key sees it: the 409 comes first, and the next is served. */
export function meetInFlight(sites: ReadonlySet<string>): Fault {
  return inFlight(sites, 0, null);
}

function inFlight(sites: ReadonlySet<string>, lastMs: number, first: Treatment | null): Fault {
  const overAtMs = new Map<string, number>();
  return {
    meet: ({ site, isFirst, n }, { nowMs }) => {
      if (site === null || !sites.has(site)) return null;
      const refuse = (): Treatment => ({
        kind: 'answer',
        struck: waiting,
        response: problem('idempotency_in_flight', n),
      });
      if (isFirst) {
        overAtMs.set(site, nowMs() + lastMs);
        return first ?? refuse();
      }
      return nowMs() < (overAtMs.get(site) ?? 0) ? refuse() : null;
    },
  };
}
