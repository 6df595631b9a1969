// Every way in which the witness can be broken: the rules that each breaks, and one plain sentence.
import { accessDefects, errorDefects, limitDefects } from './defects/access.ts';
import { accountDefects, bulkDefects, updateDefects } from './defects/accounts.ts';
import { idempotencyDefects } from './defects/idempotency.ts';
import {
  conventionDefects,
  crashDefects,
  positionDefects,
  readDefects,
  transactionDefects,
  transitionDefects,
} from './defects/trading.ts';
import { eventDefects, hookDefects } from './defects/webhooks.ts';
import type { Row } from './defects/wrap.ts';
import type { Difference } from './difference.ts';

export interface Defect extends Difference, Required<Pick<Row, 'kind' | 'breaks' | 'sentence'>> {
  readonly id: string;
}

const rows = {
  ...{ ...conventionDefects, ...accountDefects, ...updateDefects, ...bulkDefects },
  ...{ ...positionDefects, ...transactionDefects, ...transitionDefects, ...readDefects },
  ...{ ...idempotencyDefects, ...accessDefects, ...hookDefects, ...eventDefects },
  ...{ ...errorDefects, ...limitDefects, ...crashDefects },
};

export const defects: readonly Defect[] = Object.entries(rows).map(
  ([id, { kind = 'single', breaks, sentence, ...seams }]) => ({
    ...{ id, kind, breaks, sentence, seams },
  }),
);

export const defectsOf = (...named: readonly (Defect | string | undefined)[]): Defect[] =>
  named.flatMap((each) => (typeof each === 'string' ? defectNamed(each) : (each ?? [])));

function defectNamed(id: string): Defect {
  const found = defects.find((each) => each.id === id);
  if (found === undefined) throw new TypeError(`the witness has no defect "${id}"`);
  return found;
}
