// The families of rules by name, for the command line and the report of the proof.
import type { RuleFamily } from '../../../fixtures/rules.ts';

const familyByPrefix = {
  CONV: 'conventions',
  ACC: 'accounts',
  UPD: 'updates',
  BULK: 'bulk',
  POS: 'positions',
  TXN: 'transactions',
  TXS: 'transitions',
  IDEM: 'idempotency',
  AUTH: 'access',
  HOOK: 'webhooks',
  EVT: 'delivery',
  ERR: 'errors',
  LIM: 'limits',
} as const satisfies Record<RuleFamily['prefix'], string>;

export function familyOf({ rule }: { readonly rule: string }): string {
  const prefix = rule.slice(0, rule.indexOf('-'));
  return (familyByPrefix as Readonly<Record<string, string>>)[prefix] ?? prefix;
}

/** Whether a rule or the id of a deviation is what a name on the command line stands for. */
export function matcherOf(name: string): (id: string) => boolean {
  const family = Object.entries(familyByPrefix).find(([, each]) => each === name);
  const glob = family === undefined ? name : `${family[0]}-*`;
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`);
  return (id) => pattern.test(id);
}
