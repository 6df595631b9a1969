// One call on its way through the stages: what is known of it so far.

import type { OperationName } from '../../../fixtures/operations.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Batch, Call, Decision, Facts } from '../call.ts';
import type { Change } from '../change.ts';
import type { IdempotencyOutcome } from '../journal.ts';
import type { Credential, Token } from '../records.ts';
import type { World } from '../world.ts';

/** Members of a JSON object that was read. */
export type Body = Readonly<Record<string, unknown>>;

const emptyBody: Body = Object.freeze({});

/**
 * Filled in by the stages in their order; an operation may rely on everything before it.
 * It lives for one step, except where a fault suspends the call.
 */
export class RequestContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly call: Call;
  readonly facts: Facts;
  /** Number of the call in its world. */
  readonly n: number;
  readonly atMs: number;
  readonly requestId: string;
  readonly path: string;
  /** When it came: earlier than `atMs` if a fault suspended it (NS-42). */
  receivedAtMs: number;
  operation: OperationName | null = null;
  /** The `:id` of the path, as sent. */
  pathId = '';
  key: string | null = null;
  subject: string | null = null;
  keyId: string | null = null;
  idempotency: IdempotencyOutcome | null = null;
  firstCall: number | null = null;
  token: Token | null = null;
  credential: Credential | null = null;
  body: Body = emptyBody;
  allowanceLeft: number | null = null;
  allowance: number | null = null;
  /** What passed stages do to the world, such as drawing from a bucket. */
  changes: Change[] = [];
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
    const mark = call.target.indexOf('?');
    this.path = mark < 0 ? call.target : call.target.slice(0, mark);
  }

  get query(): URLSearchParams {
    if (this.#query === null) {
      const mark = this.call.target.indexOf('?');
      this.#query = new URLSearchParams(mark < 0 ? '' : this.call.target.slice(mark + 1));
    }
    return this.#query;
  }
}

/**
 * A copy that knows what this one knows, under another behaviour or of another call. What is set on
 * the copy later does not reach the original; what both draw from the world does (`changes`).
 */
export function copyContext(
  context: RequestContext,
  change: Partial<Pick<RequestContext, 'behaviour' | 'call'>>,
): RequestContext {
  const { world, behaviour, call, facts, n, ...known } = context;
  const copy = new RequestContext(
    world,
    change.behaviour ?? behaviour,
    change.call ?? call,
    facts,
    n,
  );
  return Object.assign(copy, known);
}

/** A check that every call passes, in the order of NS-17. Null: it has no objection. */
export interface Stage {
  readonly name: string;
  readonly decide: (context: RequestContext) => Decision | null;
}

export type Operation = (context: RequestContext) => Decision | Batch;

/** The scopes in force for this call: the credential's, narrowed by its token. */
export function scopesOf(context: RequestContext): readonly string[] {
  const { credential, token } = context;
  if (credential === null) return [];
  if (token === null || token.scopes === null) return credential.scopes;
  return credential.scopes.filter((scope) => token.scopes?.includes(scope));
}

/** The credential of a call that has passed the token stage. */
export function callerOf(context: RequestContext): Credential {
  if (context.credential === null) throw new Error('an operation ran without a credential');
  return context.credential;
}
