// One call on its way through the stages: what is known of it so far.
import type { Behaviour } from '../behaviour.ts';
import type { Batch, Call, Decision, Facts } from '../call.ts';
import type { Change } from '../change.ts';
import type { IdempotencyOutcome } from '../journal.ts';
import type { Credential, Token } from '../records.ts';
import type { OperationName } from '../tables/operations.ts';
import type { World } from '../world.ts';

/** Members of a JSON object that was read. */
export type Body = Readonly<Record<string, unknown>>;

/**
 * Filled in by the stages in their order; an operation may rely on everything before it.
 * It lives for one step, except where a fault holds the call back.
 */
export interface RequestContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly call: Call;
  readonly facts: Facts;
  readonly atMs: number;
  /** When it came: earlier than `atMs` if a fault held it back (NS-42). */
  receivedAtMs: number;
  readonly requestId: string;
  /** Number of the call in its world. */
  readonly n: number;
  readonly path: string;
  readonly query: URLSearchParams;
  operation: OperationName | null;
  /** The `:id` of the path, as sent. */
  pathId: string;
  key: string | null;
  subject: string | null;
  keyId: string | null;
  idempotency: IdempotencyOutcome | null;
  firstAttempt: number | null;
  token: Token | null;
  credential: Credential | null;
  body: Body;
  allowanceLeft: number | null;
  allowance: number | null;
  /** What passed stages do to the world, such as drawing from a bucket. */
  readonly changes: Change[];
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
