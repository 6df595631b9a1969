// One call on its way through the stages: everything known about it so far, and how it is refused.
// Refusals are returned values with the rules they rest on, never thrown.
import type { OperationName, OperationRow, RefusalCode } from '../../../fixtures/operations.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Batch, Call, Cite, Decision, Facts, Reply } from '../call.ts';
import type { Change } from '../change.ts';
import type { IdempotencyOutcome, InjectedFault } from '../journal.ts';
import type { Credential, Token } from '../records.ts';
import type { Problem } from '../serialize.ts';
import type { World } from '../world.ts';

/** Members of a JSON object that was read. */
export type Body = Readonly<Record<string, unknown>>;

const emptyBody: Body = Object.freeze({});
const noFaults: readonly InjectedFault[] = Object.freeze([]);

/** Filled in by the stages in their order; an operation may rely on everything before it. */
export class RequestContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly call: Call;
  readonly facts: Facts;
  /** Number of the call in its world, from 1. */
  readonly n: number;
  readonly atMs: number;
  readonly requestId: string;
  readonly path: string;
  /** Sequence number of the last event before the call. */
  readonly eventsAfter: number;
  /** When the call arrived: earlier than `atMs` if a fault suspended it (NS-42). */
  receivedAtMs: number;
  operation: OperationName | null = null;
  /** The `:id` of the path, as sent. */
  pathId = '';
  /** The idempotency key after trimming, and the subject it is scoped to. */
  key: string | null = null;
  subject: string | null = null;
  keyId: string | null = null;
  idempotency: IdempotencyOutcome | null = null;
  /** Number of the first call under the same key and subject, on a replay. */
  firstCall: number | null = null;
  token: Token | null = null;
  credential: Credential | null = null;
  body: Body = emptyBody;
  /** Requests left in the credential's bucket after this call; null if it drew none. */
  allowanceLeft: number | null = null;
  allowance: number | null = null;
  /** Changes to the world by completed stages, such as drawing from a bucket. */
  changes: Change[] = [];
  /** The stage that answered, or `operation`; null if a fault prevented an answer. */
  decidedBy: string | null = null;
  /** The transition of a state machine, such as `pending approve → approved`. */
  transition: string | null = null;
  /** The faults that applied to this call so far, in order, as they were defined at that time. */
  faults = noFaults;
  #query: URLSearchParams | null = null;

  constructor(world: World, behaviour: Behaviour, call: Call, facts: Facts, n: number) {
    this.world = world;
    this.behaviour = behaviour;
    this.call = call;
    this.facts = facts;
    this.n = n;
    this.atMs = world.nowMs;
    this.receivedAtMs = world.nowMs;
    this.requestId = behaviour.requestId(world, n);
    this.eventsAfter = world.events.lastSeq;
    const mark = call.target.indexOf('?');
    this.path = mark < 0 ? call.target : call.target.slice(0, mark);
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.call.target.slice(this.path.length + 1));
    return this.#query;
  }
}

/**
 * A copy with the same results so far, under another behaviour or for another call. Members set on
 * the copy do not affect the original; draws from the world do (`changes`).
 */
export function copyContext(
  context: RequestContext,
  change: Partial<Pick<RequestContext, 'behaviour' | 'call'>>,
): RequestContext {
  const { world, behaviour, call, facts, n, ...known } = { ...context, ...change };
  return Object.assign(new RequestContext(world, behaviour, call, facts, n), known);
}

/** A check that every call passes, in the order of NS-17. It returns null if the call passes. */
export interface Stage {
  readonly name: string;
  readonly decide: (context: RequestContext) => Decision | null;
}

export type Operation = (context: RequestContext) => Decision | Batch;

/** The operation that the route stage found. */
export function operationOf({ operation }: RequestContext): OperationName {
  if (operation === null) throw new Error('a stage ran before the route was found');
  return operation;
}

export const operationRowOf = (context: RequestContext): OperationRow =>
  context.behaviour.table[operationOf(context)];

/** A header by lower-case name; several lines of it are joined by commas (RFC 9110 §5.3). */
export function headerOf(context: RequestContext, name: string): string | undefined {
  const value = context.call.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The scopes in force for this call: the credential's, narrowed by its token. */
export function scopesOf({ credential, token }: RequestContext): readonly string[] {
  if (credential === null) return [];
  const narrowed = token?.scopes ?? null;
  if (narrowed === null) return credential.scopes;
  return credential.scopes.filter((scope) => narrowed.includes(scope));
}

/** The credential of a call that has passed the token stage. */
export function callerOf(context: RequestContext): Credential {
  if (context.credential === null) throw new Error('an operation ran without a credential');
  return context.credential;
}

/**
 * A refusal in the API's own form (ERR-1, ERR-3). `field` names the invalid member, parameter or
 * header (NS-13); `status` overrides that of the code if a setting chooses another.
 */
export function refuse(
  context: RequestContext,
  code: RefusalCode,
  cites: readonly Cite[],
  detail: string,
  field?: string,
  status?: number,
): Decision {
  return { reply: refusalReply(context, code, detail, field, status), changes: [], cites };
}

/** 422 for a member, parameter or header. */
export function invalid(
  context: RequestContext,
  field: string,
  detail: string,
  ...cites: Cite[]
): Decision {
  return refuse(context, 'validation_failed', cites, detail, field);
}

export function refusalReply(
  context: RequestContext,
  code: RefusalCode,
  detail: string,
  field?: string,
  status?: number,
): Reply {
  const row = context.behaviour.refusedAs(code);
  const errors = field === undefined ? [] : [{ field, message: detail }];
  const problem = { status: status ?? row.status, title: row.title, code, detail, errors };
  return context.behaviour.refuse(context, problem);
}

/** A refusal with a code that the specification does not name (401, 405 and the like). */
export function refuseUnnamed(
  context: RequestContext,
  problem: Omit<Problem, 'errors'>,
  cites: readonly Cite[],
  headers: Readonly<Record<string, string>>,
): Decision {
  const reply = context.behaviour.refuse(context, { ...problem, errors: [] });
  return { reply: { ...reply, headers }, changes: [], cites };
}

/** ERR-2: an unreadable request is refused in plain text. */
export function refuseUnreadable(
  status: number,
  message: string,
  cites: readonly Cite[],
): Decision {
  const reply: Reply = { status, contentType: 'text/plain', body: `${message}\n` };
  return { reply, changes: [], cites };
}
