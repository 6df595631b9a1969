// BULK: creating accounts in bulk. Rows succeed or fail alone; what cannot be attributed to a row
// refuses the batch.
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Json } from '../engine/answer.ts';
import type { Body } from '../engine/client.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';
import { decimalId, filledText } from '../engine/want.ts';

const bulkRowsFareAlone: Scenario = {
  id: 'bulk-rows-fare-alone',
  title: 'A mixed batch answers 200, row by row as single creates would have been answered',
  rules: ['BULK-1', 'BULK-2', 'BULK-3', 'BULK-4', 'BULK-5', 'BULK-8'],
  async run(t) {
    const known = await t.given.account();
    // The same four kinds of row, each created alone: what the batch is held against.
    const taken = { email: known.email };
    const invalid = () => ({ email: t.fresh.text() });
    const singles = {
      fresh: known.answer.status,
      known: (await t.given.reread(known)).status,
      taken: (await t.api.createAccount(t.newAccount(taken))).status,
      invalid: (await t.api.createAccount(t.newAccount(invalid()))).status,
    };
    const last = t.newAccount();
    const first = t.newAccount();
    // Not in the order of the references, so that a sorted answer shows.
    const rows = [first, t.newAccount(invalid()), known.body, t.newAccount(taken), last];
    const kinds = ['fresh', 'invalid', 'known', 'taken', 'fresh'] as const;

    const batch = await t.api.bulkCreateAccounts(rows);
    t.expect('BULK-1', batch).status(200);
    // Any other status may still answer the rows; a refusal of the whole took the good rows with
    // it.
    t.must(['BULK-1', 'BULK-8'], batch).is('answered row by row', Array.isArray(batch.at('rows')));
    const entries = entriesOf(t, batch);

    t.expect('BULK-2', batch).field('total', rows.length);
    const asked = rows.map((each) => each.client_reference_id);
    const answered = entries.map((each) => each.client_reference_id);
    const inOrder = isDeepStrictEqual(answered, asked);
    t.claim('BULK-2', `rows in order: ${asked.join(', ')}`, inOrder, answered.join(', '), batch);
    // By reference from here on: the order is judged above, and must not be blamed twice.
    const indexOf = (row: Body) => answered.indexOf(String(row.client_reference_id));
    for (const [n, kind] of kinds.entries()) {
      const index = indexOf(rows[n]!);
      if (index >= 0) t.expect('BULK-3', batch).field(`rows.${index}.status`, singles[kind]);
    }
    const landed = entries.filter((each) => typeof each.id === 'string');
    t.expect('BULK-4', batch).fields({
      created: landed.length,
      failed: entries.length - landed.length,
    });
    expectEntryForms(t, batch, entries);
    // A row that failed takes nothing with it: its neighbours exist, as a create by reference
    // shows.
    for (const row of [first, last]) {
      const id = entries[indexOf(row)]?.id ?? null;
      t.expect('BULK-8', await t.api.createAccount(row))
        .status(200)
        .field('id', id);
    }
  },
};

const bulkSizes: Scenario = {
  id: 'bulk-sizes',
  title: 'A batch has 1 to 1000 rows: none is 422, one more is 413',
  rules: ['BULK-1', 'BULK-6', 'BULK-7'],
  async run(t) {
    const known = await t.given.account();
    // Every row names an account that exists already, so that a thousand rows create nothing.
    const batchOf = (rows: number) =>
      t.api.bulkCreateAccounts(Array.from({ length: rows }, () => known.body));
    const one = await batchOf(1);
    t.expect('BULK-1', one).status(200).field('total', 1);
    t.expect('BULK-6', await batchOf(0)).refused(422, 'validation_failed');
    t.expect('BULK-7', await batchOf(1000))
      .status(200)
      .field('total', 1000);
    t.expect('BULK-7', await batchOf(1001)).refused(413, 'scope_too_wide');
  },
};

const bulkRowWithoutReference: Scenario = {
  id: 'bulk-row-without-reference',
  title: 'A row without client_reference_id refuses the whole batch and is named by its index',
  rules: ['BULK-9'],
  observes: ['NS-6'],
  async run(t) {
    await t.control('a batch of nine rows', () => t.api.bulkCreateAccounts(rowsOf(t, 9)), 200);
    const rows = rowsOf(t, 9);
    rows[7] = t.newAccount({ client_reference_id: undefined });
    const refused = await t.api.bulkCreateAccounts(rows);
    t.observe('NS-6', refused.summary, { batch_refusal_status: refused.status });
    expectWholeBatchRefused(t, 'BULK-9', refused, 7);
    await expectNothingCreated(t, 'BULK-9', [rows[0]!, rows[8]!]);
  },
};

const bulkRowOfAnotherBrand: Scenario = {
  id: 'bulk-row-of-another-brand',
  title: 'A row with a brand out of reach refuses the whole batch and is named by its index',
  rules: ['BULK-10'],
  observes: ['NS-6'],
  needs: ['brand'],
  async run(t) {
    const brand = t.as('brand');
    const rowsOfBrand = () => Array.from({ length: 9 }, () => t.newAccount({}, 'brand'));
    await t.control('a batch at its own brand', () => brand.bulkCreateAccounts(rowsOfBrand()), 200);
    const rows = rowsOfBrand();
    rows[7] = { ...rows[7], brand_id: t.brandId('other_brand') ?? '999999999' };
    const refused = await brand.bulkCreateAccounts(rows);
    t.observe('NS-6', refused.summary, { batch_brand_refusal_status: refused.status });
    expectWholeBatchRefused(t, 'BULK-10', refused, 7);
    await expectNothingCreated(t, 'BULK-10', [rows[0]!, rows[8]!], 'brand');
  },
};

const bulkResubmitted: Scenario = {
  id: 'bulk-resubmitted',
  title: 'A partly failed batch sent again, and a reference twice in one batch, duplicate nothing',
  rules: ['BULK-11', 'BULK-12'],
  async run(t) {
    const rows = [t.newAccount(), t.newAccount({ email: t.fresh.text() }), t.newAccount()];
    const send = () => t.api.bulkCreateAccounts(rows);
    const first = await t.control('a partly failed batch', send, 200);
    const ids = [t.pick(first, 'rows.0.id'), t.pick(first, 'rows.2.id')];

    await t.part('BULK-11', 'the failed row corrected, the rest as it was', async () => {
      const corrected = { ...rows[1], email: t.fresh.email() };
      const again = await t.api.bulkCreateAccounts([rows[0]!, corrected, rows[2]!]);
      t.expect('BULK-11', again)
        .status(200)
        .fields({ 'rows.0.id': ids[0]!, 'rows.2.id': ids[1]! })
        .fields({ 'rows.0.status': 200, 'rows.2.status': 200 });
    });
    await t.part('BULK-12', 'one reference twice', async () => {
      const row = t.newAccount();
      const twice = await t.api.bulkCreateAccounts([row, row]);
      const id = t.pick(twice, 'rows.0.id');
      t.expect('BULK-12', twice).status(200).field('rows.1.id', id);
      const single = await t.api.createAccount(row);
      t.expect('BULK-12', single).status(200).field('id', id);
    });
  },
};

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
    await expectNothingCreated(t, 'BULK-13', [row]);
  },
};

type Entry = { readonly [name: string]: Json };

function rowsOf(t: Trial, count: number): Body[] {
  return Array.from({ length: count }, () => t.newAccount());
}

function entriesOf(t: Trial, batch: Answer): Entry[] {
  const rows = batch.at('rows');
  const whole =
    Array.isArray(rows) && rows.every((each) => each !== null && typeof each === 'object');
  t.must('BULK-2', batch).is('rows: an array with an entry a row', whole);
  return rows as Entry[];
}

/** BULK-5: what an entry holds follows from whether its row landed. */
function expectEntryForms(t: Trial, batch: Answer, entries: readonly Entry[]): void {
  for (const [index, entry] of entries.entries()) {
    const failed = Number(entry.status) >= 400;
    const form = failed
      ? { id: null, code: filledText, detail: filledText }
      : { id: decimalId, code: null, detail: null };
    for (const [name, wanted] of Object.entries(form)) {
      t.expect('BULK-5', batch).field(`rows.${index}.${name}`, wanted);
    }
  }
}

/**
 * The status is open (NS-6); that it is a refusal which names the row is not. Rows may be counted
 * from 1.
 */
function expectWholeBatchRefused(
  t: Trial,
  rule: 'BULK-9' | 'BULK-10',
  refused: Answer,
  index: number,
): void {
  const detail = refused.at('detail');
  const message = typeof detail === 'string' ? detail : refused.text;
  const named = new RegExp(`(?<!\\d)(${index}|${index + 1})(?!\\d)`).test(message);
  t.expect(rule, refused)
    .is('the whole batch refused with a 4xx', refused.status >= 400 && refused.status < 500)
    .is(`a message that names row ${index}`, named);
}

/**
 * Each row, created alone under the same reference, is new: the refused batch left nothing behind.
 */
async function expectNothingCreated(
  t: Trial,
  rule: 'BULK-9' | 'BULK-10' | 'BULK-13',
  rows: readonly Body[],
  role = t.mainRole,
): Promise<void> {
  for (const row of rows) {
    const single = await t.as(role).createAccount(row);
    t.expect(rule, single).is('201, because nothing was created before', single.status === 201);
  }
}

export const bulkScenarios: readonly Scenario[] = [
  bulkRowsFareAlone,
  bulkSizes,
  bulkRowWithoutReference,
  bulkRowOfAnotherBrand,
  bulkResubmitted,
  bulkScope,
];
