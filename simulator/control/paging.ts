// Lists in pages: so many records after the last one seen, and where the next page begins.
import { listOf, object, orNull, type Schema, whole } from '../../fixtures/schemas/kit.ts';

export const defaultLimit = 1000;
/** Records looked at for one page, so that a filter without hits does not walk through all. */
export const mostLooked = 50_000;

export const limitParameter = whole('How many at most; 1000 by default.', 1, 10_000);
export const paging = {
  'after?': whole('Those whose number is greater.', 0, 1e15),
  'limit?': limitParameter,
} as const;

type Page<N extends string, V> = { readonly [K in N]: readonly V[] } & {
  /** Give it as `after` for the next page; null on the last one. */
  readonly next_after: number | null;
};

/** Records by id, ascending, under their name; `show` returns null for what is filtered out. */
export function pageOf<N extends string, R, V>(
  name: N,
  records: ReadonlyMap<string, R>,
  { after = 0, limit = defaultLimit }: { readonly after?: number; readonly limit?: number },
  show: (record: R) => V | null,
): Page<N, V> {
  const ids = Float64Array.from(records.keys(), Number).sort();
  const shown: V[] = [];
  const first = ids.findIndex((id) => id > after);
  let at = first < 0 ? ids.length : first;
  const end = Math.min(ids.length, at + mostLooked);
  for (; at < end && shown.length < limit; at += 1) {
    const record = records.get(String(ids[at]));
    const view = record === undefined ? null : show(record);
    if (view !== null) shown.push(view);
  }
  const next_after = at < ids.length ? (ids[at - 1] as number) : null;
  return { [name]: shown, next_after } as Page<N, V>;
}

interface ListOf<S> {
  readonly type: 'array';
  readonly items: S;
}

interface ListSchema<N extends string, S, More = unknown> {
  readonly type: 'object';
  readonly properties: { readonly [K in N]: ListOf<S> } & More;
  readonly required: readonly (N | keyof More)[];
}

type NextAfter = { readonly next_after: { readonly type: readonly ['integer', 'null'] } };

/** The schema of a list under its name, with where the next page begins. */
export function listSchema<const N extends string, const S extends Schema>(name: N, items: S) {
  const next = whole('Give it as `after` for the next page; null on the last one.', 0, 1e15);
  const page: object = object('A page of them.', {
    [name]: listOf(items, 'In order.'),
    next_after: orNull(next),
  });
  return page as ListSchema<N, S, NextAfter>;
}

/** The schema of a list without pages. */
export function wholeListSchema<const N extends string, const S extends Schema>(name: N, items: S) {
  const listed: object = object('All of them.', { [name]: listOf(items, 'In order.') });
  return listed as ListSchema<N, S>;
}
