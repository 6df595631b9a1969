// What a run makes on its target, what it leaves there and what it would send, in words.
import { KINDS, type Kind, kindWords } from '../engine/inventory/inventory.ts';
import type { RunPlan } from '../engine/inventory/plan.ts';
import { about } from './progress.ts';
import type { ReportCrash, ReportInventory } from './report.ts';
import { count } from './verdict-words.ts';

/** `217 accounts, 75 accounts by bulk`; kinds with none are left out. */
function madeWords(made: Readonly<Record<Kind, number>>): string {
  const parts = KINDS.filter((kind) => made[kind] > 0).map((kind) =>
    count(made[kind], ...kindWords[kind]),
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** One sentence each. */
export function inventoryLines(inventory: ReportInventory): string[] {
  const { made, mark, enabled, unanswered, kept } = inventory;
  const { positions = [], pending = [], approved = [] } = inventory;
  const what = madeWords(made);
  if (!kept) {
    return what === 'nothing'
      ? ['Made nothing on the target.']
      : [`Made ${what}, in worlds of its own that no longer exist.`];
  }
  if (what === 'nothing' && unanswered === 0) return ['Made nothing on the target.'];
  const subscriptions = count(enabled.length, 'subscription');
  return [
    what === 'nothing'
      ? 'Made nothing on the target that it knows of.'
      : `Made on the target: ${what}. The names contain ${mark}. The records stay there.`,
    ...(made.subscriptions === 0 && enabled.length === 0
      ? []
      : enabled.length === 0
        ? ['Every subscription that it made is disabled again.']
        : [
            `Still enabled: ${subscriptions} ${enabled.map(({ id }) => id).join(', ')}. Disable them.`,
          ]),
    ...leftLines('Positions still open', positions),
    ...leftLines('Transactions still pending', pending),
    ...leftLines('Transactions approved and not settled', approved),
    ...(unanswered === 0
      ? []
      : [`${count(unanswered, 'write')} got no response and may or may not have run.`]),
  ];
}

function leftLines(words: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
  return [`${words}: ${ids.length} (${ids.slice(0, 10).join(', ')}${more}).`];
}

/** `createTransaction with method: Bonus: 500 with an HTML page, 12 of 12 requests. …`. */
export function crashWords(crash: ReportCrash): string {
  const { operation, distinguishes, failure, times, of, rules } = crash;
  const what = distinguishes === '' ? operation : `${operation} ${distinguishes}`;
  const waiting = rules.length === 0 ? '' : ` Cannot be judged until then: ${rules.join(', ')}.`;
  return `${what}: ${failure}, ${times} of ${count(of, 'request')}.${waiting}`;
}

export interface AnnouncedPlan {
  readonly target: string;
  readonly plan: RunPlan;
  /** Scenarios that were asked for. */
  readonly wanted: number;
  /** Requests that look at the target before anything is judged. */
  readonly lookingFirst: number;
  /** Null when requests are not paced. */
  readonly perSecond: number | null;
  /** Whether what is made outlives the run. */
  readonly isKept: boolean;
  /** One sentence each. */
  readonly notes: readonly string[];
}

export function planLines(announced: AnnouncedPlan): string[] {
  const { target, plan, wanted, lookingFirst, perSecond, isKept, notes } = announced;
  const rest = wanted - plan.scenarios;
  const lacking = rest === 0 ? '' : `; ${rest} more need something that is missing`;
  const pace =
    perSecond === null
      ? 'as fast as the target answers'
      : `${about(plan.ms)}, at ${perSecond} a second`;
  const kept = isKept
    ? 'stays on the target, with the mark of the run in its names; subscriptions are disabled again'
    : 'is in worlds of its own, which are dropped at the end';
  return [
    `Nothing was sent. This is what a run on ${target} would do:`,
    `  scenarios      ${plan.scenarios}${lacking}`,
    `  requests       about ${plan.requests + lookingFirst}, ${lookingFirst} of them to look at the target first`,
    `  makes          about ${madeWords(plan.made)}`,
    `  what is made   ${kept}`,
    `  takes          ${pace}`,
    ...notes.map((each) => `  ${each}`),
    'The figures come from a run on the simulator.',
  ];
}

/** The same for scripts. */
export function planDocument(announced: AnnouncedPlan): object {
  const { plan, target, wanted, lookingFirst, perSecond, isKept, notes } = announced;
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
