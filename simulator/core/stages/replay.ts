// Sixth stage: a key that was used before with the same subject gets the first answer again.
import type { Stage } from '../attempt.ts';
import { refuse } from '../refuse.ts';
import { rowOf } from './row.ts';

export const replayStage: Stage = {
  name: 'replay',
  decide(attempt) {
    if (!rowOf(attempt).key) return null;
    const { keys } = attempt.behaviour;
    const subject = attempt.operation === null ? undefined : keys.subjects[attempt.operation];
    if (subject === undefined) throw new Error(`no idempotency subject for ${attempt.operation}`);
    attempt.subject = subject(attempt);
    attempt.keyId = keys.id(attempt);
    const record = keys.find(attempt.world, attempt.keyId, attempt.atMs);
    if (record === undefined) {
      attempt.idempotency = 'first';
      return null;
    }
    attempt.firstAttempt = record.attempt;
    if (record.reply === null) {
      attempt.idempotency = 'in_flight';
      return refuse(attempt, {
        code: 'idempotency_in_flight',
        detail: 'An attempt with this key is still running. Repeat the same request in a moment.',
        cites: ['IDEM-14a', 'IDEM-15'],
      });
    }
    attempt.idempotency = 'replayed';
    return {
      reply: keys.replay(record.reply, attempt),
      changes: [],
      cites: ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d', 'IDEM-8', 'IDEM-11', 'NS-29'],
    };
  },
};
