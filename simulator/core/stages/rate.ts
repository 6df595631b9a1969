// Fourth stage: room in the credential's and in the firm's bucket, or 429.
import type { Attempt, Stage } from '../attempt.ts';
import type { Demand } from '../behaviour.ts';
import type { Decision } from '../call.ts';
import type { Change } from '../change.ts';
import { refusalReply } from '../refuse.ts';

export const rateStage: Stage = {
  name: 'rate',
  decide(attempt) {
    if (attempt.credential === null) return null;
    const { limits } = attempt.behaviour;
    const demands = limits.demands(attempt);
    const cost = limits.cost(attempt);
    const draws: Change[] = [];
    let short: Demand | null = null;
    let waitMs = 0;
    for (const demand of demands) {
      const { bucket, rate } = demand;
      const level = limits.level(attempt.world.buckets.get(bucket), rate, attempt.atMs);
      if (demand === demands[0]) {
        attempt.allowance = rate;
        attempt.allowanceLeft = Math.max(0, Math.floor((level - cost) / 1000));
      }
      if (level < cost) {
        short ??= demand;
        // A bucket fills by `rate` thousandths of a request every millisecond.
        waitMs = Math.max(waitMs, Math.ceil((cost - level) / rate));
      }
      draws.push({ type: 'bucket-drawn', name: bucket, units: level - cost, atMs: attempt.atMs });
    }
    // LIM-3: served only if both have room. LIM-5: a refused call draws from neither.
    if (short !== null) return refuseRate(attempt, short, waitMs);
    attempt.changes.push(...draws);
    return null;
  },
};

function refuseRate(attempt: Attempt, short: Demand, waitMs: number): Decision {
  attempt.allowanceLeft = 0;
  const whose = short.bucket.startsWith('firm:') ? 'The firm' : 'This credential';
  const reply = rateRefusal(
    attempt,
    waitMs,
    `${whose} may send ${short.rate} requests a second. Wait as Retry-After says, with some jitter.`,
  );
  return { reply, changes: [], cites: ['LIM-1', 'LIM-2', 'LIM-3', 'LIM-5', 'LIM-6'] };
}

/** LIM-6: the answer to a limited request, also when a fault orders it. */
export function rateRefusal(attempt: Attempt, waitMs: number, detail: string) {
  const { limits } = attempt.behaviour;
  const rate = attempt.allowance ?? limits.tokenRequests;
  const reply = refusalReply(attempt, { code: 'rate_limited', detail, cites: ['LIM-6'] });
  return { ...reply, headers: limits.headers(rate, waitMs) };
}
