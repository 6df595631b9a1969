// Explores one target from beginning to end: finds it, makes the model like it, draws and compares,
// writes the reports, and says with which code to exit.
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import { type Sender, socketSender } from '../../../conformance/engine/send/sender.ts';
import { type Explored, explore } from '../../../conformance/explore/explore.ts';
import { sequenceIn } from '../../../conformance/explore/findings/again.ts';
import type { Model } from '../../../conformance/explore/model.ts';
import { type ExploreReport, makeReport } from '../../../conformance/explore/report/report.ts';
import { textReport } from '../../../conformance/explore/report/text.ts';
import type { Sequence } from '../../../conformance/explore/sequence.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import { parseConfig } from '../../../fixtures/config.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import { simulatorModel } from './explore-model.ts';
import type { ExploreOptions } from './explore-options.ts';
import { type Found, findTarget } from './find-target.ts';
import { checkWritable, readJson, writeText } from './input-files.ts';
import { type JudgeIo, UsageError } from './io.ts';

export async function exploreTarget(
  options: ExploreOptions,
  io: JudgeIo,
  signal: AbortSignal,
): Promise<number> {
  for (const { format, file } of options.reports) checkWritable(`--report ${format}`, file, io.cwd);
  const settings = readModel(options, io.cwd);
  const sequence = readSequence(options, io.cwd);
  const redactor = new Redactor();
  const sender = await socketSender();
  // Time limits alone keep no program alive: without it one that waits for nothing else would end.
  const alive = setInterval(() => {}, 1_000);
  try {
    const found = await findTarget({ options: options.reach, io, sender, redactor, signal });
    const model = await simulatorModel(settings);
    try {
      return await compareWith({
        options,
        io,
        signal,
        redactor,
        sender,
        found,
        model,
        settings,
        sequence,
      });
    } finally {
      await found.provider.close();
      await model.close();
    }
  } finally {
    clearInterval(alive);
    await sender.close();
  }
}

function readModel({ model }: ExploreOptions, cwd: string): Settings {
  if (model === undefined) return defaultSettings;
  const given = readJson('--model', model, cwd, '--observed of a run writes it');
  const { config, problems = [] } = parseConfig(given);
  if (config !== undefined) return config.settings;
  const lines = problems.map(({ field, message }) => `  ${field} ${message}`);
  throw new UsageError(`${model} cannot be used:\n${lines.join('\n')}`);
}

/** The sequence that --replay names. */
function readSequence({ replay }: ExploreOptions, cwd: string): Sequence | undefined {
  if (replay === undefined) return undefined;
  const { file, id } = replay;
  const report = readJson('--replay', file, cwd, '--report json=FILE writes one');
  try {
    const found = sequenceIn(report, id);
    if (found !== undefined) return found;
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`--replay: ${file}: ${error.message}`);
    throw error;
  }
  throw new UsageError(`--replay: ${file} has no difference ${id}`);
}

interface Comparison {
  readonly options: ExploreOptions;
  readonly io: JudgeIo;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly sender: Sender;
  readonly found: Found;
  readonly model: Model;
  readonly settings: Settings;
  readonly sequence: Sequence | undefined;
}

async function compareWith(comparison: Comparison): Promise<number> {
  const { options, found, model, sender, signal, sequence } = comparison;
  const { reach, minutes, requests } = options;
  const startedAt = new Date().toISOString();
  const startedMs = performance.now();
  const explored = await explore({
    provider: found.provider,
    sender,
    model,
    seed: reach.seed,
    requests,
    untilMs: minutes === undefined ? Number.POSITIVE_INFINITY : startedMs + minutes * 60_000,
    timeoutMs: reach.timeoutS * 1000,
    pacer: new Pacer(reach.maxRate),
    signal,
    masked: new Set(),
    width: found.provider.worlds ? 4 : 1,
    ...(sequence === undefined ? {} : { sequences: [sequence] }),
  });
  const report = reportOf(comparison, explored, startedAt, performance.now() - startedMs);
  await finish(comparison, report);
  return exitCodeOf(report);
}

function reportOf(
  { options, io, found, redactor, settings, signal }: Comparison,
  explored: Explored,
  startedAt: string,
  durationMs: number,
): ExploreReport {
  for (const secret of found.provider.secrets()) redactor.learn(secret);
  return makeReport({
    version: io.version,
    target: { base_url: found.baseUrl, control_url: found.controlUrl },
    seed: options.reach.seed,
    startedAt,
    durationMs,
    explored,
    settings: { ...settings },
    interrupted: signal.aborted,
    notes: [...found.notes, ...found.provider.notes],
    redactor,
    replay: (id) => replayCommand(options, found, id),
  });
}

function replayCommand({ reach, reports }: ExploreOptions, { baseUrl }: Found, id: string): string {
  const file = reports.find(({ format }) => format === 'json')?.file ?? 'REPORT.json';
  const parts = ['conformance explore', `--base-url ${baseUrl}`];
  if (reach.controlUrl !== undefined) parts.push(`--control-url ${reach.controlUrl}`);
  if (reach.profile !== undefined) parts.push(`--profile ${reach.profile}`);
  if (reach.tokenEnv !== undefined) parts.push(`--token-env ${reach.tokenEnv}`);
  if (reach.controlTokenEnv !== undefined) {
    parts.push(`--control-token-env ${reach.controlTokenEnv}`);
  }
  return [...parts, `--replay ${file}#${id}`].join(' ');
}

async function finish({ options, io }: Comparison, report: ExploreReport): Promise<void> {
  for (const { format, file } of options.reports) {
    if (format === 'json') writeText(file, io.cwd, `${JSON.stringify(report, null, 1)}\n`);
  }
  if (options.reach.json) {
    io.out(`${JSON.stringify(report)}\n`);
    return;
  }
  const lines = textReport(report, { color: io.color, width: io.columns });
  io.out(`${lines.join('\n')}\n`);
}

function exitCodeOf({ verdict, interrupted }: ExploreReport): number {
  if (interrupted) return 130;
  if (verdict === 'differs') return 1;
  return verdict === 'agrees' ? 0 : 3;
}
