// Second stage: the idempotency key, before anything else of the request is looked at (IDEM-1d).

import { headerOf, operationRowOf } from './operation-row.ts';
import { refuse } from './refuse.ts';
import type { Stage } from './request-context.ts';

export const keyStage: Stage = {
  name: 'key',
  decide(context) {
    if (!operationRowOf(context).key) return null;
    const header = headerOf(context, 'idempotency-key');
    context.key = context.behaviour.keys.parse(header);
    if (context.key !== null) return null;
    return refuse(context, {
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
