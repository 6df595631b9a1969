// Grids about accounts: everybody who is known, met again in every spelling; every text at every
// length.
import type { CallStep, PhoneForm, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import type { Drawing, Idea, Members } from '../idea.ts';
import { madeBy } from '../made.ts';
import { person, phoneMembers } from '../people.ts';
import { rereadAccount } from '../rereads.ts';
import { updateCall } from '../updates.ts';
import { textOfLength } from './texts.ts';

const FORMS: readonly PhoneForm[] = ['e164', 'spaced', 'zeros', 'national', 'dashes'];

/** ACC-10: with the names of one at another brand, who was changed since he was made. */
function changedElsewhere(d: Drawing): readonly Step[] {
  const stem = `w${d.stem()}`;
  const first = createCall(d, d.main, phoneMembers(stem, 'e164'));
  const { client_reference_id, email } = first.body as Members;
  const account = madeBy(first);
  const names: readonly Members[] = [
    { client_reference_id: client_reference_id! },
    { email: email! },
    phoneMembers(stem, 'spaced'),
  ];
  const brand_id: Value = { $role: 'other_brand', has: 'brand' };
  const there = names.map((name): Members => ({ ...plain(d), ...name, brand_id }));
  const here = names.map((name): CallStep => {
    return { ...createCall(d, d.main), body: { ...plain(d), ...name } };
  });
  const alone = names.map((name): CallStep => {
    return { ...createCall(d, 'other_brand'), body: { ...plain(d), ...name, brand_id } };
  });
  const fresh = names.map((name): Members => ({ ...plain(d), ...name }));
  const changed = updateCall(d, account, { status: `w${d.stem()}`, country: 'FR' });
  account.tags.push(changed.n);
  return [
    ...[first, changed],
    ...[...alone, bulkCall(d, 'other_brand', there), ...here, bulkCall(d, d.main, fresh)],
    // Whatever is changed of him, they are others.
    updateCall(d, account, { ...texts(9), status: `w${d.stem()}` }),
    ...alone.map((step) => rereadAccount(d, madeBy(step))),
  ];
}

/** ACC-5 to ACC-12, BULK-3: by reference, email and phone, as a row and alone. */
function knownAgain(d: Drawing): readonly Step[] {
  const stem = `w${d.stem()}`;
  const first = createCall(d, d.main, phoneMembers(stem, 'e164'));
  const { client_reference_id: reference, email } = first.body as Members;
  const spellings: readonly Members[] = [
    { client_reference_id: reference! },
    { client_reference_id: { $case: 'upper', of: reference! } },
    { email: email! },
    { email: { $case: 'upper', of: email! } },
    ...FORMS.map((form) => phoneMembers(stem, form)),
    phoneMembers(stem, 'sibling'),
  ];
  const row = (over: Members): Members => ({ ...plain(d), ...over });
  const alone = spellings.map((over): CallStep => {
    return { ...createCall(d, d.main), body: row(over) };
  });
  const elsewhere = d.offers.has('other_brand')
    ? [spellings[0]!, spellings[2]!, spellings[4]!].map((over) => {
        const brand_id: Value = { $role: 'other_brand', has: 'brand' };
        return { ...createCall(d, 'other_brand'), body: { ...row(over), brand_id } };
      })
    : [];
  const rowsElsewhere = elsewhere.map(({ body }) => ({ ...(body as Members), ...plainNames(d) }));
  const batches = [bulkCall(d, d.main, spellings.map(row))];
  if (rowsElsewhere.length > 0) batches.push(bulkCall(d, 'other_brand', rowsElsewhere));
  return [first, ...batches, ...alone, ...elsewhere];
}

const plainNames = (d: Drawing): Members => ({ first_name: `f${d.stem()}` });

/** Somebody new of whom nothing is said but what has to be. */
function plain(d: Drawing): Members {
  const { client_reference_id, email, brand_id } = person(d, d.main);
  return { client_reference_id: client_reference_id!, email: email!, brand_id: brand_id! };
}

/** BULK-8: full rows between bare ones, of which each is looked at by a create that names it. */
function rowsOfEveryFulness(d: Drawing): readonly Step[] {
  const full = (): Members => ({
    ...plain(d),
    ...{ first_name: 'Ada', last_name: 'King', country: 'GB', language: 'en' },
    ...phoneMembers(`w${d.stem()}`, 'national'),
  });
  const rows = [plain(d), full(), plain(d), { ...plain(d), country: 'FR' }, plain(d), full()];
  const reread = rows.map((row): CallStep => ({ ...createCall(d, d.main), body: row }));
  return [bulkCall(d, d.main, rows), ...reread];
}

const LENGTHS = [1, 2, 3, 4, 21, 36, 51, 65, 101, 130, 260, 600];

const texts = (length: number): Members => ({
  first_name: textOfLength(length),
  last_name: textOfLength(length),
  country: textOfLength(length),
  language: textOfLength(length),
});

/** ACC-14: what is said is kept as it is said. */
function saidAtLength(d: Drawing): readonly Step[] {
  const alone = LENGTHS.map((length) => ({
    ...createCall(d, d.main),
    body: { ...plain(d), ...texts(length) },
  }));
  const rows = LENGTHS.map((length) => ({ ...plain(d), ...texts(length) }));
  const batch = bulkCall(d, d.main, rows);
  // A batch answers with ids alone: its last row is looked at by a create that names it.
  return [...alone, batch, { ...createCall(d, d.main), body: rows.at(-1)! }];
}

/** UPD-1: the same of what is changed. */
function changedAtLength(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const updates = LENGTHS.map((length): CallStep => {
    const ifMatch: Value = { $header: account.tags.at(-1)!, name: 'etag' };
    const body = { ...texts(length), status: textOfLength(length) };
    const step = updateCall(d, account, body, { ifMatch });
    account.tags.push(step.n);
    return step;
  });
  return [created, ...updates];
}

/** UPD-1 to UPD-4, UPD-8: each member there and back, emptied and filled, beside one that stays. */
function thereAndBack(d: Drawing): readonly Step[] {
  const before: Members = { first_name: 'Ada', last_name: 'King', country: 'GB', language: 'en' };
  const created = createCall(d, d.main, before);
  const account = madeBy(created);
  const steps: CallStep[] = [];
  const update = (body: Members) => {
    const ifMatch: Value = { $header: account.tags.at(-1)!, name: 'etag' };
    const step = updateCall(d, account, body, { ifMatch });
    steps.push(step);
    return step.n;
  };
  for (const [name, value] of Object.entries(before)) {
    account.tags.push(update({ [name]: 'Zed' }));
    // What is stored already changes nothing, and leaves the tag as it is.
    update({ [name]: 'Zed' });
    account.tags.push(update({ [name]: value, status: `s${d.stem()}` }));
  }
  account.tags.push(update({ first_name: '', last_name: 'Byron' }));
  account.tags.push(update({ ...before }));
  return [created, ...steps];
}

/** UPD-7, UPD-8: what was refused, however often, leaves the tag as it was. */
function refusedOften(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main, { status: 'New', first_name: 'Ada' });
  const account = madeBy(created);
  const tag = (n: number): Value => ({ $header: n, name: 'etag' });
  const first = updateCall(d, account, { status: 'One' }, { ifMatch: tag(created.n) });
  const stale = [1, 2, 3].map(() =>
    updateCall(d, account, { status: 'Stale' }, { ifMatch: tag(created.n) }),
  );
  const second = updateCall(d, account, { status: 'Two' }, { ifMatch: tag(first.n) });
  const nothing = [1, 2, 3].map(() =>
    updateCall(d, account, { status: 'Two' }, { ifMatch: tag(second.n) }),
  );
  const last = updateCall(d, account, { status: 'Three' }, { ifMatch: tag(second.n) });
  // Every tag that it has had, the one before the last among them.
  const old = [created, first, second].map(({ n }) =>
    updateCall(d, account, { status: 'Old' }, { ifMatch: tag(n) }),
  );
  return [created, first, ...stale, second, ...nothing, last, ...old];
}

/** Words by which some call who is not to be counted any more; to this API they are any text. */
const ENDS = [
  ...['Active', 'Inactive', 'Closed', 'Deleted', 'Archived', 'Disabled', 'Blocked', 'Suspended'],
  ...['Rejected', 'New'],
];

/** UPD-4, ACC-5, ACC-8, ACC-9: whatever his status, his names are his. */
function ofEveryStatus(d: Drawing): readonly Step[] {
  const stem = `w${d.stem()}`;
  const created = createCall(d, d.main, phoneMembers(stem, 'e164'));
  const account = madeBy(created);
  const { client_reference_id, email } = created.body as Members;
  const names: readonly Members[] = [
    { client_reference_id: client_reference_id! },
    { email: email! },
    phoneMembers(stem, 'spaced'),
  ];
  const steps = ENDS.flatMap((status): CallStep[] => {
    const ifMatch: Value = { $header: account.tags.at(-1)!, name: 'etag' };
    const step = updateCall(d, account, { status }, { ifMatch });
    account.tags.push(step.n);
    const rows = names.map((name): Members => ({ ...plain(d), ...name }));
    return [step, bulkCall(d, d.main, rows)];
  });
  return [created, ...steps];
}

export const peopleGrids: readonly Idea[] = [
  { id: 'account/known-in-every-spelling', weight: 6, draw: knownAgain },
  {
    id: 'account/changed-and-elsewhere',
    weight: 5,
    needs: ['other_brand'],
    draw: changedElsewhere,
  },
  { id: 'account/rows-of-every-fulness', weight: 4, draw: rowsOfEveryFulness },
  { id: 'account/said-at-every-length', weight: 5, draw: saidAtLength },
  { id: 'update/changed-at-every-length', weight: 5, draw: changedAtLength },
  { id: 'account/of-every-status', weight: 5, draw: ofEveryStatus },
  { id: 'update/refused-often', weight: 6, draw: refusedOften },
  { id: 'update/there-and-back', weight: 6, draw: thereAndBack },
];
