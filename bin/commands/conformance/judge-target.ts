// Judges one target from beginning to end: finds it, plays the scenarios, and passes the results on
// for the reports.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { buildReport } from '../../../conformance/reports/build-report.ts';
import { ProgressLine, timeWords } from '../../../conformance/reports/progress.ts';
import type { Report, ReportInventory } from '../../../conformance/reports/report.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { profileScenarios } from '../../../conformance/scenarios/profile/profile.ts';
import { rules } from '../../../fixtures/rules.ts';
import type { CommandIo } from '../io.ts';
import { finishRun, prepareFinish } from './finish-run.ts';
import { commandToRepeat, type RunOptions, type TargetOptions, targetWords } from './options.ts';
import { type Found, findTarget } from './reach/find-target.ts';
import { dryRun, type Planned, planTarget, planWords } from './reach/plan.ts';
import { checkGlobs } from './selection.ts';

export async function judgeTarget(
  options: RunOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  const ids = [...rules, ...scenarios].map(({ id }) => id);
  checkGlobs(options, ids, { what: 'rule and no scenario' });
  const baseline = prepareFinish(options, io);
  if (options.dryRun) return dryRun(options, io);
  const progress: Progress = {
    ...{ sent: () => 0, plan: undefined, total: 0, done: 0, deviating: 0, running: new Set() },
    announce: () => {},
  };
  const line = new ProgressLine(io, (elapsedMs) => progressWords(progress, elapsedMs));
  const report = await play(options, io, signal, progress).finally(() => line.end());
  return finishRun(options, io, report, baseline);
}

interface Progress {
  readonly sent: () => number;
  readonly plan: Planned | undefined;
  readonly running: Set<string>;
  /** Prints what will be done, once the target has answered. */
  readonly announce: () => void;
  total: number;
  done: number;
  deviating: number;
}

/** The progress of a run, by the requests that its plan counts. */
function progressWords({ plan, sent, ...progress }: Progress, elapsedMs: number) {
  if (plan === undefined) return undefined;
  const { total, done, deviating, running } = progress;
  const last = done + running.size < total ? [] : [...running];
  const planned = Math.max(plan.requests, sent(), 1);
  const bad = deviating === 0 ? '' : `, ${deviating} deviating`;
  const time = timeWords(sent() / planned, elapsedMs, last);
  return `${done} of ${total} scenarios, ${sent()} of about ${planned} requests${bad}, ${time}`;
}

async function play(
  options: RunOptions,
  io: CommandIo,
  signal: AbortSignal,
  progress: Progress,
): Promise<Report> {
  const { timeoutS, maxRate, seed, strict = false } = options;
  const found = await findTarget(options, io, (mode, read, { inventory, redactor }) => {
    const plan = planTarget(options, read, mode);
    const how = mode === 'profile' ? 'without a control plane' : `control plane ${read.controlUrl}`;
    const where = redactor.text(`${inventory.baseUrl}, ${how}`);
    const announce = () => io.err(`Judging ${where}: ${planWords(plan)}\n`);
    const sent = () => inventory.requests;
    Object.assign(progress, { plan, total: plan.scenarios, sent, announce });
  });
  const { provider, sender, inventory, mark, redactor, baseUrl, controlUrl } = found;
  const run = await runScenarios({
    ...{ scenarios, profileScenarios, provider, sender, seed, mark, signal },
    selection: options,
    timeoutMs: timeoutS * 1000,
    ...(maxRate !== undefined && { maxRate }),
    secret: (value) => redactor.learn(value),
    running: progress.running,
    onStart: () => progress.announce(),
    // The total is known after the first requests to the target.
    onResult: ({ verdict }, _done, total) => {
      progress.done += 1;
      progress.total = total;
      if (verdict === 'deviates') progress.deviating += 1;
    },
  }).finally(async () => {
    // However the run ends, subscriptions and positions are cleaned up if possible.
    if (!provider.worlds) await inventory.sweep(sender, paceOfSweep(options));
    await found.close();
  });
  const headers = options.header.map(({ name }) => name);
  return buildReport({
    version: io.version,
    target: {
      ...{ base_url: baseUrl, control_url: controlUrl },
      ...(headers.length > 0 && { headers }),
    },
    // Requests before the run count too, because the target received them.
    run: { ...run, requests: inventory.requests },
    ...{ scenarios, selection: options, redactor, strict },
    notes: [...found.notes, ...provider.notes],
    inventory: inventoryOf(found),
    replay: (scenario) =>
      commandToRepeat('run', [
        ...targetWords(options, baseUrl),
        ['only', scenario],
        ['seed', seed],
      ]),
  });
}

/** --max-rate applies to the clean-up too, counting the last second of the run. */
export function paceOfSweep({ maxRate }: TargetOptions): () => Promise<void> {
  const pacer = new Pacer(maxRate);
  const secondIsOver = maxRate === undefined ? undefined : sleep(1000);
  return async () => {
    await secondIsOver;
    await pacer.take([]);
  };
}

export function inventoryOf({ inventory, mark, provider }: Found): ReportInventory {
  const { made, unanswered, left } = inventory;
  const { subscriptions, positions, pending, approved } = left;
  const enabled = subscriptions.map((id) => ({ kind: 'subscription', id }) as const);
  if (provider.worlds) return { mark, made, unanswered, enabled: [], kept: false };
  return { mark, made, unanswered, enabled, positions, pending, approved, kept: true };
}
