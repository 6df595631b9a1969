// One row of the plane: method and path, the schemas of its input and output, and its handler; and
// rows that list records.
import type { Readable } from 'node:stream';
import {
  listOf,
  object,
  ofType,
  orNull,
  type Schema,
  type ValueOf,
  whole,
} from '../../fixtures/schemas/kit.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import type { Plane } from './plane.ts';
import type { JsonText } from './reply.ts';

/** Path of the plane on its server. */
export const controlPrefix = '/_sandbox';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HandlerContext<
  Body = unknown,
  Query = unknown,
  Params = Readonly<Record<string, string>>,
> {
  readonly plane: Plane;
  /** The world that the path names; otherwise the first world. */
  readonly host: WorldHost;
  readonly worldName: string;
  /** The address under which the caller knows this server. */
  readonly base: string;
  /** Parts of the path by name, decoded. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

type Members = Readonly<Record<string, Schema>>;
/** The values of query parameters. */
export type QueryOf<Q extends Members> = ValueOf<ReturnType<typeof object<Q>>>;
type ParamNames<P> = P extends `${string}{${infer N}}${infer Rest}` ? N | ParamNames<Rest> : never;
/** The result of a handler: the value of the response, the same as JSON text, or a stream. */
type Handled<A> = A | JsonText | Readable;

interface RowOptions<P extends string, A extends Schema, B extends Schema, Q extends Members> {
  /** A short description for documents and editors. */
  readonly summary: string;
  readonly description?: string;
  /** Query parameters; those whose names end in `?` are optional. */
  readonly query?: Q;
  readonly body?: B;
  /** The maximum size of the body; a mebibyte by default. */
  readonly maxBytes?: number;
  /** 200 by default, or 204 if there is no answer. */
  readonly status?: number;
  readonly answer?: A;
  /** The answer is a stream of server-sent events. */
  readonly stream?: true;
  /** Statuses in addition to those of every row. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** A row of the whole plane, and not of a single world. */
  readonly outer?: true;
  readonly run: (
    context: HandlerContext<ValueOf<B>, QueryOf<Q>, { readonly [K in ParamNames<P>]: string }>,
  ) => Handled<ValueOf<A> | undefined> | Promise<Handled<ValueOf<A> | undefined>>;
}

/** A row without its name and tag, which come from its table. */
export interface RowDraft
  extends Omit<RowOptions<string, Schema, Schema, Members>, 'run' | 'query'> {
  readonly method: Method;
  /** Segments after the address of the plane; `{id}` matches one segment. */
  readonly path: string;
  readonly segments: readonly string[];
  /** The names in braces, in the order of the path. */
  readonly params: readonly string[];
  readonly query: ReturnType<typeof object>;
  readonly run: (context: HandlerContext) => unknown;
}

export interface Row extends RowDraft {
  /** Name of the operation in the plane's description, and of the method in code. */
  readonly name: string;
  readonly tag: string;
}

/** A single object type, so that an editor shows members instead of an intersection. */
type Flat<T> = { readonly [K in keyof T]: T[K] };
type ByPath<P> = { readonly [K in ParamNames<P>]: string | number };
type ByBody<B> = B extends None ? unknown : ValueOf<B>;

interface None {
  readonly type: 'null';
}

/** One message of the stream of a world. */
export interface StreamedNotice {
  readonly event: string;
  readonly data: unknown;
}

type Answered<A, S> = S extends true
  ? AsyncIterable<StreamedNotice>
  : A extends None
    ? null
    : ValueOf<A>;

/** A row with the types of its input (path, query and body in one) and its answer. */
export interface TypedRow<Given, Answer> extends RowDraft {
  /** For the type checker only; never present. */
  readonly typed?: { readonly given: Given; readonly answer: Answer };
}

/** A row whose handler and callers have the types of its schemas. */
export function row<
  const P extends string,
  const A extends Schema = None,
  const B extends Schema = None,
  // biome-ignore lint/complexity/noBannedTypes: no members at all.
  const Q extends Members = {},
  const S extends true | undefined = undefined,
>(
  method: Method,
  path: P,
  options: RowOptions<P, A, B, Q> & { readonly stream?: S },
): TypedRow<Flat<ByPath<P> & QueryOf<Q> & ByBody<B>>, Answered<A, S>> {
  const segments = path.split('/');
  const params = segments.filter((part) => part.startsWith('{')).map((part) => part.slice(1, -1));
  const query = object('The query.', options.query ?? {});
  // The plane calls `run` only with values that fit these schemas.
  const definition: object = { ...options, method, path, segments, params, query };
  return definition as TypedRow<Flat<ByPath<P> & QueryOf<Q> & ByBody<B>>, Answered<A, S>>;
}

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
