// What has to be there before an idea can be drawn: the ideas that make it, in the order in which
// they build on one another.
import type { Idea } from './idea.ts';
import type { Random } from './random.ts';
import { familyOf } from './themes.ts';

export interface Ground {
  readonly id: string;
  /** Drawn in any case; others only until the idea can be drawn. */
  readonly isNeeded: boolean;
}

const MONEY = [
  'place/open',
  'transaction/deposit',
  'decide/approve',
  'operator/settle',
  'place/second-of-the-account',
  'position/open',
];

/** Families whose ideas are about records of one kind. */
const OF_FAMILY: Readonly<Record<string, readonly string[]>> = {
  account: ['account/phone', 'account/plain', 'update/status'],
  update: ['account/plain', 'update/status', 'update/status', 'account/plain', 'update/status'],
  bulk: ['account/plain', 'bulk/one-bad', 'bulk/three'],
  transaction: MONEY,
  decide: MONEY,
  operator: MONEY,
  place: ['account/plain', ...MONEY],
  position: ['place/open', 'position/open'],
  webhook: ['webhook/subscribe'],
  token: ['token/issue'],
};

/** What the other families may be about: one of these is there in any case. */
const ANYTHING: readonly (readonly string[])[] = [
  ['account/plain'],
  ['account/plain', 'update/status'],
  ['account/plain', 'update/status', 'update/status'],
  ['place/open', 'transaction/deposit'],
  ['place/open', 'transaction/withdrawal'],
  ['place/open', 'transaction/deposit', 'decide/approve'],
  ['place/open', 'transaction/deposit', 'decide/reject'],
  ['place/open', 'transaction/deposit', 'decide/cancel'],
  ['place/open', 'transaction/deposit', 'decide/approve', 'operator/settle'],
  ['place/open', 'position/open'],
  ['place/open', 'position/open', 'position/close'],
  ['bulk/three'],
  ['bulk/medley'],
  ['account/email-without-at'],
  ['account/plain', 'update/stale-tag'],
];

/** Enough for any of them. */
const REST = [
  ...['account/plain', 'update/status', 'account/email-without-at', 'account/phone'],
  ...MONEY,
  ...['webhook/subscribe', 'bulk/three'],
];

export function groundsFor(idea: Idea, random: Random): readonly Ground[] {
  const own = OF_FAMILY[familyOf(idea)];
  const optional = (ids: readonly string[]) => ids.map((id) => ({ id, isNeeded: false }));
  if (own !== undefined) return optional(own);
  if (idea.when === undefined) return [];
  const some = random.pick(ANYTHING).map((id) => ({ id, isNeeded: true }));
  return [...some, ...optional(REST)];
}
