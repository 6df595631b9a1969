// Another client is faster: the account changes just before the client's update of it arrives.
import { membersOf } from '../operations.ts';
import type { Fault } from './fault.ts';

const fields = ['language', 'country', 'last_name', 'first_name', 'status'] as const;

/** UPD-7: the tag was the newest when the client read it, and is so no longer. */
export function overtake(site: string): Fault {
  return {
    meet: async ({ site: own, isFirst, target, headers, json, n }, { send, otherToken }) => {
      if (own !== site || !isFirst) return null;
      const tag = headers.find(([name]) => name.toLowerCase() === 'if-match')?.[1];
      if (tag === undefined) return null;
      const wanted = membersOf(json);
      // A change that leaves the client's own to be made.
      const field = fields.find((each) => !(each in wanted)) ?? fields[0];
      const { status } = await send({
        method: 'PATCH',
        target,
        headers: {
          authorization: `Bearer ${otherToken}`,
          'idempotency-key': `judge-${site}-${n}`,
          'if-match': tag,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ [field]: `changed-by-another-client-${n}` }),
      });
      if (status !== 200) return null;
      return { kind: 'serve', struck: 'another client updated the account just before it arrived' };
    },
  };
}
