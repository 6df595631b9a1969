// What a sequence is about: the families of ideas that come together in it, and how often each;
// and what has to be there before an idea can be drawn.

import type { Random } from '../../../../fixtures/random.ts';
import type { Idea } from '../idea.ts';

interface Theme {
  readonly weight: number;
  readonly families: Readonly<Record<string, number>>;
}

/** Ideas of a family that a theme does not name come so seldom. */
const ELSEWHERE = 0.02;

const THEMES: readonly Theme[] = [
  { weight: 5, families: { account: 1, update: 0.4, reread: 1, again: 1, time: 0.4, read: 0.3 } },
  {
    weight: 5,
    families: { update: 1, account: 0.25, reread: 1, again: 0.8, time: 0.4 },
  },
  { weight: 3, families: { bulk: 1, account: 0.2, update: 0.2, reread: 0.5, again: 0.4 } },
  {
    weight: 7,
    families: {
      transaction: 0.6,
      decide: 1,
      place: 1,
      operator: 1,
      reread: 0.6,
      again: 0.5,
      time: 0.4,
    },
  },
  { weight: 3, families: { transaction: 1, place: 1, again: 0.6, reread: 0.6, decide: 0.3 } },
  { weight: 7, families: { webhook: 1, account: 0.15, update: 0.1, time: 0.5 } },
  { weight: 2, families: { position: 1, place: 1, again: 0.6 } },
  { weight: 2, families: { limit: 1, token: 1, scope: 0.3 } },
  {
    weight: 2,
    families: { scope: 1, account: 0.5, update: 0.5, transaction: 0.5, decide: 0.7, place: 1 },
  },
  { weight: 2, families: { fault: 1, account: 0.3, update: 0.5, transaction: 0.5, place: 0.7 } },
  { weight: 3, families: { burst: 1, account: 0.3, update: 0.3 } },
  {
    weight: 4,
    families: { burst: 1, place: 1, transaction: 0.5, decide: 0.5, operator: 0.8, position: 0.5 },
  },
  { weight: 1.5, families: { burst: 1, webhook: 0.7, account: 0.2 } },
  { weight: 1, families: { many: 1, account: 0.3, place: 0.3, webhook: 0.2 } },
];

const familyOf = ({ id }: Idea): string => id.slice(0, id.indexOf('/'));

export interface ChosenTheme {
  readonly weightOf: (idea: Idea) => number;
}

export function chooseTheme(random: Random): ChosenTheme {
  // Now and then everything may meet everything.
  if (random.chance(0.06)) return { weightOf: () => 1 };
  return chosen(random.weighted(THEMES, ({ weight }) => weight));
}

/** One that the idea belongs to. */
export function themeOf(idea: Idea, random: Random): ChosenTheme {
  const family = familyOf(idea);
  return chosen(random.weighted(THEMES, ({ families }) => families[family] ?? 0.001));
}

export function hasTheme(idea: Idea): boolean {
  return THEMES.some(({ families }) => families[familyOf(idea)] !== undefined);
}

function chosen({ families }: Theme): ChosenTheme {
  return { weightOf: (idea) => families[familyOf(idea)] ?? ELSEWHERE };
}

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
