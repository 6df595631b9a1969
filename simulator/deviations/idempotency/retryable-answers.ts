// Retryable answers that are kept for the repeat (IDEM-6).

import type { Reply } from '../../core/call.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import type { Deviation } from '../deviation.ts';

export const retryableAnswerDeviations: readonly Deviation[] = [
  {
    id: 'contention-is-recorded',
    breaks: ['IDEM-6b'],
    story: 'A 503 is stored like any answer.',
    bend: recordsStatus(503),
  },
  {
    id: 'internal-error-is-recorded',
    breaks: ['IDEM-6c'],
    story: 'A 500 is stored like any answer.',
    bend: recordsStatus(500),
  },
];

/** Keeps what a fault answered, so that a repeat gets it again. */
function recordsStatus(status: number): Deviation['bend'] {
  return (behaviour) => ({
    ...behaviour,
    finalizeReply: (reply, context) => {
      const given = behaviour.finalizeReply(reply, context);
      if (given.status === status && context.keyId !== null)
        kept(behaviour).set(`${context.world.name}\n${context.keyId}`, given);
      return given;
    },
    stages: behaviour.stages.map((conforming) =>
      conforming.name !== 'replay'
        ? conforming
        : {
            name: 'replay',
            decide: (context: RequestContext) => {
              const decision = conforming.decide(context);
              const stored = kept(behaviour).get(`${context.world.name}\n${context.keyId}`);
              if (stored === undefined) return decision;
              context.idempotency = 'replayed';
              return { reply: stored, changes: [], cites: [] };
            },
          },
    ),
  });
}

const stores = new WeakMap<object, Map<string, Reply>>();

function kept(behaviour: object): Map<string, Reply> {
  const store = stores.get(behaviour) ?? new Map<string, Reply>();
  stores.set(behaviour, store);
  return store;
}
