// BULK: creating accounts in bulk. Each row succeeds or fails alone. An error that belongs to no row
// refuses the whole batch before anything is created.

import { isDeepStrictEqual } from 'node:util';
import { observe } from '../../cases/questions.ts';
import { type Expected, refusals, rows } from '../../cases/refusals.ts';
import type { Role } from '../../engine/capabilities.ts';
import { decimalId, filledText, not, oneOf } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';
import { isObject, printJson } from '../../engine/send/json.ts';
import type { Story } from '../../engine/types.ts';
import { INVALID, TOO_WIDE } from '../../spec/errors.ts';
import { MOST_ROWS, UNKNOWN_ID } from '../../spec/literals.ts';
import { expectReferenceFree } from '../support/account-assertions.ts';
import { namesRow } from './names-row.ts';

const BATCH = 'bulkCreateAccounts';

/** The status is open (NS-6); it must be a refusal that names the row. */
function naming(index: number, setting?: string): Expected {
  return (t, rules, answer) => {
    if (setting !== undefined) t.observe('NS-6', answer.summary, { [setting]: answer.status });
    const parts = [answer.at('detail'), answer.at('title'), answer.at('errors')];
    const message = answer.json === undefined ? answer.text : printJson(parts);
    t.expect(rules, answer)
      .is('the whole batch refused with a 4xx', answer.isRefused)
      .is(`a message that names row ${index}`, namesRow(message, index));
  };
}

/** The good rows of the valid batch, more of them, and a faulty row at this index. */
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

export const bulkRowWithoutReference = refusals({
  title: 'A row without client_reference_id refuses the whole batch and is named by its index',
  observes: ['NS-6', 'NS-33'],
  rows: [
    ['BULK-9', BATCH, 'row 7 of 9 without a reference', early, naming(7, 'batch_refusal_status')],
    // For a late row too, the index counts from the start of the batch.
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

export const bulkRowOfAnotherBrand = refusals({
  title: 'A row with a brand out of reach refuses the whole batch and is named by its index',
  observes: ['NS-6'],
  needs: ['brand'],
  role: 'brand',
  rows: brandRefused('brand', 'other_brand'),
  besides: ['BULK-3'],
  also: (t) =>
    t.branch('BULK-3', 'a row that names no brand', async () => {
      const unnamed = () => t.newAccount({ brand_id: undefined }, 'brand');
      const single = await t.control('createAccount', { as: 'brand', body: unnamed() });
      const batch = await t.call('bulkCreateAccounts', { as: 'brand', rows: [unnamed()] });
      const status = batch.at('rows.0.status') ?? batch.status;
      const landed = batch.at('rows.0.id') ?? null;
      const words = `${single.status}, as creating it alone`;
      t.expect('BULK-3', batch).is(words, landed !== null, `status ${status}`, single);
    }),
});

export const bulkRowOfAnotherFirm = refusals({
  title: 'A row with a brand of another firm refuses the whole batch of a firm-wide credential',
  observes: ['NS-6'],
  needs: ['firm', 'other_firm'],
  role: 'firm',
  rows: brandRefused('firm', 'other_firm'),
});

/** BULK-3: the status of a single create, by the specification. */
const SINGLE = { fresh: 201, known: 200, taken: 409, sharing: 409, invalid: 422 } as const;

export const bulkRowsFareAlone: Story = {
  title: 'A mixed batch answers 200, row by row as single creates would have been answered',
  rules: ['BULK-1', 'BULK-2', 'BULK-3', 'BULK-4', 'BULK-5', 'BULK-8', 'CONV-1a'],
  async run(t) {
    const phone = t.fresh.phone();
    const known = await t.given.account({ phone });
    // A row returns the current account, not its original state.
    await t.update(known.id, { country: 'NO' }, known.etag);
    const [first, last] = [t.newAccount(), t.newAccount()];
    const failing = t.newAccount({ email: t.fresh.text() });
    const ofKnown = () => t.newAccount({ email: known.email });
    const sharing = () => t.newAccount({ phone });
    const rival = t.newAccount({ email: first.email! });
    // The same kinds of rows, each created alone, for comparison with the batch.
    const singles = {
      fresh: known.answer,
      known: await t.given.reread(known),
      taken: await t.call('createAccount', { body: ofKnown() }),
      sharing: await t.call('createAccount', { body: sharing() }),
      invalid: await t.create({ email: t.fresh.text() }),
    };
    const rows: [keyof typeof singles, RequestBody][] = [
      ['fresh', first],
      ['invalid', failing],
      ['known', known.body],
      ['taken', ofKnown()],
      ['sharing', sharing()],
      ['taken', rival],
      ['fresh', last],
    ];
    const batch = await t.call('bulkCreateAccounts', { rows: rows.map(([, row]) => row) });
    t.expect('BULK-1', batch).status(200);
    // Another status may still answer row by row; a refused batch has dropped the good rows.
    t.must(['BULK-1', 'BULK-8'], batch).is('answered row by row', Array.isArray(batch.at('rows')));
    const entries = entriesOf(t, batch);
    t.expect('BULK-2', batch).field('total', rows.length);
    const refs = rows.map(([, row]) => row.client_reference_id);
    const answered = entries.map((each) => each.client_reference_id);
    const inOrder = isDeepStrictEqual(answered, refs);
    t.claim('BULK-2', `rows in order: ${refs.join(', ')}`, inOrder, answered.join(', '), batch);
    // By reference from here on: the order was judged above, and must not be reported twice.
    const indexOf = (row: RequestBody) => answered.indexOf(String(row.client_reference_id));
    const statusOf = (row: RequestBody) => Number(entries[indexOf(row)]?.status);
    const landed = entries.filter((each) => Number(each.status) < 300).length;
    t.expect('BULK-4', batch).fields({ created: landed, failed: rows.length - landed });
    for (const [index, entry] of entries.entries()) expectEntryForm(t, batch, index, entry);
    // If the failed row made the good rows fail too, their statuses show nothing more.
    const hasLanded = (row: RequestBody) => statusOf(row) < 300;
    // The order in which rows are processed is open: either of two rows with one email may land.
    const isFirstTaken = hasLanded(rival) && !hasLanded(first);
    const alone = hasLanded(last) && (hasLanded(first) || isFirstTaken);
    t.expect('BULK-8', batch).is('good rows landed, before a failed one and after it', alone);
    for (const [kindInOrder, row] of alone ? rows : []) {
      const index = indexOf(row);
      const isSwapped = isFirstTaken && (row === first || row === rival);
      const kind = !isSwapped ? kindInOrder : row === first ? 'taken' : 'fresh';
      // The specified status if a single create on this target returns it; otherwise the target's.
      if (index < 0) continue;
      const wanted = oneOf(singles[kind].status, SINGLE[kind]);
      t.expect('BULK-3', batch).field(`rows.${index}.status`, wanted);
    }
    // The failed row must have created nothing.
    if (statusOf(failing) < 400) return;
    await expectReferenceFree(t, 'BULK-8', { ...failing, email: t.fresh.email() });
  },
};

export const bulkSizes: Story = {
  title: 'A batch has 1 to 1000 rows: none is 422, one more is 413',
  rules: ['BULK-1', 'BULK-2', 'BULK-4', 'BULK-6', 'BULK-7'],
  async run(t) {
    const known = [await t.given.account(), await t.given.account()] as const;
    // Every row names one of two existing accounts, so that a thousand rows create nothing. Their order
    // is neither sorted nor reversed.
    const rowsNaming = (count: number): RequestBody[] =>
      Array.from({ length: count }, (_, n) => known[(n * n) % 7 < 3 ? 0 : 1].body);
    // A batch of failures gets an answer like any other batch.
    for (const rows of [rowsNaming(1), [t.newAccount({ email: t.fresh.text() })]]) {
      const one = await t.call('bulkCreateAccounts', { rows });
      t.expect('BULK-1', one).status(200);
      const created = Number(one.at('rows.0.status')) < 300 ? 1 : 0;
      t.expect('BULK-4', one).fields({ created, failed: 1 - created });
    }
    t.expect('BULK-6', await t.call('bulkCreateAccounts', { rows: [] })).refused(...INVALID);
    const sentRows = rowsNaming(MOST_ROWS);
    const most = await t.call('bulkCreateAccounts', { rows: sentRows });
    const rows = most.at('rows');
    const isAnswered = Array.isArray(rows) && rows.length === MOST_ROWS;
    t.expect('BULK-7', most).is(`${MOST_ROWS} rows answered`, isAnswered);
    if (isAnswered) {
      const entries = entriesOf(t, most);
      const sent = sentRows.map((row) => row.client_reference_id);
      const moved = entries.findIndex((each, at) => each.client_reference_id !== sent[at]);
      t.expect('BULK-2', most).is('each row in its place', moved < 0, `another at rows.${moved}`);
      // The status for a known reference is judged where it is the only row.
      const failed = entries.filter((each) => Number(each.status) >= 300).length;
      const served = `each of ${MOST_ROWS} rows served`;
      t.expect('BULK-7', most).is(served, failed === 0, `${failed} failed`);
    }
    const fresh = t.newAccount();
    const over = await t.call('bulkCreateAccounts', { rows: [fresh, ...sentRows] });
    t.expect('BULK-7', over).refused(...TOO_WIDE);
    await expectReferenceFree(t, 'BULK-7', fresh);
  },
};

export const bulkResubmitted: Story = {
  title: 'A partly failed batch sent again, and a reference twice in one batch, duplicate nothing',
  rules: ['BULK-2', 'BULK-11', 'BULK-12'],
  async run(t) {
    const rows = [t.newAccount(), t.newAccount({ email: t.fresh.text() }), t.newAccount()];
    const first = await t.control('bulkCreateAccounts', { rows });
    const idOf = (path: string) => ({ [path]: t.pick(first, path) });
    const ofBoth = { ...idOf('rows.0.id'), ...idOf('rows.2.id') };
    // The same batch, and then one with the failed row corrected.
    const corrected = { ...rows[1], email: t.fresh.email() };
    for (const again of [rows, [rows[0]!, corrected, rows[2]!]]) {
      t.expect('BULK-11', await t.call('bulkCreateAccounts', { rows: again })).fields(ofBoth);
    }
    await t.branch(['BULK-2', 'BULK-12'], 'one reference three times', async () => {
      const row = t.newAccount();
      const renamed = { ...row, email: t.fresh.email(), first_name: 'Another' };
      const thrice = await t.call('bulkCreateAccounts', { rows: [row, row, renamed] });
      t.expect('BULK-2', thrice).field('total', 3);
      const id = t.pick(thrice, 'rows.0.id');
      t.expect('BULK-12', thrice).fields({ 'rows.1.id': id, 'rows.2.id': id });
      t.expect('BULK-12', await t.call('createAccount', { body: row })).field('id', id);
    });
    // References are case-insensitive, in a batch as in consecutive creates.
    await t.branch('BULK-12', 'one reference in two cases', async () => {
      const row = t.newAccount();
      const client_reference_id = String(row.client_reference_id).toUpperCase();
      const upperCase = { ...row, client_reference_id, email: t.fresh.email() };
      const both = await t.call('bulkCreateAccounts', { rows: [row, upperCase] });
      t.expect('BULK-12', both).field('rows.1.id', t.pick(both, 'rows.0.id'));
    });
  },
};

type Entry = { readonly [name: string]: Json };

function entriesOf(t: ScenarioContext, batch: Answer): Entry[] {
  const rows = batch.at('rows');
  const whole = Array.isArray(rows) && rows.every(isObject);
  t.must('BULK-2', batch).is('rows: an array with an entry for each row', whole);
  return rows as Entry[];
}

/** BULK-5: the members of an entry depend on whether its row succeeded. */
function expectEntryForm(t: ScenarioContext, batch: Answer, index: number, entry: Entry): void {
  const isFailed = Number(entry.status) >= 400;
  const form = isFailed ? { id: null, code: filledText, detail: filledText } : { id: not(null) };
  for (const [name, wanted] of Object.entries(form)) {
    t.expect('BULK-5', batch).field(`rows.${index}.${name}`, wanted);
  }
  if (isFailed || entry.id == null) return;
  t.expect('CONV-1a', batch).field(`rows.${index}.id`, decimalId);
  // It is not specified that a successful row has neither, but most clients expect it.
  for (const name of ['code', 'detail']) {
    t.advise('BULK-5', batch).field(`rows.${index}.${name}`, null);
  }
}
