// Takes a call through the stages in their order; the first that objects decides.
import type { Behaviour } from '../behaviour.ts';
import type { Decision } from '../call.ts';
import type { RequestContext } from './request-context.ts';

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
