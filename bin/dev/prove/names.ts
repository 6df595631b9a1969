// Resolves a NAME on the command line of the proof: a family, a rule or an id, with `*`.
import { globTest } from '../../../conformance/engine/run/select.ts';
import type { RuleFamily } from '../../../fixtures/rules.ts';

const prefixes: Readonly<Record<string, RuleFamily['prefix']>> = {
  conventions: 'CONV',
  accounts: 'ACC',
  updates: 'UPD',
  bulk: 'BULK',
  positions: 'POS',
  transactions: 'TXN',
  transitions: 'TXS',
  idempotency: 'IDEM',
  access: 'AUTH',
  webhooks: 'HOOK',
  delivery: 'EVT',
  errors: 'ERR',
  limits: 'LIM',
};

interface Broken {
  readonly id: string;
  readonly breaks: readonly string[];
}

/** The items that match any name, or all without names; `onUnknown` gets each name without a match. */
export function namedIn<T extends Broken>(
  all: readonly T[],
  names: readonly string[],
  onUnknown: (name: string) => void,
): readonly T[] {
  if (names.length === 0) return all;
  const found = names.flatMap((name) => {
    const isMeant = globTest(name in prefixes ? `${prefixes[name]}-*` : name);
    const own = all.filter(({ id, breaks }) => [id, ...breaks].some(isMeant));
    if (own.length === 0) onUnknown(name);
    return own;
  });
  return all.filter((each) => found.includes(each));
}
