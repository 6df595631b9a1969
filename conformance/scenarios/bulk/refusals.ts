// BULK: what cannot be attributed to a row, or may not be, refuses the whole batch before anything
// is created.

import { observe } from '../../cases/questions.ts';
import { type Expected, refusals, rows } from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import { printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { namesRow } from './names-row.ts';

const BATCH = 'bulkCreateAccounts';

/** The status is open (NS-6); that it is a refusal which names the row is not. */
function naming(index: number, setting?: string): Expected {
  return (t, rules, answer) => {
    if (setting !== undefined) t.observe('NS-6', answer.summary, { [setting]: answer.status });
    const parts = [answer.at('detail'), answer.at('title'), answer.at('errors')];
    const message = answer.json === undefined ? answer.text : printJson(parts);
    t.expect(rules, answer)
      .is('the whole batch refused with a 4xx', answer.status >= 400 && answer.status < 500)
      .is(`a message that names row ${index}`, namesRow(message, index));
  };
}

/** The good rows of the valid batch, then more, and one with a fault at that index. */
function faultyRow(at: number, over: (t: ScenarioContext) => RequestBody, role?: Role) {
  return rows((all, t) => {
    const more = Array.from({ length: at + 2 - all.length }, () => t.newAccount({}, role));
    const whole = [...all, ...more];
    return whole.map((row, index) => (index === at ? { ...row, ...over(t) } : row));
  });
}

const noReference = () => ({ client_reference_id: undefined });
const early = faultyRow(7, noReference);
const late = faultyRow(127, noReference);

const bulkRowWithoutReference = refusals({
  id: 'bulk-row-without-reference',
  title: 'A row without client_reference_id refuses the whole batch and is named by its index',
  observes: ['NS-6', 'NS-33'],
  rows: [
    ['BULK-9', BATCH, 'row 7 of 9 without a reference', early, naming(7, 'batch_refusal_status')],
    // Far down, too, the number is that of the batch.
    ['BULK-9', BATCH, 'row 127 of 129 without one', late, naming(127)],
  ],
  also: (t) => observe(t, 'NS-33'),
});

function brandRefused(role: Role, other: Role) {
  const brand = (t: ScenarioContext) => ({ brand_id: t.brandId(other) ?? UNKNOWN_ID });
  const expected = naming(7, 'batch_brand_refusal_status');
  const what = `row 7 of 9 at a brand of ${other}`;
  return [['BULK-10', BATCH, what, faultyRow(7, brand, role), expected]] as const;
}

const bulkRowOfAnotherBrand = refusals({
  id: 'bulk-row-of-another-brand',
  title: 'A row with a brand out of reach refuses the whole batch and is named by its index',
  observes: ['NS-6'],
  needs: ['brand'],
  role: 'brand',
  rows: brandRefused('brand', 'other_brand'),
  besides: ['BULK-3'],
  also: (t) =>
    t.branch('BULK-3', 'a row that names no brand', async () => {
      const unnamed = () => t.newAccount({ brand_id: undefined }, 'brand');
      const alone = () => t.as('brand').createAccount(unnamed());
      const single = await t.control('a create that names no brand', alone);
      const batch = await t.as('brand').bulkCreateAccounts([unnamed()]);
      const status = batch.at('rows.0.status') ?? batch.status;
      const landed = batch.at('rows.0.id') ?? null;
      const words = `${single.status}, as creating it alone`;
      t.expect('BULK-3', batch).is(words, landed !== null, `status ${status}`, single);
    }),
});

const bulkRowOfAnotherFirm = refusals({
  id: 'bulk-row-of-another-firm',
  title: 'A row with a brand of another firm refuses the whole batch of a firm-wide credential',
  observes: ['NS-6'],
  needs: ['firm', 'other_firm'],
  role: 'firm',
  rows: brandRefused('firm', 'other_firm'),
});

const bulkScope = refusals({
  id: 'bulk-scope',
  title: 'Without accounts:write a batch is refused and creates nothing',
  needs: ['no_scopes'],
  rows: scopeRows('BULK-13', BATCH),
});

export const bulkRefusalScenarios: readonly Scenario[] = [
  bulkRowWithoutReference,
  bulkRowOfAnotherBrand,
  bulkRowOfAnotherFirm,
  bulkScope,
];
