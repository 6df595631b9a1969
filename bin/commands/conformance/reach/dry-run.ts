// `conformance run --dry-run`: reads what a run would read, and sends nothing.
import type { Capability } from '../../../../conformance/engine/capabilities.ts';
import { type Mode, planRun } from '../../../../conformance/engine/inventory/plan.ts';
import { chooseScenarios, neededCapabilities } from '../../../../conformance/engine/run/select.ts';
import type { Scenario } from '../../../../conformance/engine/types.ts';
import { madeWords } from '../../../../conformance/reports/document.ts';
import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import { about } from '../../../../conformance/reports/progress.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import { profileScenarios } from '../../../../conformance/scenarios/profile/profile.ts';
import type { JudgeIo } from '../io.ts';
import type { RunOptions } from '../options.ts';
import { claimedOffers, paceOf, readTarget, type TargetReading } from './read-target.ts';

/** The exit code. */
export function tellPlan(
  options: RunOptions,
  io: JudgeIo,
  redactor: Redactor,
  scenarios: readonly Scenario[],
): number {
  const read = readTarget(options, io, redactor);
  const hasOwn = read.profile !== undefined || options.tokenEnv !== undefined;
  const mode: Mode = hasOwn || read.asked === null ? 'profile' : 'control';
  const offers = claimedOffers(read, mode, options);
  const { chosen, left } = chooseScenarios({ scenarios, selection: options, offers });
  const pace = paceOf(read, mode, options);
  const plan = planRun(chosen, pace);
  const lacking = left.filter(({ missing }) => missing.length > 0).length;
  const first = requestsBefore(offers, mode, neededCapabilities(scenarios, options));
  const requests = plan.requests + first;
  const perSecond = Number.isFinite(pace.perSecond) ? pace.perSecond : null;
  const target = redactor.text(read.baseUrl);
  const notes = [...read.notes, ...notesOf(read, mode)].map((each) => redactor.text(each));
  const isKept = mode === 'profile';
  if (options.json) {
    const document = {
      dry_run: true,
      target: { base_url: target },
      scenarios: { selected: chosen.length + lacking, played: plan.scenarios },
      requests,
      looking_first: first,
      makes: plan.made,
      kept: isKept,
      per_second: perSecond,
      duration_ms: perSecond === null ? null : plan.ms,
      notes,
    };
    io.out(`${jsonText(document, 2)}\n`);
    return 0;
  }
  const more = lacking === 0 ? '' : `; ${lacking} more need something that is missing`;
  const kept = isKept
    ? 'stays on the target, with the mark of the run in its names; subscriptions are disabled again'
    : 'is in worlds of its own, which are dropped at the end';
  const time =
    perSecond === null
      ? 'as fast as the target answers'
      : `${about(plan.ms)}, at ${perSecond} a second`;
  const lines = [
    `Nothing was sent. This is what a run on ${target} would do:`,
    `  scenarios      ${plan.scenarios}${more}`,
    `  requests       about ${requests}, ${first} of them to look at the target first`,
    `  makes          about ${madeWords(plan.made)}`,
    `  what is made   ${kept}`,
    `  takes          ${time}`,
    ...notes.map((each) => `  ${each}`),
    'The figures come from a run on the simulator.',
  ];
  io.out(`${lines.join('\n')}\n`);
  return 0;
}

function notesOf({ asked }: TargetReading, mode: Mode): string[] {
  if (asked === null) return [];
  if (mode === 'control') {
    return [`A control plane is expected at ${asked}; without one nothing could be tried.`];
  }
  const own = 'everything is made in worlds of the run’s own instead, and faster';
  return [`If a control plane answers at ${asked}, ${own} (--control-url none).`];
}

/** Each part of the profile that is needed is tried before rules rest on it. */
function requestsBefore(
  offers: ReadonlySet<Capability>,
  mode: Mode,
  needed: ReadonlySet<Capability>,
) {
  if (mode === 'control') return 1;
  const parts = profileScenarios.flatMap(({ confirms: part }) =>
    part !== undefined && offers.has(part) && needed.has(part) ? [part] : [],
  );
  return 2 + parts.length * 3;
}
