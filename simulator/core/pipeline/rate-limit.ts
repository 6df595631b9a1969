// Fourth stage: room in the credential's and in the firm's bucket, or 429.

import type { Demand } from '../behaviour.ts';
import type { Decision } from '../call.ts';
import type { Change } from '../change.ts';
import { citesIf } from '../cites.ts';
import { refusalReply } from './refuse.ts';
import type { RequestContext, Stage } from './request-context.ts';

export const rateStage: Stage = {
  name: 'rate',
  decide(context) {
    if (context.credential === null) return null;
    const { limits } = context.behaviour;
    const demands = limits.demands(context);
    const cost = limits.cost(context);
    const draws: Change[] = [];
    let short: Demand | null = null;
    let waitMs = 0;
    for (const demand of demands) {
      const { bucket, rate } = demand;
      const level = limits.level(context.world.buckets.get(bucket), rate, context.atMs);
      if (demand === demands[0]) {
        context.allowance = rate;
        context.allowanceLeft = Math.max(0, Math.floor((level - cost) / 1000));
      }
      if (level < cost) {
        short ??= demand;
        // A bucket fills by `rate` thousandths of a request every millisecond.
        waitMs = Math.max(waitMs, Math.ceil((cost - level) / rate));
      }
      draws.push({ type: 'bucket-drawn', name: bucket, units: level - cost, atMs: context.atMs });
    }
    // LIM-3: served only if both have room. LIM-5: a refused call draws from neither.
    if (short !== null) return refuseRate(context, short, waitMs);
    context.changes.push(...draws);
    return null;
  },
};

function refuseRate(context: RequestContext, short: Demand, waitMs: number): Decision {
  context.allowanceLeft = 0;
  const isFirms = short.bucket.startsWith('firm:');
  const whose = isFirms ? 'The firm' : 'This credential';
  const many = `${short.rate} ${short.rate === 1 ? 'request' : 'requests'} a second`;
  const reply = rateRefusal(
    context,
    waitMs,
    `${whose} may send ${many}. Wait as Retry-After says, with some jitter.`,
  );
  return { reply, changes: [], cites: [...citesOfLimit(context, isFirms), 'LIM-5', 'LIM-6'] };
}

function citesOfLimit({ credential, call }: RequestContext, isFirms: boolean) {
  const hasOwn = credential !== null && credential.rate_per_second !== null;
  const isDelegated = credential !== null && credential.minted_by !== null;
  return [
    isFirms ? 'LIM-3' : hasOwn ? 'LIM-4' : 'LIM-1',
    'LIM-2',
    ...citesIf(isDelegated && !isFirms, 'LIM-10'),
    ...citesIf(call.method === 'GET', 'LIM-11'),
  ] as const;
}

/** LIM-6: the answer to a limited request, also when a fault orders it. */
export function rateRefusal(context: RequestContext, waitMs: number, detail: string) {
  const { limits } = context.behaviour;
  const rate = context.allowance ?? limits.tokenRequests;
  const reply = refusalReply(context, { code: 'rate_limited', detail, cites: ['LIM-6'] });
  return { ...reply, headers: limits.headers(rate, waitMs) };
}
