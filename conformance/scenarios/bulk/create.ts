// BULK: creating accounts in bulk. Rows succeed or fail alone; what refuses a whole batch stands in
// its own file.
import { isDeepStrictEqual } from 'node:util';
import { filledText, not, oneOf } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { LONGEST, MOST_ROWS } from '../../spec/literals.ts';
import { expectReferenceFree } from '../support/account-assertions.ts';
import { bulkRefusalScenarios } from './refusals.ts';

const bulkRowsFareAlone: Scenario = {
  id: 'bulk-rows-fare-alone',
  title: 'A mixed batch answers 200, row by row as single creates would have been answered',
  rules: ['BULK-1', 'BULK-2', 'BULK-3', 'BULK-4', 'BULK-5', 'BULK-8'],
  async run(t) {
    const phone = t.fresh.phone();
    const known = await t.given.account({ phone });
    // Not as it was created: what a row finds is the account as it is now.
    await t.api.updateAccount(known.id, { country: 'NO' }, { ifMatch: known.etag });
    // The same kinds of row, each created alone: what the batch is held against.
    const invalid = () => ({ email: t.fresh.text() });
    const singles = {
      fresh: known.answer,
      known: await t.given.reread(known),
      taken: await t.api.createAccount(t.newAccount({ email: known.email })),
      sharing: await t.api.createAccount(t.newAccount({ phone })),
      invalid: await t.api.createAccount(t.newAccount(invalid())),
    };
    const last = t.newAccount();
    const first = t.newAccount();
    const failing = t.newAccount(invalid());
    // Not in the order of the references, so that a sorted answer shows. Each row meets those
    // before it, as creates one after another would.
    const rows: [keyof typeof singles, RequestBody][] = [
      ['fresh', first],
      ['invalid', failing],
      ['known', known.body],
      ['taken', t.newAccount({ email: known.email })],
      ['sharing', t.newAccount({ phone })],
      ['taken', t.newAccount({ email: first.email! })],
      ['fresh', last],
    ];

    const batch = await t.api.bulkCreateAccounts(rows.map(([, row]) => row));
    t.expect('BULK-1', batch).status(200);
    // Any other status may still answer the rows; a refusal of the whole took the good rows with
    // it.
    t.must(['BULK-1', 'BULK-8'], batch).is('answered row by row', Array.isArray(batch.at('rows')));
    const entries = entriesOf(t, batch);

    t.expect('BULK-2', batch).field('total', rows.length);
    const asked = rows.map(([, row]) => row.client_reference_id);
    const answered = entries.map((each) => each.client_reference_id);
    const inOrder = isDeepStrictEqual(answered, asked);
    t.claim('BULK-2', `rows in order: ${asked.join(', ')}`, inOrder, answered.join(', '), batch);
    // By reference from here on: the order is judged above, and must not be blamed twice.
    const indexOf = (row: RequestBody) => answered.indexOf(String(row.client_reference_id));
    const statusOf = (row: RequestBody) => Number(entries[indexOf(row)]?.status);
    const landed = entries.filter((each) => Number(each.status) < 300).length;
    t.expect('BULK-4', batch).fields({ created: landed, failed: rows.length - landed });
    for (const [index, entry] of entries.entries()) expectEntryForm(t, batch, index, entry);
    // Where a failure took good rows with it, their statuses are no news.
    const alone = statusOf(first) < 300 && statusOf(last) < 300;
    t.expect('BULK-8', batch).is('good rows landed, before a failed one and after it', alone);
    for (const [kind, row] of alone ? rows : []) {
      const index = indexOf(row);
      if (index < 0) continue;
      // What a single create answers where it does not itself deviate, or what it does answer.
      const { status, code } = singles[kind];
      t.expect('BULK-3', batch).field(`rows.${index}.status`, oneOf(status, SINGLE[kind]));
      if (code !== undefined && entries[index]!.status === status) {
        t.expect('BULK-3', batch).field(`rows.${index}.code`, oneOf(code, null));
      }
    }
    // Its neighbours exist, as a create by reference shows. And failed it has: nothing came of it.
    for (const row of [first, last]) {
      const id = entries[indexOf(row)]?.id ?? null;
      if (id === null) continue;
      const single = await t.api.createAccount(row);
      const seen = String(single.at('id'));
      const words = `the account ${id} of its row`;
      t.expect('BULK-8', single).is(words, seen === String(id), seen);
    }
    if (statusOf(failing) < 400) return;
    await expectReferenceFree(t, 'BULK-8', { ...failing, email: t.fresh.email() });
  },
};

const bulkRowTooLong: Scenario = {
  id: 'bulk-row-too-long',
  title: 'A reference of 256 characters fails in its row as it fails alone',
  rules: ['BULK-3'],
  async run(t) {
    const row = t.newAccount();
    await t.control('a batch of one', () => t.api.bulkCreateAccounts([row]), 200);
    const long = t.newAccount({ client_reference_id: t.fresh.text(LONGEST + 1) });
    // ACC-2 judges what it is alone.
    const single = await t.api.createAccount(long);
    const batch = await t.api.bulkCreateAccounts([row, long]);
    // BULK-2 judges the order of the rows.
    const asked = long.client_reference_id;
    const at = [0, 1].find((n) => batch.at(`rows.${n}.client_reference_id`) === asked) ?? 1;
    const status = Number(batch.at(`rows.${at}.status`));
    // NS-33: it may be a reason to refuse the batch.
    const alike = batch.status >= 400 || status === 422 || status === single.status;
    t.expect('BULK-3', batch).is('422 in its row, or for the batch', alike, `${status}`);
  },
};

const bulkSizes: Scenario = {
  id: 'bulk-sizes',
  title: 'A batch has 1 to 1000 rows: none is 422, one more is 413',
  rules: ['BULK-1', 'BULK-2', 'BULK-4', 'BULK-6', 'BULK-7'],
  async run(t) {
    const known = [await t.given.account(), await t.given.account()] as const;
    // Every row names one of two accounts that exist already, so that a thousand rows create
    // nothing, and in no order that a sort or a turn would keep.
    const rowsNaming = (count: number): RequestBody[] =>
      Array.from({ length: count }, (_, n) => known[(n * n) % 7 < 3 ? 0 : 1].body);
    const one = await t.api.bulkCreateAccounts(rowsNaming(1));
    t.expect('BULK-1', one).status(200);
    if (Number(one.at('rows.0.status')) < 300) {
      t.expect('BULK-4', one).fields({ created: 1, failed: 0 });
    }
    // A batch of failures is answered like any other.
    const failing = await t.api.bulkCreateAccounts([t.newAccount({ email: t.fresh.text() })]);
    t.expect('BULK-1', failing).status(200);
    if (Number(failing.at('rows.0.status')) >= 400) {
      t.expect('BULK-4', failing).fields({ created: 0, failed: 1 });
    }

    t.expect('BULK-6', await t.api.bulkCreateAccounts([])).refused(422, 'validation_failed');
    const most = await t.api.bulkCreateAccounts(rowsNaming(MOST_ROWS));
    const rows = most.at('rows');
    const count = Array.isArray(rows) ? rows.length : 0;
    t.expect('BULK-7', most).is(`${MOST_ROWS} rows answered`, count === MOST_ROWS);
    if (Array.isArray(rows) && count === MOST_ROWS) expectEachServed(t, most, rowsNaming(count));
    const fresh = t.newAccount();
    const over = await t.api.bulkCreateAccounts([fresh, ...rowsNaming(MOST_ROWS)]);
    t.expect('BULK-7', over).refused(413, 'scope_too_wide');
    await expectReferenceFree(t, 'BULK-7', fresh);
  },
};

/** What a known reference is answered at all is judged where it is the only row. */
function expectEachServed(t: ScenarioContext, batch: Answer, asked: readonly RequestBody[]): void {
  const entries = entriesOf(t, batch);
  const moved = entries.findIndex(
    (each, at) => each.client_reference_id !== asked[at]!.client_reference_id,
  );
  t.expect('BULK-2', batch).is('each row in its place', moved < 0, `another at rows.${moved}`);
  const failed = entries.filter((each) => Number(each.status) >= 300).length;
  t.expect('BULK-7', batch).is(
    `each of ${MOST_ROWS} rows served`,
    failed === 0,
    `${failed} failed`,
  );
}

const bulkResubmitted: Scenario = {
  id: 'bulk-resubmitted',
  title: 'A partly failed batch sent again, and a reference twice in one batch, duplicate nothing',
  rules: ['BULK-2', 'BULK-8', 'BULK-11', 'BULK-12'],
  async run(t) {
    const rows = [t.newAccount(), t.newAccount({ email: t.fresh.text() }), t.newAccount()];
    const send = () => t.api.bulkCreateAccounts(rows);
    const first = await t.control('a partly failed batch', send, 200);
    const ids = [t.pick(first, 'rows.0.id'), t.pick(first, 'rows.2.id')];

    await t.branch(
      'BULK-11',
      'sent again as it was, and with the failed row corrected',
      async () => {
        const corrected = { ...rows[1], email: t.fresh.email() };
        for (const again of [rows, [rows[0]!, corrected, rows[2]!]]) {
          const answer = await t.api.bulkCreateAccounts(again);
          const ofBoth = { 'rows.0.id': ids[0]!, 'rows.2.id': ids[1]! };
          t.expect('BULK-11', answer).fields(ofBoth);
        }
      },
    );
    await t.branch('BULK-8', 'a row that fails, and the same person put right', async () => {
      const right = t.newAccount();
      const wrong = { ...right, email: t.fresh.text() };
      const both = await t.api.bulkCreateAccounts([wrong, right]);
      if (Number(both.at('rows.0.status')) < 400) return;
      const landed = Number(both.at('rows.1.status')) < 300;
      t.expect('BULK-8', both).is('the second row landed', landed, `${both.at('rows.1.status')}`);
    });
    await t.branch(['BULK-2', 'BULK-12'], 'one reference three times', async () => {
      const row = t.newAccount();
      const renamed = { ...row, email: t.fresh.email(), first_name: 'Another' };
      const thrice = await t.api.bulkCreateAccounts([row, row, renamed]);
      t.expect('BULK-2', thrice).field('total', 3);
      const id = t.pick(thrice, 'rows.0.id');
      // ACC-5 judges whether a reference finds its account at all.
      const create = () => t.api.createAccount(row);
      const single = await t.control('a create by that reference', create);
      const ofAll = { 'rows.1.id': id, 'rows.2.id': id };
      t.expect('BULK-12', thrice).fields(ofAll);
      t.expect('BULK-12', single).field('id', id);
    });
    await t.branch('BULK-12', 'one reference in two cases', () => expectOneInTwoCases(t));
  },
};

/** References are the same in any case, in a batch as in creates one after another. */
async function expectOneInTwoCases(t: ScenarioContext): Promise<void> {
  const row = t.newAccount();
  const reference = String(row.client_reference_id).toUpperCase();
  const loud = { ...row, client_reference_id: reference, email: t.fresh.email() };
  const both = await t.api.bulkCreateAccounts([row, loud]);
  const id = t.pick(both, 'rows.0.id');
  t.expect('BULK-12', both).field('rows.1.id', id);
}

/** BULK-3: what the specification has a single create answer. */
const SINGLE = { fresh: 201, known: 200, taken: 409, sharing: 409, invalid: 422 } as const;

type Entry = { readonly [name: string]: Json };

function entriesOf(t: ScenarioContext, batch: Answer): Entry[] {
  const rows = batch.at('rows');
  const whole =
    Array.isArray(rows) && rows.every((each) => each !== null && typeof each === 'object');
  t.must('BULK-2', batch).is('rows: an array with an entry a row', whole);
  return rows as Entry[];
}

/** BULK-5: what an entry holds follows from whether its row landed. */
function expectEntryForm(t: ScenarioContext, batch: Answer, index: number, entry: Entry): void {
  const form =
    Number(entry.status) >= 400
      ? { id: null, code: filledText, detail: filledText }
      : { id: not(null) };
  for (const [name, wanted] of Object.entries(form)) {
    t.expect('BULK-5', batch).field(`rows.${index}.${name}`, wanted);
  }
  if (Number(entry.status) >= 400) return;
  // That a landed row has neither is not specified, and yet what most clients expect.
  for (const name of ['code', 'detail']) {
    t.advise('BULK-5', batch).field(`rows.${index}.${name}`, null);
  }
}

export const bulkScenarios: readonly Scenario[] = [
  bulkRowsFareAlone,
  bulkRowTooLong,
  bulkSizes,
  bulkResubmitted,
  ...bulkRefusalScenarios,
];
