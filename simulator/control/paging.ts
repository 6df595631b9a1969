// Paginated lists: a number of records after the last one seen, and where the next page starts.
import {
  listOf,
  object,
  ofType,
  orNull,
  type Schema,
  type ValueOf,
  whole,
} from '../../fixtures/schemas/kit.ts';
import { type HandlerContext, type RowDraft, row, type TypedRow } from './row.ts';

export const defaultLimit = 1000;
/** Records checked for one page, so that a filter without matches does not scan all records. */
const maxLooked = 50_000;

export const limitParameter = whole('How many at most; 1000 by default.', 1, 10_000);
export const paging = {
  'after?': whole('Those whose number is greater.', 0, 1e15),
  'limit?': limitParameter,
} as const;

/** The records of one page, and where the next page begins: null on the last page. */
export function page<R>(
  records: Iterable<R>,
  limit: number | undefined,
  numberOf: (record: R) => number,
  isShown: (record: R) => boolean,
): { readonly items: readonly R[]; readonly next: number | null } {
  const items: R[] = [];
  let checked = 0;
  let last = 0;
  for (const record of records) {
    if (items.length === (limit ?? defaultLimit) || checked === maxLooked) {
      return { items, next: last };
    }
    checked += 1;
    last = numberOf(record);
    if (isShown(record)) items.push(record);
  }
  return { items, next: null };
}

type Paging = { readonly after?: number; readonly limit?: number };

/**
 * A page of the records with a greater id, ascending. The other parameters of the query filter by
 * the members of their names.
 */
export function pageById<R extends { readonly id: string }>(
  records: ReadonlyMap<string, R>,
  { after = 0, limit, ...filter }: Paging & Partial<R>,
) {
  const ids = Float64Array.from(records.keys(), Number).filter((id) => id > after);
  const sorted = Array.from(ids.sort(), (id) => records.get(String(id)) as R);
  return page(sorted, limit, ({ id }) => Number(id), matching(filter));
}

/** Tells whether a record equals the filter in every member that the filter has. */
export function matching(filter: Readonly<Record<string, unknown>>) {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  return (record: object) =>
    wanted.every(([name, value]) => record[name as keyof typeof record] === value);
}

type Listed<N extends string, S> = { readonly [K in N]: readonly ValueOf<S>[] };

/** The schema of a list under its name, with the start of the next page. */
export function listSchema<const N extends string, const S extends Schema>(name: N, items: S) {
  const next = whole('Give it as `after` for the next page; null on the last one.', 0, 1e15);
  return ofType<Listed<N, S> & { readonly next_after: number | null }>(
    object('A page of them.', { [name]: listOf(items, 'In order.'), next_after: orNull(next) }),
  );
}

/** A row that lists all records, without pages. */
export function listRow<const N extends string, const S extends Schema>(
  name: N,
  summary: string,
  items: S,
  read: (context: HandlerContext) => readonly ValueOf<S>[],
  more: Pick<RowDraft, 'outer'> = {},
): TypedRow<Record<never, never>, Listed<N, S>> {
  const all = object('All of them.', { [name]: listOf(items, 'In order.') });
  const run = (context: HandlerContext) => ({ [name]: read(context) }) as Listed<N, S>;
  return row('GET', name, { summary, answer: ofType<Listed<N, S>>(all), ...more, run });
}
