// Decides one call: the stages in their order, then the operation; the first decision wins.

import type { Behaviour } from '../behaviour.ts';
import type { Batch, Call, Decision, Facts, Reply } from '../call.ts';
import type { Change } from '../change.ts';
import { evolve } from '../evolve.ts';
import type { IdempotencyOutcome } from '../journal.ts';
import type { Credential, Token } from '../records.ts';
import type { OperationName } from '../tables/operations.ts';
import type { World } from '../world.ts';
import { noBody } from './readable.ts';
import type { Operation, RequestContext } from './request-context.ts';

/** An attempt at its beginning: only the call is known. */
export class NewRequestContext implements RequestContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly call: Call;
  readonly facts: Facts;
  readonly n: number;
  readonly atMs: number;
  receivedAtMs: number;
  readonly requestId: string;
  readonly path: string;
  operation: OperationName | null = null;
  pathId = '';
  key: string | null = null;
  subject: string | null = null;
  keyId: string | null = null;
  idempotency: IdempotencyOutcome | null = null;
  firstAttempt: number | null = null;
  token: Token | null = null;
  credential: Credential | null = null;
  body: RequestContext['body'] = noBody;
  allowanceLeft: number | null = null;
  allowance: number | null = null;
  readonly changes: Change[] = [];
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

export interface StageResult {
  /** null: every stage passed, and the operation is the last step. */
  readonly decision: Decision | null;
  readonly steps: readonly string[];
}

const stageNames = new WeakMap<Behaviour['stages'], readonly string[][]>();

/**
 * The lists of steps that can be taken, one for each stage that may decide; made once, shared by
 * all calls.
 */
function stepsOf(stages: Behaviour['stages'], count: number): readonly string[] {
  let lists = stageNames.get(stages);
  if (lists === undefined) {
    const names = [...stages.map((stage) => stage.name), 'operation'];
    lists = [...names.keys(), names.length].map((length) => names.slice(0, length));
    stageNames.set(stages, lists);
  }
  return lists[count] ?? [];
}

/** Every stage, and the operation after them: the steps of a call that ran. */
export function stepNamesWithOperation(stages: Behaviour['stages']): readonly string[] {
  return stepsOf(stages, stages.length + 1);
}

/** Every stage and nothing after them: the steps of a call that a fault kept from running. */
export function stepNamesBeforeOperation(stages: Behaviour['stages']): readonly string[] {
  return stepsOf(stages, stages.length);
}

export function runStages(context: RequestContext): StageResult {
  const { stages } = context.behaviour;
  let count = 0;
  for (const stage of stages) {
    count += 1;
    const decision = stage.decide(context);
    if (decision !== null) return { decision, steps: stepsOf(stages, count) };
  }
  return { decision: null, steps: stepNamesWithOperation(stages) };
}

/**
 * Runs the operation and applies what it decides; a batch row by row, each seeing the one before.
 */
export function runOperation(context: RequestContext): Decision {
  const operation: Operation | undefined =
    context.operation === null ? undefined : context.behaviour.operations[context.operation];
  if (operation === undefined) throw new Error('an operation ran without a route');
  const result = operation(context);
  if (!('decideRow' in result)) {
    evolve(context.world, result.changes);
    return result;
  }
  return runBatch(context, result);
}

function runBatch(context: RequestContext, batch: Batch): Decision {
  const outcome = context.idempotency;
  const replies: Reply[] = [];
  for (let index = 0; index < batch.rows; index += 1) {
    const row = batch.decideRow(index);
    evolve(context.world, row.changes);
    replies.push(row.reply);
  }
  // A row that converged does not make the batch a converged one.
  context.idempotency = outcome;
  return { reply: batch.answer(replies), changes: [], cites: batch.cites };
}
