// Decides one call: the stages in their order, then the operation; the first decision wins.
import type { Attempt, Operation } from './attempt.ts';
import type { Behaviour } from './behaviour.ts';
import type { Batch, Call, Decision, Facts, Reply } from './call.ts';
import type { Change } from './change.ts';
import { evolve } from './evolve.ts';
import type { IdempotencyOutcome } from './journal.ts';
import type { Credential, Token } from './records.ts';
import { noBody } from './stages/readable.ts';
import type { OperationName } from './tables/operations.ts';
import type { World } from './world.ts';

/** An attempt at its beginning: only the call is known. */
export class NewAttempt implements Attempt {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly call: Call;
  readonly facts: Facts;
  readonly n: number;
  readonly atMs: number;
  askedAtMs: number;
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
  body: Attempt['body'] = noBody;
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
    this.askedAtMs = world.nowMs;
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
export function stepsToTheEnd(stages: Behaviour['stages']): readonly string[] {
  return stepsOf(stages, stages.length + 1);
}

/** Every stage and nothing after them: the steps of a call that a fault kept from running. */
export function stepsBeforeTheEnd(stages: Behaviour['stages']): readonly string[] {
  return stepsOf(stages, stages.length);
}

export function decideStages(attempt: Attempt): StageResult {
  const { stages } = attempt.behaviour;
  let count = 0;
  for (const stage of stages) {
    count += 1;
    const decision = stage.decide(attempt);
    if (decision !== null) return { decision, steps: stepsOf(stages, count) };
  }
  return { decision: null, steps: stepsToTheEnd(stages) };
}

/**
 * Runs the operation and applies what it decides; a batch row by row, each seeing the one before.
 */
export function runOperation(attempt: Attempt): Decision {
  const operation: Operation | undefined =
    attempt.operation === null ? undefined : attempt.behaviour.operations[attempt.operation];
  if (operation === undefined) throw new Error('an operation ran without a route');
  const result = operation(attempt);
  if (!('decideRow' in result)) {
    evolve(attempt.world, result.changes);
    return result;
  }
  return runBatch(attempt, result);
}

function runBatch(attempt: Attempt, batch: Batch): Decision {
  const outcome = attempt.idempotency;
  const replies: Reply[] = [];
  for (let index = 0; index < batch.rows; index += 1) {
    const row = batch.decideRow(index);
    evolve(attempt.world, row.changes);
    replies.push(row.reply);
  }
  // A row that converged does not make the batch a converged one.
  attempt.idempotency = outcome;
  return { reply: batch.answer(replies), changes: [], cites: batch.cites };
}
