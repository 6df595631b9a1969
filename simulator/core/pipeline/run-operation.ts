// The normal path of a call that has passed every stage: its operation runs, and it is completed.
// Where a fault was ordered, it comes before the operation or after it.
import type { Batch, Decision, Reply } from '../call.ts';
import { evolve } from '../evolve.ts';
import type { StepResult } from '../step.ts';
import { type Completion, completeRequest } from './complete-request.ts';
import { injectFaultAfter, injectFaultBefore } from './inject-fault.ts';
import type { Operation, RequestContext } from './request-context.ts';

/** Goes on after the stages, unless a fault comes first. */
export function runRequest(context: RequestContext, completion: Completion): StepResult {
  return injectFaultBefore(context, completion) ?? runAndComplete(context, completion);
}

/** Runs the operation at once: now, or when the delay of a suspended call is over. */
export function runAndComplete(context: RequestContext, completion: Completion): StepResult {
  const decision = runOperation(context);
  return (
    injectFaultAfter(context, decision, completion) ??
    completeRequest(context, decision, completion, context.keyId !== null)
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
