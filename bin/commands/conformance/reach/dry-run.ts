// `conformance run --dry-run`: reads what a run would read, and sends nothing.
import type { Capability } from '../../../../conformance/engine/capabilities.ts';
import { type Mode, planRun } from '../../../../conformance/engine/inventory/plan.ts';
import { chooseScenarios, neededCapabilities } from '../../../../conformance/engine/run/select.ts';
import type { Scenario } from '../../../../conformance/engine/types.ts';
import {
  type AnnouncedPlan,
  planDocument,
  planLines,
} from '../../../../conformance/reports/inventory.ts';
import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import { profileScenarios } from '../../../../conformance/scenarios/profile/profile.ts';
import type { JudgeIo } from '../io.ts';
import type { RunOptions } from '../run-options.ts';
import { claimedOffers, paceOf, readTarget, type TargetReading } from './read-target.ts';

/** The exit code. */
export function tellPlan(
  options: RunOptions,
  io: JudgeIo,
  redactor: Redactor,
  scenarios: readonly Scenario[],
): number {
  const read = readTarget(options, io, redactor);
  const hasOwn = read.profile !== undefined || options.token !== undefined;
  const mode: Mode = hasOwn || read.asked === null ? 'profile' : 'control';
  const offers = claimedOffers(read, mode, options);
  const { chosen, left } = chooseScenarios({ scenarios, selection: options, offers });
  const pace = paceOf(read, mode, options);
  const told: AnnouncedPlan = {
    target: redactor.text(read.baseUrl),
    plan: planRun(chosen, pace),
    wanted: chosen.length + left.filter(({ missing }) => missing.length > 0).length,
    lookingFirst: lookingFirst(offers, mode, neededCapabilities(scenarios, options)),
    perSecond: Number.isFinite(pace.perSecond) ? pace.perSecond : null,
    isKept: mode === 'profile',
    notes: [...read.notes, ...notesOf(read, mode)].map((each) => redactor.text(each)),
  };
  if (options.json) io.out(`${jsonText(planDocument(told), 2)}\n`);
  else io.out(`${planLines(told).join('\n')}\n`);
  return 0;
}

function notesOf({ asked }: TargetReading, mode: Mode): string[] {
  if (asked === null) return [];
  if (mode === 'control') {
    return [`A control plane is expected at ${asked}; without one nothing could be tried.`];
  }
  const own = 'everything is made in worlds of the run’s own instead, and faster';
  return [`Should a control plane answer at ${asked}, ${own} (--control-url none).`];
}

/** Each part of the profile that is needed is tried before rules rest on it. */
function lookingFirst(
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
