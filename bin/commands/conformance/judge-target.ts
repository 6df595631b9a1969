// Judges one target from beginning to end: finds it, plays the scenarios, and passes the results on
// for the reports.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import { type RunResult, runScenarios } from '../../../conformance/engine/run/run.ts';
import type { Sender } from '../../../conformance/engine/send/sender.ts';
import { buildReport } from '../../../conformance/reports/build-report.ts';
import { ProgressLine, timeWords } from '../../../conformance/reports/progress.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import type { Report, ReportInventory } from '../../../conformance/reports/report.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { profileScenarios } from '../../../conformance/scenarios/profile/profile.ts';
import { rules } from '../../../fixtures/rules.ts';
import type { CommandIo } from '../io.ts';
import { finishRun, prepareFinish } from './finish-run.ts';
import { commandToRepeat, type RunOptions, type TargetOptions, targetWords } from './options.ts';
import { type Found, findTarget } from './reach/find-target.ts';
import { openSender } from './reach/open-sender.ts';
import { dryRun, type Planned, planTarget, planWords } from './reach/plan.ts';
import { readTarget } from './reach/read-target.ts';
import { checkGlobs } from './selection.ts';

interface Parts {
  readonly options: RunOptions;
  readonly io: CommandIo;
  readonly sender: Sender;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

export async function judgeTarget(
  options: RunOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  const ids = [...rules.map(({ id }) => id), ...scenarios.map(({ id }) => id)];
  checkGlobs(options, ids, { what: 'rule and no scenario' });
  const baseline = prepareFinish(options, io);
  const redactor = new Redactor();
  if (options.dryRun) return dryRun(options, io, redactor);
  const sender = await openSender(options, io, redactor);
  try {
    const report = await playTarget({ options, io, sender, redactor, signal });
    return await finishRun(options, io, report, baseline);
  } finally {
    await sender.close();
  }
}

async function playTarget(parts: Parts): Promise<Report> {
  const { options, io, redactor } = parts;
  const progress: Progress = {
    ...{ sent: () => 0, plan: undefined, total: 0, done: 0, deviating: 0, running: new Set() },
    announce: () => {},
  };
  const line = new ProgressLine(io, (elapsedMs) => progressWords(progress, elapsedMs));
  try {
    const found = await findTarget({
      ...parts,
      isGuarded: true,
      onMode: (mode, controlUrl, inventory) => {
        const plan = planTarget(options, readTarget(options, io, redactor), mode);
        Object.assign(progress, { plan, total: plan.scenarios, sent: () => inventory.requests });
        const how = controlUrl === null ? 'without a control plane' : `control plane ${controlUrl}`;
        const where = redactor.text(`${inventory.baseUrl}, ${how}`);
        progress.announce = () => io.err(`Judging ${where}: ${planWords(plan)}\n`);
      },
    });
    return await playFound(parts, found, progress);
  } finally {
    line.end();
  }
}

interface Progress {
  readonly sent: () => number;
  readonly plan: Planned | undefined;
  readonly running: Set<string>;
  /** Prints what will be done, once the target has answered. */
  announce: () => void;
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
      running: progress.running,
      onStart: () => progress.announce(),
      // The total is known after the first requests to the target.
      onResult: ({ verdict }, _done, total) => {
        progress.done += 1;
        progress.total = total;
        if (verdict === 'deviates') progress.deviating += 1;
      },
    });
  } finally {
    // However the run ends, subscriptions and positions are cleaned up if possible.
    if (!provider.worlds) await inventory.sweep(sender, paceOfSweep(options));
    await provider.close();
  }
  return reportOf(parts, found, run);
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

function reportOf({ options, io, redactor }: Parts, found: Found, run: RunResult): Report {
  const { provider, inventory, baseUrl, controlUrl } = found;
  const headers = options.header.map(({ name }) => name);
  const added = headers.length === 0 ? {} : { headers };
  return buildReport({
    version: io.version,
    target: { base_url: baseUrl, control_url: controlUrl, ...added },
    // Requests before the run count too, because the target received them.
    run: { ...run, requests: inventory.requests },
    scenarios,
    selection: options,
    redactor,
    notes: [...found.notes, ...provider.notes],
    strict: options.strict ?? false,
    inventory: inventoryOf(found),
    replay: (scenario) =>
      commandToRepeat('run', [
        ...targetWords(options, baseUrl),
        ['only', scenario],
        ['seed', options.seed],
      ]),
  });
}

export function inventoryOf({ inventory, mark, provider }: Found): ReportInventory {
  const { made, unanswered, left } = inventory;
  const { subscriptions, positions, pending, approved } = left;
  const enabled = subscriptions.map((id) => ({ kind: 'subscription', id }) as const);
  if (provider.worlds) return { mark, made, unanswered, enabled: [], kept: false };
  return { mark, made, unanswered, enabled, positions, pending, approved, kept: true };
}
