// One call from its stages to its answer: the first stage that objects decides, otherwise the
// operation; then the call is completed. A fault comes before the operation or after it.
import type { Batch, Decision, Reply } from '../call.ts';
import { evolve } from '../evolve.ts';
import type { StepResult } from '../step.ts';
import {
  type Completion,
  completeRequest,
  stepNamesWithOperation,
  stepsOf,
} from './complete-request.ts';
import { injectFaultAfter, injectFaultBefore, injectFaultOnReplay } from './inject-fault.ts';
import type { Operation, RequestContext } from './request-context.ts';

const noFaults: Completion['faults'] = [];

export function runRequest(context: RequestContext): StepResult {
  const { world } = context;
  const eventsAfter = world.events.lastSeq;
  const { decision, steps } = runStages(context);
  if (context.changes.length > 0) evolve(world, context.changes);
  const completion: Completion = { steps, eventsAfter, faults: noFaults };
  if (decision === null) {
    return injectFaultBefore(context, completion) ?? runAndComplete(context, completion);
  }
  evolve(world, decision.changes);
  if (context.idempotency === 'replayed') {
    const injected = injectFaultOnReplay(context, decision, completion);
    if (injected !== null) return injected;
  }
  // NS-30: a refusal is kept for repeats when it came after the replay look-up, and not from it.
  return completeRequest(context, decision, completion, steps[steps.length - 1] !== 'replay');
}

/** Runs the operation at once: now, or when the delay of a suspended call is over. */
export function runAndComplete(context: RequestContext, completion: Completion): StepResult {
  const decision = runOperation(context);
  return (
    injectFaultAfter(context, decision, completion) ??
    completeRequest(context, decision, completion, true)
  );
}

/** Applies what the operation decides; a batch row by row, each seeing the one before. */
function runOperation(context: RequestContext): Decision {
  const operation: Operation | undefined =
    context.operation === null ? undefined : context.behaviour.operations[context.operation];
  if (operation === undefined) throw new Error('an operation ran without a route');
  const result = operation(context);
  if ('decideRow' in result) return runBatch(context, result);
  evolve(context.world, result.changes);
  return result;
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

interface StageResult {
  /** null: every stage passed, and the operation is the last step. */
  readonly decision: Decision | null;
  readonly steps: readonly string[];
}

function runStages(context: RequestContext): StageResult {
  const { stages } = context.behaviour;
  let count = 0;
  for (const stage of stages) {
    count += 1;
    const decision = stage.decide(context);
    if (decision !== null) return { decision, steps: stepsOf(stages, count) };
  }
  return { decision: null, steps: stepNamesWithOperation(stages) };
}
