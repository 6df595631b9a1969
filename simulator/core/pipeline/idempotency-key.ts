// Second stage: the idempotency key, before anything else of the request is looked at (IDEM-1d).

import type { Decision } from '../call.ts';
import { citesIf } from '../cites.ts';
import { headerOf, operationRowOf } from './operation-row.ts';
import { refuse } from './refuse.ts';
import type { RequestContext, Stage } from './request-context.ts';

export const keyStage: Stage = {
  name: 'key',
  decide(context) {
    if (!operationRowOf(context).key) return null;
    const { repeated_key: repeated } = context.behaviour.settings;
    const given = context.call.headers['idempotency-key'];
    const several = Array.isArray(given) && given.length > 1;
    if (several && repeated === 'refused') return refuseSeveral(context);
    const header =
      several && repeated === 'first' ? given[0] : headerOf(context, 'idempotency-key');
    context.key = context.behaviour.keys.parse(header);
    if (context.key !== null) return null;
    return refuse(context, {
      code: 'idempotency_key_required',
      detail:
        header === undefined
          ? 'Send an Idempotency-Key header of 1 to 255 characters with every write.'
          : 'The Idempotency-Key header must have 1 to 255 characters besides surrounding spaces.',
      field: 'Idempotency-Key',
      cites: citesOfBadKey(context, header),
    });
  },
};

function citesOfBadKey({ call }: RequestContext, header: string | undefined) {
  const trimmed = header?.trim() ?? '';
  return [
    trimmed === '' ? 'IDEM-1a' : 'IDEM-1b',
    ...citesIf(header !== undefined && header !== trimmed, 'IDEM-1c'),
    // Without a token the call would be refused all the same, and the key is still said first.
    ...citesIf(call.headers.authorization === undefined, 'IDEM-1d'),
  ] as const;
}

/** NS-58: which of them would count is anybody's guess. */
function refuseSeveral(context: RequestContext): Decision {
  return refuse(context, {
    code: 'idempotency_key_required',
    detail: 'Send one Idempotency-Key header, not several.',
    field: 'Idempotency-Key',
    cites: ['IDEM-1a', 'NS-58'],
  });
}
