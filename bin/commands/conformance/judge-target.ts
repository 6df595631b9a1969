// Judges one target from beginning to end: finds it, plays the scenarios, and hands over to what
// writes the reports.

import type { Mode } from '../../../conformance/engine/inventory/plan.ts';
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import { type RunResult, runScenarios } from '../../../conformance/engine/run/run.ts';
import { chooseScenarios } from '../../../conformance/engine/run/select.ts';
import type { Sender } from '../../../conformance/engine/send/sender.ts';
import { buildReport } from '../../../conformance/reports/build-report.ts';
import { Progress, type ProgressOptions } from '../../../conformance/reports/progress.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import type { Report, ReportInventory } from '../../../conformance/reports/report.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { profileScenarios } from '../../../conformance/scenarios/profile/profile.ts';
import { rules } from '../../../fixtures/rules.ts';
import { shellLine } from '../../../fixtures/shell-word.ts';
import { finishRun, prepareFinish } from './finish-run.ts';
import type { JudgeIo } from './io.ts';
import { type RunOptions, reachOptions } from './options.ts';
import { tellPlan } from './reach/dry-run.ts';
import { type Found, findTarget } from './reach/find-target.ts';
import { openSender } from './reach/open-sender.ts';
import { claimedOffers, paceOf, readTarget, type TargetReading } from './reach/read-target.ts';
import { checkGlobs } from './selection.ts';

export async function judgeTarget(
  options: RunOptions,
  io: JudgeIo,
  signal: AbortSignal,
): Promise<number> {
  const ids = [...rules.map(({ id }) => id), ...scenarios.map(({ id }) => id)];
  checkGlobs(options, ids, { what: 'rule and no scenario' });
  const baseline = prepareFinish(options, io);
  const redactor = new Redactor();
  if (options.dryRun) return tellPlan(options, io, redactor, scenarios);
  const sender = await openSender(options, io, redactor);
  try {
    const report = await playTarget({ options, io, sender, redactor, signal });
    return await finishRun(options, io, report, baseline);
  } finally {
    await sender.close();
  }
}

interface Parts {
  readonly options: RunOptions;
  readonly io: JudgeIo;
  readonly sender: Sender;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

async function playTarget(parts: Parts): Promise<Report> {
  const { options, io, redactor } = parts;
  let requests = () => 0;
  const progress = new Progress(io, () => requests());
  const onMode: Announce = (mode, controlUrl, inventory) => {
    requests = () => inventory.requests;
    const how = controlUrl === null ? 'without a control plane' : `control plane ${controlUrl}`;
    const where = redactor.text(`${inventory.baseUrl}, ${how}`);
    progress.start(where, progressOptions(options, readTarget(options, io, redactor), mode));
  };
  try {
    const found = await findTarget({ ...parts, isGuarded: true, onMode });
    return await playFound(parts, found, progress);
  } finally {
    progress.end();
  }
}

type Announce = NonNullable<Parameters<typeof findTarget>[0]['onMode']>;

function progressOptions(options: RunOptions, read: TargetReading, mode: Mode): ProgressOptions {
  const offers = claimedOffers(read, mode, options);
  const { chosen, left } = chooseScenarios({ scenarios, selection: options, offers });
  const wanted = chosen.length + left.filter(({ missing }) => missing.length > 0).length;
  return { chosen, wanted, pace: paceOf(read, mode, options) };
}

async function playFound(parts: Parts, found: Found, progress: Progress): Promise<Report> {
  const { options, redactor, signal } = parts;
  const { provider, sender, inventory, mark } = found;
  let run: RunResult;
  try {
    run = await runScenarios({
      scenarios,
      profileScenarios,
      provider,
      sender,
      selection: options,
      seed: options.seed,
      mark,
      timeoutMs: options.timeoutS * 1000,
      ...(options.maxRate === undefined ? {} : { maxRate: options.maxRate }),
      signal,
      secret: (value) => redactor.learn(value),
      onResult: (result, _done, total) => progress.played(result, total),
    });
  } finally {
    // Whatever ended the run: nothing that acts by itself stays behind, if that can be helped.
    if (!provider.worlds) await inventory.sweep(sender, paceOfSweep(options));
    await provider.close();
  }
  return reportOf({ ...parts, found, run });
}

/** --max-rate holds for the sweep too. */
export function paceOfSweep({ maxRate }: RunOptions): () => Promise<void> {
  const pacer = new Pacer(maxRate);
  return () => pacer.take([]);
}

interface ReportParts extends Parts {
  readonly found: Found;
  readonly run: RunResult;
}

function reportOf(parts: ReportParts): Report {
  const { options, found, run, redactor } = parts;
  for (const secret of found.provider.secrets()) redactor.learn(secret);
  const headers = options.headers.map(({ name }) => name);
  const added = headers.length === 0 ? {} : { headers };
  return buildReport({
    version: parts.io.version,
    target: { base_url: found.baseUrl, control_url: found.controlUrl, ...added },
    // What was looked at first counts as well: the target has met it all the same.
    run: { ...run, requests: found.inventory.requests },
    scenarios,
    selection: options,
    redactor,
    offers: found.provider.offers,
    notes: [...found.notes, ...found.provider.notes],
    strict: options.strict,
    inventory: inventoryOf(found),
    replay: (scenario) => commandFor(options, found, scenario),
  });
}

export function inventoryOf({ inventory, mark, provider }: Found): ReportInventory {
  const { made, unanswered, left } = inventory;
  const { subscriptions, positions, pending, approved } = left;
  const enabled = subscriptions.map((id) => ({ kind: 'subscription', id }) as const);
  if (provider.worlds) return { mark, made, unanswered, enabled: [], kept: false };
  return { mark, made, unanswered, enabled, positions, pending, approved, kept: true };
}

function commandFor(options: RunOptions, found: Found, scenario: string): string {
  const { profile, controlUrl, controlTokenEnv, tokenEnv, seed } = options;
  const words = ['npx', 'conformance', 'run', '--base-url', found.baseUrl];
  if (controlUrl !== undefined) words.push('--control-url', controlUrl);
  if (profile !== undefined) words.push('--profile', profile);
  if (controlTokenEnv !== undefined) words.push('--control-token-env', controlTokenEnv);
  if (tokenEnv !== undefined) words.push('--token-env', tokenEnv);
  const only = shellLine(['--only', scenario, '--seed', `${seed}`]);
  return [shellLine(words), ...reachOptions(options), only].join(' ');
}
