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
}

/** One answer of a row, for the plane's description. */
export interface RowAnswer {
  readonly status: number;
  readonly words: string;
  readonly schema?: Schema;
  /** Other than JSON. */
  readonly type?: 'text/event-stream';
}

export interface RowOptions<B extends Schema, Q extends Readonly<Record<string, Schema>>> {
  /** Name of the operation in the plane's description. */
  readonly name: string;
  readonly method: Method;
  /** Segments after the plane's address; `{id}` stands for one segment. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Query parameters; each may be left out unless it is in `requiredQuery`. */
  readonly query?: Q;
  readonly requiredQuery?: readonly (keyof Q & string)[];
  readonly body?: B;
  /** Of the body; a mebibyte when left out. */
  readonly mostBytes?: number;
  readonly answer: RowAnswer;
  /** Statuses besides those that every row may answer. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Of the whole plane, so that no world has it. */
  readonly outer?: true;
  readonly run: (
    context: HandlerContext<ValueOf<B>, { readonly [K in keyof Q]?: ValueOf<Q[K]> }>,
  ) => ControlReply | Promise<ControlReply>;
}

export interface Row extends Omit<RowOptions<Schema, Readonly<Record<string, Schema>>>, 'run'> {
  readonly segments: readonly string[];
  readonly run: (context: HandlerContext<unknown, unknown>) => ControlReply | Promise<ControlReply>;
}

/** A row whose code sees the types of its schemas. */
export function row<
  const B extends Schema = { readonly type: 'null' },
  const Q extends Readonly<Record<string, Schema>> = Readonly<Record<never, Schema>>,
>(options: RowOptions<B, Q>): Row {
  // The plane calls `run` only with what has been validated against these very schemas.
  return { ...options, segments: options.path.split('/') } as unknown as Row;
}
