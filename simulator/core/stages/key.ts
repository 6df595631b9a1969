// Second stage: the idempotency key, before anything else of the request is looked at (IDEM-1d).
import type { Stage } from '../attempt.ts';
import { refuse } from '../refuse.ts';
import { headerOf, rowOf } from './row.ts';

export const keyStage: Stage = {
  name: 'key',
  decide(attempt) {
    if (!rowOf(attempt).key) return null;
    const header = headerOf(attempt, 'idempotency-key');
    attempt.key = attempt.behaviour.keys.parse(header);
    if (attempt.key !== null) return null;
    return refuse(attempt, {
      code: 'idempotency_key_required',
      detail:
        header === undefined
          ? 'Send an Idempotency-Key header of 1 to 255 characters with every write.'
          : 'The Idempotency-Key header must have 1 to 255 characters besides surrounding spaces.',
      field: 'Idempotency-Key',
      cites: ['IDEM-1a', 'IDEM-1b', 'IDEM-1c', 'IDEM-1d'],
    });
  },
};
