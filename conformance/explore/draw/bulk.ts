// Ideas about batches: their size, their rows, and what the rows have to do with what is there.
import type { Step, Value } from '../sequence.ts';
import { call, type Drawing, type Idea, type Members, members, newKey } from './idea.ts';
import { LONG, person } from './people.ts';
import { type Scene, sameValue } from './scene.ts';

export function bulkCall(d: Drawing, as: string, rows: readonly Value[]) {
  return call(d, { operation: 'bulkCreateAccounts', as, key: newKey(d), body: { accounts: rows } });
}

/** A batch of rows that each idea makes up. */
function batch(id: string, rows: (d: Drawing) => readonly Value[], rest: Partial<Idea> = {}): Idea {
  return { id: `bulk/${id}`, draw: (d) => [bulkCall(d, d.main, rows(d))], ...rest };
}

const good = (d: Drawing, over: Parameters<typeof person>[2] = {}): Members =>
  person(d, d.main, over);

/** So many rows that are alike but for their references and emails. */
export function many(d: Drawing, count: number): Value {
  const stem = `b${d.stem()}r$i`;
  const of = members({
    client_reference_id: { $fresh: stem },
    email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
    brand_id: { $role: d.main, has: 'brand' },
  });
  // What cannot be given up with its world is not made by the hundred.
  const most = d.disposable || count > 1000 ? count : 20;
  return { $rows: Math.min(count, most), of };
}

/** Rows with the longest reference and all that may be said: together more than a megabyte. */
function full(d: Drawing, count: number): Value {
  const stem = `b${d.stem()}r$i`;
  const of = members({
    client_reference_id: { $fresh: stem, length: 255 },
    email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
    brand_id: { $role: d.main, has: 'brand' },
    first_name: LONG,
    last_name: LONG,
    country: 'United Kingdom of Great Britain and Northern Ireland',
    language: 'en-GB',
  });
  return { $rows: count, of };
}

const bad = (d: Drawing): Members => good(d, { email: 'no-at-in-it' });
const some = (scene: Scene) => scene.accounts.length > 0;

function knownRow(d: Drawing): Members {
  const { reference, email, brand } = d.random.pick(d.scene.accounts);
  return good(d, { client_reference_id: reference, email, brand_id: brand });
}

function conflictRow(d: Drawing): Members {
  const { email, brand } = d.random.pick(d.scene.accounts);
  return good(d, { email, brand_id: brand });
}

const sizes: readonly Idea[] = [
  batch('one', (d) => [good(d)]),
  batch('two', (d) => [good(d), good(d)]),
  batch('three', (d) => [good(d), good(d), good(d)], { weight: 2 }),
  batch('fifteen', (d) => [many(d, 15)]),
  batch('too-many', (d) => [many(d, 1001)], { weight: 0.4 }),
  batch('none', () => []),
  {
    id: 'bulk/broken-json',
    draw: (d) => {
      const { body, ...rest } = bulkCall(d, d.main, []);
      return [{ ...rest, raw: '{"accounts": [' }];
    },
  },
];

const mixtures: readonly Idea[] = [
  batch('one-bad', (d) => [good(d), bad(d), good(d)], { weight: 2 }),
  batch('first-bad', (d) => [bad(d), good(d)]),
  batch('all-bad', (d) => [bad(d), bad(d)]),
  batch('blank-reference', (d) => [good(d), good(d, { client_reference_id: '  ' })]),
  batch('long-reference', (d) => [
    good(d, { client_reference_id: { $fresh: `l${d.stem()}`, length: 256 } }),
    good(d),
  ]),
  batch('edge-reference', (d) => [
    good(d, { client_reference_id: { $fresh: `l${d.stem()}`, length: 255 } }),
    good(d),
  ]),
  batch('no-reference', (d) => [good(d), good(d, { client_reference_id: undefined })]),
  batch('no-email', (d) => [good(d), good(d, { email: undefined })], { weight: 0.5 }),
  batch('brand-number', (d) => [
    good(d),
    good(d, { brand_id: { $number: { $role: d.main, has: 'brand' } } }),
  ]),
  batch('twins', (d) => {
    const row = good(d);
    return [row, good(d), row];
  }),
  batch('twins-in-other-case', (d) => {
    const row = good(d);
    const upper: Value = { $case: 'upper', of: row.client_reference_id! };
    return [row, { ...row, client_reference_id: upper }];
  }),
  batch('twin-that-is-mended', (d) => {
    const row = good(d);
    return [{ ...row, email: 'no-at-in-it' }, row, good(d)];
  }),
  batch('twins-by-email', (d) => {
    const row = good(d);
    return [row, good(d, { email: row.email })];
  }),
  batch('unnamed', (d) => [good(d, { first_name: undefined, last_name: undefined }), good(d)]),
  batch('known-row', (d) => [good(d), knownRow(d)], { when: some, weight: 2 }),
  batch('email-taken', (d) => [conflictRow(d), good(d)], { when: some, weight: 2 }),
];

/** Worth a turn of their own: many rows, or rows of every kind, for one request. */
export const fullBatchIdeas: readonly Idea[] = [
  batch('thousand-full', (d) => (d.disposable ? [full(d, 1000)] : [full(d, 20)]), { weight: 0.4 }),
  batch('twins-far-apart', (d) => {
    const row = good(d, { phone: { $phone: `f${d.stem()}`, form: 'e164' } });
    return [row, many(d, 130), row, good(d, { email: row.email }), good(d, { phone: row.phone })];
  }),
  batch('medley', (d) => [knownRow(d), bad(d), conflictRow(d), good(d)], {
    when: some,
    weight: 2,
  }),
  batch('many-and-bad', (d) => [many(d, 20), bad(d), many(d, 20)], { weight: 0.7 }),
];

const roles: readonly Idea[] = [
  {
    // BULK-3: a row is answered as its single create is.
    id: 'bulk/rows-the-firm-may-not',
    needs: ['permissions'],
    draw: (d) => {
      const permit = (allowed: boolean): Step => {
        return { do: 'permit', n: d.scene.label(), operation: 'createAccount', allowed };
      };
      const again = () => bulkCall(d, d.main, [person(d, d.main), person(d, d.main)]);
      return [permit(false), again(), permit(true), again()];
    },
  },
  ...(['brand', 'other_firm', 'no_scopes', 'delegated', 'read_only', 'amend_only'] as const).map(
    (role): Idea => ({
      id: `bulk/as-${role}`,
      weight: 0.7,
      needs: [role],
      draw: (d) => [bulkCall(d, role, [person(d, role), person(d, role)])],
    }),
  ),
  {
    id: 'bulk/brand-of-another',
    needs: ['brand', 'other_brand'],
    draw: (d) => [bulkCall(d, 'brand', [person(d, 'brand'), person(d, 'other_brand')])],
  },
  {
    id: 'bulk/two-brands',
    needs: ['firm', 'other_brand'],
    draw: (d) => [bulkCall(d, 'firm', [person(d, 'firm'), person(d, 'other_brand')])],
  },
];

interface BatchCall {
  readonly step: Scene['calls'][number]['step'];
  readonly rows: readonly Value[];
}

function batches({ calls }: Scene): BatchCall[] {
  return calls.flatMap(({ step }) => {
    if (step.operation !== 'bulkCreateAccounts') return [];
    const rows = (step.body as { accounts?: readonly Value[] } | undefined)?.accounts ?? [];
    return rows.length === 0 ? [] : [{ step, rows }];
  });
}

/** The same key with rows that are not quite the same (IDEM-9). */
function varied(
  id: string,
  rows: (d: Drawing, rows: readonly Value[]) => readonly Value[],
  least = 1,
): Idea {
  return {
    id: `bulk/again-${id}`,
    weight: 1.5,
    when: (scene) => batches(scene).some((each) => each.rows.length >= least),
    draw: (d) => {
      const fitting = batches(d.scene).filter((each) => each.rows.length >= least);
      const { step, rows: before } = d.random.pick(fitting);
      const key = d.random.chance(0.25) ? newKey(d) : step.key!;
      return [{ ...step, n: d.scene.label(), key, body: { accounts: rows(d, before) } }];
    },
  };
}

const edited = (row: Value, over: Members): Value =>
  typeof row === 'object' && row !== null && !('$rows' in row) ? { ...row, ...over } : row;

const repeats: readonly Idea[] = [
  varied('same', (_, rows) => rows),
  varied('first-name-edited', (_, rows) => [
    edited(rows[0]!, { first_name: 'Edited' }),
    ...rows.slice(1),
  ]),
  varied('email-edited', (d, rows) => [
    ...rows.slice(0, -1),
    edited(rows[rows.length - 1]!, {
      email: { $join: [{ $fresh: `e${d.stem()}` }, '@explore.example.com'] },
    }),
  ]),
  varied('reordered', (_, rows) => [...rows].reverse(), 2),
  varied('longer', (d, rows) => [...rows, good(d)]),
  varied('shorter', (_, rows) => rows.slice(0, -1), 2),
  varied('middle-swapped', (d, rows) => [rows[0]!, good(d), ...rows.slice(2)], 3),
  varied('corrected', (d, rows) =>
    rows.map((row) =>
      sameValue((row as Members).email, 'no-at-in-it')
        ? edited(row, { email: { $join: [{ $fresh: `e${d.stem()}` }, '@explore.example.com'] } })
        : row,
    ),
  ),
];

export const bulkIdeas: readonly Idea[] = [...sizes, ...mixtures, ...roles, ...repeats];
