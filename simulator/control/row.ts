// One row of the plane: a method and a path, what it takes, what it answers, and the code for it.

import type { Schema, ValueOf } from '../../fixtures/schemas/kit.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import type { Plane } from './plane.ts';
import type { ControlReply } from './reply.ts';

/** Where the plane is on its server. */
export const controlPrefix = '/_sandbox';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HandlerContext<Body, Query> {
  readonly plane: Plane;
  /** The world that the path names; the first one otherwise. */
  readonly host: WorldHost;
  readonly worldName: string;
  /** The address under which the caller knows this server. */
  readonly base: string;
  /** Parts of the path by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Aborted when the caller has left; undefined where that is never told. */
  readonly signal: AbortSignal | undefined;
}

/** One answer of a row, for the plane's description. */
export interface RowAnswer {
  readonly status: number;
  readonly words: string;
  readonly schema?: Schema;
  /** Other than JSON. */
  readonly type?: 'text/event-stream';
}

type Queries = Readonly<Record<string, Schema>>;

export interface RowOptions<
  B extends Schema,
  Q extends Queries,
  N extends string = string,
  P extends string = string,
  A extends RowAnswer = RowAnswer,
  R extends keyof Q & string = keyof Q & string,
> {
  /** Name of the operation in the plane's description. */
  readonly name: N;
  readonly method: Method;
  /** Segments after the plane's address; `{id}` stands for one segment. */
  readonly path: P;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Query parameters; each may be left out unless it is in `requiredQuery`. */
  readonly query?: Q;
  readonly requiredQuery?: readonly R[];
  readonly body?: B;
  /** Of the body; a mebibyte when left out. */
  readonly mostBytes?: number;
  readonly answer: A;
  /** Statuses besides those that every row may answer. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Of the whole plane, so that no world has it. */
  readonly outer?: true;
  readonly run: (
    context: HandlerContext<ValueOf<B>, { readonly [K in keyof Q]?: ValueOf<Q[K]> }>,
  ) => ControlReply | Promise<ControlReply>;
}

export interface Row extends Omit<RowOptions<Schema, Queries>, 'run'> {
  readonly segments: readonly string[];
  readonly run: (context: HandlerContext<unknown, unknown>) => ControlReply | Promise<ControlReply>;
}

type ParamNames<P> = P extends `${string}{${infer N}}${infer Rest}` ? N | ParamNames<Rest> : never;

type ByPath<P> = { readonly [K in ParamNames<P>]: string | number };
type ByQuery<Q, R> = { readonly [K in keyof Q as K extends R ? K : never]: ValueOf<Q[K]> } & {
  readonly [K in keyof Q as K extends R ? never : K]?: ValueOf<Q[K]>;
};
type ByBody<B> = B extends { readonly type: 'null' } ? unknown : ValueOf<B>;

type Answered<A> = A extends { readonly schema: infer S }
  ? ValueOf<S>
  : A extends { readonly type: 'text/event-stream' }
    ? AsyncIterable<StreamedNotice>
    : null;

/** One message of the stream of a world. */
export interface StreamedNotice {
  readonly event: string;
  readonly data: unknown;
}

/** A row with its name, what it is given (path, query and body in one) and what it answers. */
export interface TypedRow<N extends string, Given, Answer> extends Row {
  readonly name: N;
  /** For the compiler alone: never there. */
  readonly typed?: { readonly given: Given; readonly answer: Answer };
}

/** A row whose code sees the types of its schemas, and whose callers do. */
export function row<
  const N extends string,
  const P extends string,
  const A extends RowAnswer,
  const B extends Schema = { readonly type: 'null' },
  const Q extends Queries = Readonly<Record<never, Schema>>,
  const R extends keyof Q & string = never,
>(
  options: RowOptions<B, Q, N, P, A, R>,
): TypedRow<N, ByPath<P> & ByQuery<Q, R> & ByBody<B>, Answered<A>> {
  // The plane calls `run` only with what has been validated against these very schemas.
  const made: object = { ...options, segments: options.path.split('/') };
  return made as TypedRow<N, ByPath<P> & ByQuery<Q, R> & ByBody<B>, Answered<A>>;
}
