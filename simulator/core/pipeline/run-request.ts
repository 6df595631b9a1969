// One call from its stages to its answer: the first stage that objects decides, otherwise the
// operation; then the call is answered. A fault comes before the operation or after it.
import type { Batch, Decision, Reply } from '../call.ts';
import { evolve } from '../evolve.ts';
import type { StepResult } from '../step.ts';
import { answerCall, recordReply } from './answer-call.ts';
import { answerReplay, injectFaultAfter, injectFaultBefore } from './faults.ts';
import type { RequestContext } from './request-context.ts';

export function runRequest(context: RequestContext): StepResult {
  const { world } = context;
  const decision = runStages(context);
  if (context.changes.length > 0) evolve(world, context.changes);
  if (decision === null) return injectFaultBefore(context) ?? runAndAnswer(context);
  evolve(world, decision.changes);
  if (context.idempotency === 'replayed') return answerReplay(context, decision);
  // NS-30: a refusal is kept for repeats when it came after the replay look-up, and not from it.
  if (context.decidedBy !== 'replay') recordReply(context, decision.reply);
  return answerCall(context, decision);
}

/** The first objection; null: every stage passed. */
function runStages(context: RequestContext): Decision | null {
  for (const stage of context.behaviour.stages) {
    const decision = stage.decide(context);
    if (decision === null) continue;
    context.decidedBy = stage.name;
    return decision;
  }
  return null;
}

/** Runs the operation: now, or when the delay of a suspended call is over. */
export function runAndAnswer(context: RequestContext): StepResult {
  const { behaviour, operation, world } = context;
  if (operation === null) throw new Error('an operation ran without a route');
  context.decidedBy = 'operation';
  const result = behaviour.operations[operation](context);
  const decision = 'decideRow' in result ? runBatch(context, result) : result;
  evolve(world, decision.changes);
  const struck = injectFaultAfter(context, decision);
  if (struck !== null) return struck;
  recordReply(context, decision.reply);
  return answerCall(context, decision);
}

/** Applies what a batch decides row by row, each seeing the one before. */
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
