// Writes that are refused: once, or every time.
import type { ApiCall } from '../call.ts';
import { type SentRequest, sameButForReferences, sameRequest } from '../intents.ts';
import type { Site } from '../observation.ts';
import { problem, type RefusalCode, statusOf } from './answers.ts';
import type { Fault, Treatment } from './fault.ts';

function refusal(code: RefusalCode, n: number): Treatment {
  const struck = `answered ${statusOf(code)} ${code} instead of the platform`;
  return { kind: 'answer', struck, response: problem(code, n) };
}

/** The first call of each of these sites is refused; what repeats it is served. */
export function refuseFirst(code: RefusalCode, sites: ReadonlySet<string>): Fault {
  return {
    meet: ({ site, isFirst, n }) =>
      isFirst && site !== null && sites.has(site) ? refusal(code, n) : null,
  };
}

/** IDEM-4d: a refusal that is final. Every repeat is refused again. */
export function refuseAlways(code: RefusalCode, site: string): Fault {
  let refused: SentRequest | null = null;
  return {
    meet: (met) => {
      if (met.isFirst && met.site === site) refused = met;
      if (refused === null || met.operation !== refused.operation) return null;
      const again = met.site === site || sameRequest(refused, met);
      return again || sameButForReferences(refused, met) ? refusal(code, met.n) : null;
    },
  };
}

/** One write breaks, under whatever name it is sent, and does not recover. */
export function breakFor(site: Site, most: number): Fault {
  let broken = false;
  return {
    meet: ({ site: own, operation, n }) => {
      if (operation !== site.operation || own === null) return null;
      if (own === site.id) broken = true;
      // What the first run did not want may be this write under a new reference.
      const isNew = broken && Number(own.split('#')[1]) > site.of;
      return own === site.id || isNew ? refusal('internal_error', n) : null;
    },
    seenEnough: (calls: readonly ApiCall[]) =>
      calls.filter((call) => call.struck !== null && call.site === site.id).length > most,
    // Seven tries with a doubled wait after each take longer than a minute, and are right.
    needsMoreTime: () => broken,
  };
}
