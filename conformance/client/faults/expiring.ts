// A token that expires on the way: from the first call of a site on it is not known any more.
import type { Fault } from './fault.ts';

/** Only a token that the client has asked for can be asked for again. */
export function expireAt(site: string): Fault {
  const expired = new Set<string>();
  return {
    meet: async ({ token, isIssued, isFirst, method, target, body, ...met }, { send }) => {
      if (token === null) return null;
      if (met.site === site && isFirst && isIssued && expired.size === 0) expired.add(token);
      if (!expired.has(token)) return null;
      const headers = { authorization: 'Bearer expired', 'idempotency-key': met.key ?? 'none' };
      const response = await send({ method, target, headers, body });
      return { kind: 'answer', struck: 'its token has expired', response };
    },
  };
}
