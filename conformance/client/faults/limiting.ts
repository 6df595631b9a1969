// A credential that is limited for a while: nothing of it is served until the wait is over.
import { limited } from './answers.ts';
import type { Fault, Treatment } from './fault.ts';

/** The answer is held for so long, so that what was sent before it came arrives before it goes. */
const holdMs = 150;
const perSecond = 5;

/** The first call of each of these sites meets a limit of so many seconds. */
export function limit(sites: ReadonlySet<string>, seconds: number): Fault {
  const untilMs = new Map<string, number>();
  const refuse = (n: number, waitS: number, held: number): Treatment => ({
    kind: 'answer',
    struck: `answered 429 with Retry-After: ${waitS}`,
    response: limited(n, waitS, perSecond),
    holdMs: held,
  });
  return {
    meet: ({ site, isFirst, clientId, operation, n }, { nowMs }) => {
      const who = clientId ?? 'unknown';
      // AUTH-3c: tokens have a budget of their own.
      if (operation === 'issueToken') return null;
      const now = nowMs();
      const leftMs = (untilMs.get(who) ?? 0) - now;
      if (leftMs > 0) return refuse(n, Math.ceil(leftMs / 1000), 0);
      if (!isFirst || site === null || !sites.has(site)) return null;
      untilMs.set(who, now + holdMs + seconds * 1000);
      return refuse(n, seconds, holdMs);
    },
  };
}
