// Every way in which the second mind can be broken on purpose, with the rules that it then breaks.
import type { RuleId } from '../../../../fixtures/rules.ts';
import { accessDefects, errorDefects, limitDefects } from './defects/access.ts';
import {
  accountDefects,
  bulkDefects,
  conventionDefects,
  updateDefects,
} from './defects/accounts.ts';
import type { Family, Kind } from './defects/defect.ts';
import {
  heldOutCombinations,
  heldOutRaces,
  heldOutSizes,
  heldOutTimes,
} from './defects/held-out.ts';
import { idempotencyDefects } from './defects/idempotency.ts';
import { sealedCombinations, sealedRaces, sealedSizes, sealedTimes } from './defects/sealed.ts';
import { combinationDefects, sizeDefects } from './defects/sizes.ts';
import { raceDefects, timeDefects } from './defects/times.ts';
import { positionDefects, transactionDefects, transitionDefects } from './defects/trading.ts';
import {
  unforeseenCombinations,
  unforeseenRaces,
  unforeseenSizes,
  unforeseenTimes,
} from './defects/unforeseen.ts';
import { eventDefects, hookDefects } from './defects/webhooks.ts';

const combinations = {
  ...combinationDefects,
  ...unforeseenCombinations,
  ...heldOutCombinations,
  ...sealedCombinations,
};
const sizes = { ...sizeDefects, ...unforeseenSizes, ...heldOutSizes, ...sealedSizes };
const times = { ...timeDefects, ...unforeseenTimes, ...heldOutTimes, ...sealedTimes };
const races = { ...raceDefects, ...unforeseenRaces, ...heldOutRaces, ...sealedRaces };

const singles = {
  ...conventionDefects,
  ...accountDefects,
  ...updateDefects,
  ...bulkDefects,
  ...positionDefects,
  ...transactionDefects,
  ...transitionDefects,
  ...idempotencyDefects,
  ...accessDefects,
  ...hookDefects,
  ...eventDefects,
  ...errorDefects,
  ...limitDefects,
};

export type DefectId =
  | keyof typeof singles
  | keyof typeof combinations
  | keyof typeof sizes
  | keyof typeof times
  | keyof typeof races;

export interface Defect {
  readonly id: DefectId;
  readonly kind: Kind;
  /** A judge may blame any of these for it, one at least, and no other rule. */
  readonly breaks: readonly RuleId[];
  readonly story: string;
}

function listed(family: Family, kind: Kind): Defect[] {
  return Object.entries(family).map(([id, [breaks, story]]) => ({
    id: id as DefectId,
    kind,
    breaks,
    story,
  }));
}

export const defects: readonly Defect[] = [
  ...listed(singles, 'single'),
  ...listed(combinations, 'combination'),
  ...listed(sizes, 'size'),
  ...listed(times, 'time'),
  ...listed(races, 'race'),
];

export function defectIdOf(id: string): DefectId | undefined {
  return defects.find((each) => each.id === id)?.id;
}
