// Every defect of the witness: the rules that it breaks, and one plain sentence.
import type { RuleId } from '../../../../fixtures/rules.ts';
import { accessDefects, errorDefects } from './defects/access.ts';
import { accountDefects } from './defects/accounts.ts';
import { idempotencyDefects } from './defects/idempotency.ts';
import { conventionDefects, crashDefects, tradingDefects } from './defects/trading.ts';
import { webhookDefects } from './defects/webhooks.ts';
import type { Difference } from './start.ts';

export interface Defect extends Difference {
  readonly breaks: readonly RuleId[];
}

const rows = {
  ...{ ...conventionDefects, ...accountDefects, ...tradingDefects, ...idempotencyDefects },
  ...{ ...accessDefects, ...webhookDefects, ...errorDefects, ...crashDefects },
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
