// BULK: what cannot be attributed to a row, or may not be, refuses the whole batch before anything
// is created.

import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { ALL_BUT_ACCOUNTS, expectReferenceFree } from '../support/account-assertions.ts';
import { namesRow } from './names-row.ts';

const bulkRowWithoutReference: Scenario = {
  id: 'bulk-row-without-reference',
  title: 'A row without client_reference_id refuses the whole batch and is named by its index',
  rules: ['BULK-9'],
  observes: ['NS-6', 'NS-33'],
  async run(t) {
    await t.control('a batch of nine rows', () => t.api.bulkCreateAccounts(rowsOf(t, 9)), 200);
    const rows = rowsOf(t, 9);
    rows[7] = t.newAccount({ client_reference_id: undefined });
    const refused = await t.api.bulkCreateAccounts(rows);
    t.observe('NS-6', refused.summary, { batch_refusal_status: refused.status });
    expectWholeBatchRefused(t, 'BULK-9', refused, 7);
    for (const row of [rows[0]!, rows[8]!]) await expectReferenceFree(t, 'BULK-9', row);
    // Far down, too, the number is that of the batch.
    const many = rowsOf(t, 140);
    many[127] = t.newAccount({ client_reference_id: undefined });
    expectWholeBatchRefused(t, 'BULK-9', await t.api.bulkCreateAccounts(many), 127);

    const blank = [t.newAccount(), t.newAccount({ client_reference_id: '' })];
    const open = await t.api.bulkCreateAccounts(blank);
    t.observe('NS-33', `a row with a blank reference: ${open.summary}`, {
      bulk_row_problems: open.status === 200 ? 'row' : 'batch',
    });
  },
};

const bulkRowOfAnotherBrand: Scenario = {
  id: 'bulk-row-of-another-brand',
  title: 'A row with a brand out of reach refuses the whole batch and is named by its index',
  rules: ['BULK-3', 'BULK-10'],
  observes: ['NS-6'],
  needs: ['brand'],
  async run(t) {
    await expectBrandRefused(t, 'brand', t.brandId('other_brand') ?? '999999999');
    await t.branch('BULK-3', 'a row that names no brand', async () => {
      const unnamed = () => t.newAccount({ brand_id: undefined }, 'brand');
      const alone = () => t.as('brand').createAccount(unnamed());
      const single = await t.control('a create that names no brand', alone);
      const batch = await t.as('brand').bulkCreateAccounts([unnamed()]);
      const status = batch.at('rows.0.status') ?? batch.status;
      const landed = batch.at('rows.0.id') ?? null;
      const words = `${single.status}, as creating it alone`;
      t.expect('BULK-3', batch).is(words, landed !== null, `status ${status}`, single);
    });
  },
};

const bulkRowOfAnotherFirm: Scenario = {
  id: 'bulk-row-of-another-firm',
  title: 'A row with a brand of another firm refuses the whole batch of a firm-wide credential',
  rules: ['BULK-10'],
  observes: ['NS-6'],
  needs: ['firm', 'other_firm'],
  run: (t) => expectBrandRefused(t, 'firm', t.brandId('other_firm') ?? '999999999'),
};

async function expectBrandRefused(t: ScenarioContext, role: Role, brandId: string): Promise<void> {
  const rows = rowsOf(t, 9, role);
  const send = () => t.as(role).bulkCreateAccounts(rowsOf(t, 9, role));
  await t.control('a batch at a brand of its own', send, 200);
  rows[7] = { ...rows[7], brand_id: brandId };
  const refused = await t.as(role).bulkCreateAccounts(rows);
  t.observe('NS-6', refused.summary, { batch_brand_refusal_status: refused.status });
  expectWholeBatchRefused(t, 'BULK-10', refused, 7);
  for (const row of [rows[0]!, rows[8]!]) await expectReferenceFree(t, 'BULK-10', row, role);
}

const bulkScope: Scenario = {
  id: 'bulk-scope',
  title: 'Without accounts:write a batch is refused and creates nothing',
  rules: ['BULK-13'],
  needs: ['no_scopes'],
  async run(t) {
    await t.control('a batch with the scope', () => t.api.bulkCreateAccounts(rowsOf(t, 1)), 200);
    const row = t.newAccount();
    const refused = await t.as('no_scopes').bulkCreateAccounts([row]);
    t.expect('BULK-13', refused).refused(403, 'forbidden');
    await expectReferenceFree(t, 'BULK-13', row);
    if (!t.has('mint')) return;
    const others = await t.operator.mint({ scopes: ALL_BUT_ACCOUNTS });
    const denied = await t.as(others).bulkCreateAccounts([t.newAccount()]);
    t.expect('BULK-13', denied).refused(403, 'forbidden');
  },
};

function rowsOf(t: ScenarioContext, count: number, role: Role = t.mainRole): RequestBody[] {
  return Array.from({ length: count }, () => t.newAccount({}, role));
}

/** The status is open (NS-6); that it is a refusal which names the row is not. */
function expectWholeBatchRefused(
  t: ScenarioContext,
  rule: 'BULK-9' | 'BULK-10',
  refused: Answer,
  index: number,
): void {
  const said = [refused.at('detail'), refused.at('title'), refused.at('errors')];
  const message = refused.json === undefined ? refused.text : JSON.stringify(said);
  t.expect(rule, refused)
    .is('the whole batch refused with a 4xx', refused.status >= 400 && refused.status < 500)
    .is(`a message that names row ${index}`, namesRow(message, index));
}

export const bulkRefusalScenarios: readonly Scenario[] = [
  bulkRowWithoutReference,
  bulkRowOfAnotherBrand,
  bulkRowOfAnotherFirm,
  bulkScope,
];
