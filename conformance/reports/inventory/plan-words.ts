// What a run would do, told without doing it.
import type { RunPlan } from '../../engine/inventory/plan.ts';
import { about } from '../progress/progress-line.ts';
import { count } from '../verdict-words.ts';
import { madeWords } from './inventory-words.ts';

export interface ToldPlan {
  readonly target: string;
  readonly plan: RunPlan;
  /** Scenarios that were asked for. */
  readonly wanted: number;
  /** Requests that look at the target before anything is judged. */
  readonly lookingFirst: number;
  /** Null where nothing is held to a pace. */
  readonly perSecond: number | null;
  /** Whether what is made outlives the run. */
  readonly isKept: boolean;
  /** One sentence each. */
  readonly notes: readonly string[];
}

export function planLines(told: ToldPlan): string[] {
  const { plan, wanted, lookingFirst, perSecond, isKept, notes } = told;
  const rest = wanted - plan.scenarios;
  const lacking = rest === 0 ? '' : `; ${rest} more lack something`;
  const pace = perSecond === null ? 'as fast as it is answered' : `at ${perSecond} a second`;
  const time = perSecond === null ? '' : `${about(plan.ms)}, `;
  const kept = isKept
    ? 'stays on the target, with the mark of the run in its names; subscriptions are disabled again'
    : 'in worlds of the run’s own, which are dropped at its end';
  return [
    `Nothing was sent. This is what a run on ${told.target} would do.`,
    `  scenarios      ${plan.scenarios}${lacking}`,
    `  requests       about ${plan.requests + lookingFirst}, of them ${lookingFirst} to look first`,
    `  makes          about ${madeWords(plan.made)}`,
    `  what is made   ${kept}`,
    `  takes          ${time}${pace}`,
    ...notes.map((each) => `  ${each}`),
    `Counted from ${count(plan.scenarios, 'scenario')} as they were measured on the simulator.`,
  ];
}

/** The same for machines. */
export function planDocument(told: ToldPlan): object {
  const { plan, target, wanted, lookingFirst, perSecond, isKept, notes } = told;
  return {
    dry_run: true,
    target: { base_url: target },
    scenarios: { selected: wanted, played: plan.scenarios },
    requests: plan.requests + lookingFirst,
    looking_first: lookingFirst,
    makes: plan.made,
    kept: isKept,
    per_second: perSecond,
    duration_ms: perSecond === null ? null : plan.ms,
    notes,
  };
}
