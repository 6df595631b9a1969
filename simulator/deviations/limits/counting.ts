// Wrong counting of what is limited: own limits, batches, delegated tokens, reads (LIM-4, LIM-9 to
// LIM-11).

import type { LimitPolicy } from '../../core/behaviour.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

const limits = (change: (own: LimitPolicy) => Partial<LimitPolicy>): Deviation['bend'] =>
  policy('limits', change);

export const limitCountingDeviations: readonly Deviation[] = [
  {
    id: 'limit-override-ignored',
    breaks: ['LIM-4'],
    story: 'A credential’s own limit is stored and not used.',
    bend: limits((own) => ({
      rate: (credential) =>
        own.rate({
          ...credential,
          rate_per_second:
            credential.rate_per_second !== null && credential.rate_per_second < 1000
              ? null
              : credential.rate_per_second,
        }),
    })),
  },
  {
    id: 'limit-bulk-counts-rows',
    breaks: ['LIM-9'],
    story: 'A batch costs as many requests as it has rows.',
    bend: limits((own) => ({
      cost: (context) =>
        context.operation === 'bulkCreateAccounts'
          ? own.cost(context) * rowsOf(context)
          : own.cost(context),
    })),
  },
  {
    id: 'limit-delegated-at-plan-rate',
    breaks: ['LIM-10'],
    story: 'Delegated tokens have the rate of the plan of their minter.',
    bend: limits((own) => ({
      demands: (context) =>
        own
          .demands(context)
          .map((demand) =>
            demand.bucket.startsWith('delegated:') ? { ...demand, rate: own.plans.pro } : demand,
          ),
    })),
  },
  {
    id: 'limit-delegated-each-its-own',
    breaks: ['LIM-10'],
    story: 'Each delegated token has an allowance of its own.',
    bend: limits((own) => ({
      demands: (context) =>
        own
          .demands(context)
          .map((demand) =>
            demand.bucket.startsWith('delegated:')
              ? { ...demand, bucket: `delegated:${context.credential?.client_id}` }
              : demand,
          ),
    })),
  },
  {
    id: 'limit-reads-unmetered',
    breaks: ['LIM-11'],
    story: 'Reads are cheap and not counted.',
    bend: limits((own) => ({
      cost: (context) => (context.call.method === 'GET' ? 0 : own.cost(context)),
    })),
  },
  {
    id: 'limit-writes-cost-two',
    breaks: ['LIM-11'],
    story: 'A write counts twice.',
    bend: limits((own) => ({
      cost: (context) =>
        context.call.method === 'GET' ? own.cost(context) : 2 * own.cost(context),
    })),
    alsoSeenAs: { 'LIM-1': 'writes are served at half the rate' },
  },
];

function rowsOf(context: RequestContext): number {
  const text = Buffer.from(context.call.body).toString();
  return Math.max(1, text.split('client_reference_id').length - 1);
}
