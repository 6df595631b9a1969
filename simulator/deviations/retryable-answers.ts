// Retryable answers that are kept for the repeat (IDEM-6).
import type { Attempt } from '../core/attempt.ts';
import type { Reply } from '../core/call.ts';
import type { Deviation } from './deviation.ts';

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
    finish: (reply, attempt) => {
      const given = behaviour.finish(reply, attempt);
      if (given.status === status && attempt.keyId !== null)
        kept(behaviour).set(`${attempt.world.name}\n${attempt.keyId}`, given);
      return given;
    },
    stages: behaviour.stages.map((conforming) =>
      conforming.name !== 'replay'
        ? conforming
        : {
            name: 'replay',
            decide: (attempt: Attempt) => {
              const decision = conforming.decide(attempt);
              const stored = kept(behaviour).get(`${attempt.world.name}\n${attempt.keyId}`);
              if (stored === undefined) return decision;
              attempt.idempotency = 'replayed';
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
