// References that exist already: the same create has run under another key just before.
import type { Fault } from './fault.ts';

/** ACC-5, TXN-2: a create whose reference names a record answers 200 with that record. */
export function createBefore(sites: ReadonlySet<string>): Fault {
  return {
    meet: async ({ site, isFirst, method, target, headers, body, n }, { send }) => {
      if (site === null || !isFirst || !sites.has(site)) return null;
      const kept = headers.filter(([name]) => name.toLowerCase() !== 'idempotency-key');
      const own = Object.fromEntries(kept);
      const before = { ...own, 'idempotency-key': `judge-${site}-${n}` };
      const { status } = await send({ method, target, headers: before, body });
      if (status !== 201 && status !== 200) return null;
      return { kind: 'serve', struck: 'its reference existed already' };
    },
  };
}
