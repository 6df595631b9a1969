// One row of the plane: method and path, the schemas of its input and output, and its handler.
import type { Readable } from 'node:stream';
import { object, type Schema, type ValueOf } from '../../fixtures/schemas/kit.ts';
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
