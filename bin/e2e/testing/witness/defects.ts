// Every defect of the witness: the rules that it breaks, and one plain sentence.
import type { RuleId } from '../../../../fixtures/rules.ts';
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
import type { Difference } from './start.ts';

export interface Defect extends Difference {
  readonly breaks: readonly RuleId[];
}

const rows = {
  ...{ ...conventionDefects, ...accountDefects, ...updateDefects, ...bulkDefects },
  ...{ ...positionDefects, ...transactionDefects, ...transitionDefects, ...readDefects },
  ...{ ...idempotencyDefects, ...accessDefects, ...hookDefects, ...eventDefects },
  ...{ ...errorDefects, ...limitDefects, ...crashDefects },
};

export const defects: readonly Defect[] = Object.entries(rows).map(([title, seams]) => {
  const [, id = '', rules = '', sentence = ''] = /^(\S+) \((.+?)\): (.+)$/.exec(title) ?? [];
  return { id, breaks: rules.split(' ') as RuleId[], sentence, seams };
});

export function defectsOf(...ids: readonly string[]): Defect[] {
  return ids.map((id) => {
    const found = defects.find((each) => each.id === id);
    if (found === undefined) throw new TypeError(`the witness has no defect "${id}"`);
    return found;
  });
}
