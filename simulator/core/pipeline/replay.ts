// Sixth stage: a key that was used before with the same subject gets the first answer again.

import { citesIf } from '../cites.ts';
import { operationRowOf } from './operation-row.ts';
import { refuse } from './refuse.ts';
import type { Stage } from './request-context.ts';

export const replayStage: Stage = {
  name: 'replay',
  decide(context) {
    if (!operationRowOf(context).key) return null;
    const { keys } = context.behaviour;
    const subject = context.operation === null ? undefined : keys.subjects[context.operation];
    if (subject === undefined) throw new Error(`no idempotency subject for ${context.operation}`);
    context.subject = subject(context);
    context.keyId = keys.id(context);
    const record = keys.find(context.world, context.keyId, context.atMs);
    if (record === undefined) {
      context.idempotency = 'first';
      return null;
    }
    context.firstCall = record.firstCall;
    if (record.reply === null) {
      context.idempotency = 'in_flight';
      return refuse(context, {
        code: 'idempotency_in_flight',
        detail: 'An attempt with this key is still running. Repeat the same request in a moment.',
        cites: ['IDEM-14a', 'IDEM-15'],
      });
    }
    context.idempotency = 'replayed';
    return {
      reply: keys.replay(record.reply, context),
      changes: [],
      cites: [
        ...(['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-8', 'NS-29'] as const),
        ...citesIf(record.reply.status >= 400, 'IDEM-4d', 'IDEM-11'),
      ],
    };
  },
};
