// One request in progress: its operation, its caller, and its possible replies.
import {
  type Account,
  ANONYMOUS,
  type Call,
  type Credential,
  type Headers,
  type KeyRecord,
  type Reply,
  type Subscription,
  type TradingAccount,
} from './records.ts';
import { isObject, type Json, type JsonObject, parse, print } from './values.ts';
import type { World } from './world.ts';

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Any one of these is enough; an empty list requires none. */
  readonly scopes: readonly string[];
  /** One of the nine writes. */
  readonly takesKey: boolean;
  /** The members of the body; null: the operation takes no body. */
  readonly fields: readonly string[] | null;
  readonly required: readonly string[];
  readonly run: (context: Context) => Reply;
}

/** The usual code of a status. */
export const CODES = {
  400: 'idempotency_key_required',
  403: 'forbidden',
  404: 'not_found',
  409: 'invalid_state',
  422: 'validation_failed',
  500: 'internal_error',
  503: 'write_contention',
} as const;

/** Thrown by a check that ends a request with this reply. */
export class Early {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

/** The result of `decide`, or the reply that it throws. */
export function decided<T>(decide: () => T): T | Reply {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Early) return error.reply;
    throw error;
  }
}

export class Context {
  readonly world: World;
  readonly requestId: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly operation: Operation;
  call: Call;
  /** The id in the path, or empty. */
  pathId: string;
  credential: Credential = ANONYMOUS;
  /** Changes the credential of the token; traits and defects may replace it. */
  credentialChange = (credential: Credential): Credential => credential;
  key = '';
  body: JsonObject = {};
  isReplay = false;
  /** The record of its key, if this is the first request with the key. */
  record: KeyRecord | undefined;
  /** The index in a batch, if this is a row. */
  row: number | undefined;
  /** Requests that were in progress at the same time. */
  readonly overlaps: Context[] = [];

  constructor(world: World, call: Call, operation: Operation, pathId: string) {
    const url = new URL(call.target, 'http://witness');
    this.world = world;
    this.call = call;
    this.operation = operation;
    this.pathId = pathId;
    this.path = url.pathname;
    this.query = url.searchParams;
    this.requestId = world.style.requestId(world.count('requests'), world.mark);
  }

  /** A row of a batch, as a separate request. */
  ofRow(body: JsonObject, row: number): Context {
    return Object.assign(Object.create(this) as Context, { body, row });
  }

  get style() {
    return this.world.style;
  }

  get store() {
    return this.world.store;
  }

  get nowMs(): number {
    return this.world.clock.now();
  }

  headers(name: string): string[] {
    return this.call.headers.filter(([each]) => each.toLowerCase() === name).map(([, one]) => one);
  }

  /** AUTH-1: the credential of its token. */
  caller(): Credential | undefined {
    const value = /^bearer +(\S+) *$/i.exec(this.headers('authorization')[0] ?? '')?.[1];
    return this.store.credential(this.store.token(value ?? '')?.client_id ?? '');
  }

  /** A text of the body; empty if there is none. */
  text(name: string): string {
    const value = this.body[name];
    return typeof value === 'string' ? value : '';
  }

  reply(status: number, body: Json, headers: Headers = []): Reply {
    const own = [['Content-Type', 'application/json'] as const];
    const id = ['X-Request-Id', this.requestId] as const;
    return { status, headers: [...own, id, ...headers], body: print(body) };
  }

  /** ERR-2: a body that cannot be parsed is refused in plain text. */
  plain(status: number, body: string): Reply {
    return withHeader({ ...this.reply(status, ''), body }, 'Content-Type', 'text/plain');
  }

  /** ERR-1a */
  refusal(status: number, code: string, detail: string, field?: string): Reply {
    const { docsUrl, titleOf, entry } = this.style;
    const problem = {
      ...{ type: `${docsUrl}/errors/${code}`, title: titleOf(code), status, code, detail },
      request_id: this.requestId,
      errors: field === undefined ? [] : [entry(field, detail)],
    };
    return withHeader(this.reply(status, problem), 'Content-Type', 'application/problem+json');
  }

  refuse(status: number, code: string, detail: string, field?: string): never {
    throw new Early(this.refusal(status, code, detail, field));
  }

  /** Refuses the request unless the condition is true. */
  need(isRight: boolean, detail: string, field?: string): void {
    if (!isRight) this.refuse(422, 'validation_failed', detail, field);
  }

  notFound(): never {
    return this.refuse(404, 'not_found', 'there is no such record');
  }

  /** CONV-1c, NS-48: an id in its stored form. */
  id(id: string, field: string): string {
    this.need(/^\d+$/.test(id), `${field} must be a decimal string`, field);
    return this.style.leadingZeros ? BigInt(id).toString() : id;
  }

  /** The record with this id, if it is in the credential's scope. */
  account(id: string): Account | undefined {
    const found = this.store.account(id);
    return found !== undefined && this.store.reaches(this.credential, found) ? found : undefined;
  }

  tradingAccount(id: string): TradingAccount | undefined {
    const found = this.store.tradingAccount(id);
    return found !== undefined && this.account(found.account_id) ? found : undefined;
  }

  /** The subscriptions that its credential sees. */
  subscriptions(): Subscription[] {
    return this.store.subscriptions().filter((each) => this.store.sees(this.credential, each));
  }

  /** AUTH-8 */
  checkPermission(operation: string): void {
    const { permissions } = this.world.firm(this.credential.firm_id);
    if (permissions[operation] !== false) return;
    this.refuse(403, 'forbidden', 'the firm is not permitted to do this');
  }

  /** The reply after traits and defects have changed it. */
  afterSeams(reply: Reply): Reply {
    return this.world.seams.reduce((each, { after }) => after?.(this, each) ?? each, reply);
  }
}

export function withHeader(reply: Reply, name: string, value: string): Reply {
  const others = reply.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
  return { ...reply, headers: [...others, [name, value]] };
}

export const withBody = (reply: Reply, body: Json): Reply => ({ ...reply, body: print(body) });

/** The JSON object of a reply or a call; empty if it has none. */
export function bodyOf({ body }: { readonly body: string | Buffer }): JsonObject {
  const read = parse(Buffer.from(body));
  return isObject(read) ? read : {};
}
