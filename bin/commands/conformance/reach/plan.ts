// The requests and records of a run: announced before it starts, and printed by --dry-run.
import { type Capability, EVERY_CAPABILITY } from '../../../../conformance/engine/capabilities.ts';
import {
  type Mode,
  type Pace,
  planRun,
  type RunPlan,
} from '../../../../conformance/engine/inventory/plan.ts';
import { chooseScenarios, neededCapabilities } from '../../../../conformance/engine/run/select.ts';
import {
  FIRM_FACTOR,
  isAmple,
  offersOf,
  SANDBOX_PER_SECOND,
} from '../../../../conformance/providers/profile-provider.ts';
import { madeWords } from '../../../../conformance/reports/inventory-words.ts';
import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import { about } from '../../../../conformance/reports/progress.ts';
import { Redactor } from '../../../../conformance/reports/redact.ts';
import { count } from '../../../../conformance/reports/verdict-words.ts';
import { scenarios } from '../../../../conformance/scenarios/all.ts';
import { profileScenarios } from '../../../../conformance/scenarios/profile/profile.ts';
import type { CommandIo } from '../../io.ts';
import type { RunOptions, TargetOptions } from '../options.ts';
import { readTarget, type TargetReading } from './find-target.ts';

export interface Planned extends RunPlan {
  readonly pace: Pace;
  /** Selected scenarios with a missing requirement. */
  readonly lacking: number;
  readonly offers: ReadonlySet<Capability>;
}

export function planTarget(options: RunOptions, read: TargetReading, mode: Mode): Planned {
  const offers = claimedOffers(read, mode, options);
  const { chosen, left } = chooseScenarios(scenarios, options, { offers });
  const pace = paceOf(read, mode, options);
  const lacking = left.filter(({ missing }) => missing.length > 0).length;
  const plan = planRun(chosen, pace);
  // Measured with everything that a profile can give.
  const made = {
    ...plan.made,
    ...(mode === 'profile' && !offers.has('public_url') && { subscriptions: 0 }),
    ...(mode === 'profile' && !offers.has('orders') && { positions: 0 }),
  };
  return { ...plan, made, pace, lacking, offers };
}

/** The claimed capabilities of the target; the run verifies them first. */
function claimedOffers(
  { profile }: TargetReading,
  mode: Mode,
  { maxRate, tokenEnv }: TargetOptions,
): ReadonlySet<Capability> {
  if (mode === 'control') {
    const hasBursts = isAmple(maxRate, 200);
    return new Set(EVERY_CAPABILITY.filter((each) => each !== 'bursts' || hasBursts));
  }
  const credentials = tokenEnv === undefined ? {} : { firm: { token: tokenEnv.value } };
  return offersOf(profile ?? { credentials }, maxRate);
}

function paceOf({ profile }: TargetReading, mode: Mode, { maxRate }: TargetOptions): Pace {
  const most = maxRate ?? Number.POSITIVE_INFINITY;
  if (mode === 'control') return { mode, perSecond: most, firmPerSecond: most };
  const perSecond = profile?.plan?.per_second ?? SANDBOX_PER_SECOND;
  const firm = profile?.plan?.firm_per_second ?? perSecond * FIRM_FACTOR;
  return { mode, perSecond: Math.min(perSecond, most), firmPerSecond: Math.min(firm, most) };
}

/** `180 of 223 scenarios (the rest need something that is missing), about 900 requests`. */
export function planWords({ scenarios: played, requests, ms, pace, lacking }: Planned): string {
  const wanted = count(played + lacking, 'scenario');
  const rest = '(the rest need something that is missing)';
  const much = lacking === 0 ? wanted : `${played} of ${wanted} ${rest}`;
  const sent = `${much}, about ${count(requests, 'request')}`;
  if (!Number.isFinite(pace.perSecond)) return sent;
  return `${sent}, ${about(ms)} at ${pace.perSecond} a second for each credential`;
}

/** Prints the plan, and returns the exit code. */
export function dryRun(options: RunOptions, io: CommandIo): number {
  const redactor = new Redactor();
  const read = readTarget(options, io, redactor);
  const hasOwn = read.profile !== undefined || options.tokenEnv !== undefined;
  const mode: Mode = hasOwn || read.controlUrl === null ? 'profile' : 'control';
  const plan = planTarget(options, read, mode);
  const first = requestsBefore(plan.offers, mode, neededCapabilities(scenarios, options));
  const requests = plan.requests + first;
  const perSecond = Number.isFinite(plan.pace.perSecond) ? plan.pace.perSecond : null;
  const target = redactor.text(read.baseUrl);
  const notes = [...read.notes, ...notesOf(read, mode)].map((each) => redactor.text(each));
  const isKept = mode === 'profile';
  if (options.json) {
    const document = {
      dry_run: true,
      target: { base_url: target },
      scenarios: { selected: plan.scenarios + plan.lacking, played: plan.scenarios },
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
  const more = plan.lacking === 0 ? '' : `; ${plan.lacking} more need something that is missing`;
  const kept = isKept
    ? 'stays on the target, with the mark of the run in its names; subscriptions are disabled again'
    : 'is in worlds of its own, which are dropped at the end';
  const time =
    perSecond === null
      ? 'as fast as the target responds'
      : `${about(plan.ms)}, at ${perSecond} a second for each credential`;
  const made = madeWords(plan.made);
  const lines = [
    `Nothing was sent. This is what a run on ${target} would do:`,
    `  scenarios      ${plan.scenarios}${more}`,
    `  requests       about ${requests}, ${first} of them to look at the target first`,
    `  makes          ${made === 'nothing' ? made : `about ${made}`}`,
    `  what is made   ${kept}`,
    `  takes          ${time}`,
    ...notes.map((each) => `  ${each}`),
    'The figures come from a run on the simulator.',
  ];
  io.out(`${lines.join('\n')}\n`);
  return 0;
}

function notesOf({ controlUrl }: TargetReading, mode: Mode): string[] {
  if (controlUrl === null) return [];
  if (mode === 'control') {
    return [`A control plane is expected at ${controlUrl}; without one nothing could be tried.`];
  }
  const own = 'everything is made in worlds of the run’s own instead, and faster';
  return [`If a control plane responds at ${controlUrl}, ${own} (--control-url none).`];
}

/** Each required part of the profile is tried before rules depend on it. */
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
