// Lists in pages: so many records after the last one seen, and where the next page begins.

import { listOf, object, orNull, type Schema, whole } from '../../fixtures/schemas/kit.ts';
import type { IdMap } from '../core/id-map.ts';

export const defaultLimit = 1000;
const mostLimit = 10_000;
/** Records looked at for one page, so that a filter that hits nothing does not walk through all. */
export const mostLooked = 50_000;

export const limitParameter = whole('How many at most; 1000 when left out.', 1, mostLimit);
export const afterParameter = whole('Those whose number is greater.', 0, 1e15);

export interface Page<V> {
  readonly shown: readonly V[];
  /** Give it as `after` for the next page; null when this was the last one. */
  readonly nextAfter: number | null;
}

export interface PageOptions {
  readonly after?: number;
  readonly limit?: number;
}

/**
 * Records by id, ascending; `show` answers null for what is filtered out.
 */
export function pageOf<R, V>(
  records: IdMap<R>,
  { after = 0, limit = defaultLimit }: PageOptions,
  show: (record: R) => V | null,
): Page<V> {
  const ids = records.ascending;
  const shown: V[] = [];
  const from = records.placeAfter(after);
  const end = Math.min(ids.length, from + mostLooked);
  for (let at = from; at < end; at += 1) {
    const id = ids[at] as number;
    const record = records.get(String(id));
    const view = record === undefined ? null : show(record);
    if (view !== null) shown.push(view);
    if (shown.length === limit) return { shown, nextAfter: at + 1 < ids.length ? id : null };
  }
  return { shown, nextAfter: end < ids.length ? (ids[end - 1] as number) : null };
}

interface ListOf<S> {
  readonly type: 'array';
  readonly items: S;
}

interface ListSchema<N extends string, S> {
  readonly type: 'object';
  readonly properties: { readonly [K in N]: ListOf<S> };
  readonly required: readonly N[];
}

interface PageSchema<N extends string, S> {
  readonly type: 'object';
  readonly properties: { readonly [K in N]: ListOf<S> } & { readonly next_after: NextAfter };
  readonly required: readonly (N | 'next_after')[];
}

interface NextAfter {
  readonly type: readonly ['integer', 'null'];
}

/** The schema of a list under its name, with where the next page begins. */
export function listSchema<const N extends string, const S extends Schema>(name: N, items: S) {
  const page: object = object('A page of them.', {
    [name]: listOf(items, 'In order.'),
    next_after: orNull(
      whole('Give it as `after` for the next page; null on the last one.', 0, 1e15),
    ),
  });
  return page as PageSchema<N, S>;
}

/** The schema of a list that has no pages. */
export function wholeListSchema<const N extends string, const S extends Schema>(name: N, items: S) {
  const listed: object = object('All of them.', { [name]: listOf(items, 'In order.') });
  return listed as ListSchema<N, S>;
}
