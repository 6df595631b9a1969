// Explores one target from beginning to end: finds it, configures the model, draws and compares,
// writes the reports, and returns the exit code.
import { EXIT_CODES } from '../../../conformance/engine/judge/verdicts.ts';
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import { withLimit } from '../../../conformance/engine/send/sender.ts';
import { type Explored, explore, type Progress } from '../../../conformance/explore/explore.ts';
import {
  type Forms,
  findStartProblem,
  observe,
  observeForms,
  unaskedIn,
} from '../../../conformance/explore/observe.ts';
import { sequenceIn, settingsIn } from '../../../conformance/explore/report/again.ts';
import { exploreDocument } from '../../../conformance/explore/report/document.ts';
import { type ExploreReport, makeReport } from '../../../conformance/explore/report/report.ts';
import { callsOf, type Sequence } from '../../../conformance/explore/sequence.ts';
import { renderPage } from '../../../conformance/reports/formats.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { ProgressLine, timeWords } from '../../../conformance/reports/progress.ts';
import { textPage } from '../../../conformance/reports/text.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { parseConfig } from '../../../fixtures/config.ts';
import { defaultSettings, parseSettings, type Settings } from '../../../fixtures/settings.ts';
import { type CommandIo, UsageError } from '../io.ts';
import type { ExploreOptions } from './explore.ts';
import { simulatorModels } from './explore-model.ts';
import { checkFiles, printReport, writeReports } from './finish-run.ts';
import { readingReport, readJson } from './input-files.ts';
import { inventoryOf, paceOfSweep } from './judge-target.ts';
import { commandToRepeat, targetWords } from './options.ts';
import { type Found, findTarget } from './reach/find-target.ts';

/** One exploration from its options to its report. */
interface Exploration {
  readonly options: ExploreOptions;
  readonly io: CommandIo;
  readonly signal: AbortSignal;
  readonly found: Found;
  readonly startedAt: string;
  readonly startedMs: number;
  /** No new work starts after this time. */
  readonly untilMs: number;
}

/** How the model answers the open questions. */
interface Answers {
  readonly settings: Settings;
  /** The settings that are known: from the target, a file, or a report. */
  readonly known: Readonly<Record<string, unknown>>;
}

/** Facts about the target before sequences are compared. */
interface Learned extends Answers {
  /** Requests that were sent to learn them. */
  readonly spent: number;
  readonly forms?: Forms;
}

export async function exploreTarget(
  options: ExploreOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  checkFiles(options, io);
  const again = readAgain(options, io.cwd);
  const given = again?.answers ?? readModel(options, io.cwd);
  const found = await findTarget(options, io);
  try {
    const [startedAt, startedMs] = [new Date().toISOString(), performance.now()];
    const untilMs = startedMs + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
    const exploration = { options, io, signal, found, startedAt, startedMs, untilMs };
    const problem = await findStartProblem(observeOptions(exploration, untilMs));
    const isKnown = problem !== null || (again !== undefined && !needsForms(again.sequence));
    const learned = isKnown
      ? { settings: defaultSettings, known: {}, ...given, spent: 0 }
      : await learnFrom(exploration, given);
    return await compareWith(exploration, learned, problem, again?.sequence);
  } finally {
    await found.close();
  }
}

function readModel({ model }: ExploreOptions, cwd: string): Answers | undefined {
  if (model === undefined) return undefined;
  const given = readJson('--model', model, cwd, 'conformance run --observed writes one');
  const { config, problems = [] } = parseConfig(given);
  const { settings: known = {} } = Object(given) as { readonly settings?: Answers['known'] };
  if (config !== undefined) return { settings: config.settings, known };
  const lines = problems.map(({ field, message }) => `  ${field} ${message}`);
  throw new UsageError(`${model} cannot be used:\n${lines.join('\n')}`);
}

/** The sequence that --replay names, and the settings of the model that it was found with. */
function readAgain({ replay }: ExploreOptions, cwd: string) {
  if (replay === undefined) return undefined;
  const { file, id } = replay;
  const report = readJson('--replay', file, cwd, '--report json=FILE writes one');
  const sequence = readingReport('--replay', file, () => sequenceIn(report, id));
  if (sequence === undefined) {
    throw new UsageError(`--replay: ${file} has no difference ${id}`);
  }
  const { settings } = parseSettings(settingsIn(report));
  const answers = settings && { settings, known: settingsIn(report) as Answers['known'] };
  return { sequence, answers };
}

/**
 * NS: observes how the target answers open questions, within half of the request and time budget.
 */
async function learnFrom(exploration: Exploration, given: Answers | undefined): Promise<Learned> {
  const { options, io, found, untilMs } = exploration;
  const most = Math.floor(options.requests / 2);
  const asked = { ...observeOptions(exploration, (performance.now() + untilMs) / 2), most };
  if (given !== undefined) {
    const { requests: spent, settings: _, ...forms } = await observeForms(asked);
    return { ...given, spent, forms };
  }
  io.err(`Learning how ${found.baseUrl} answers the open questions\n`);
  const { requests: spent, settings: known, ...forms } = await observe(asked);
  const { settings = defaultSettings } = parseSettings(known);
  return { settings, known, spent, forms };
}

/** NS-1, NS-8: whether the form of a request has to be observed first. */
const needsForms = ({ steps }: Sequence): boolean =>
  callsOf(steps).some(({ operation }) => /Position$|^issueToken$/.test(operation));

/** How the judge's scenarios are played on the target, and until when. */
function observeOptions({ options, signal, found }: Exploration, untilMs: number) {
  const { timeoutS, maxRate } = options;
  const { provider, sender, redactor } = found;
  const leftMs = Math.max(0, Math.round(untilMs - performance.now()));
  const isEndless = untilMs === Number.POSITIVE_INFINITY;
  return {
    ...{ provider, sender, timeoutMs: timeoutS * 1000 },
    signal: isEndless ? signal : withLimit(signal, leftMs),
    secret: (value: string) => redactor.learn(value),
    ...(maxRate !== undefined && { maxRate }),
  };
}

async function compareWith(
  exploration: Exploration,
  learned: Learned,
  /** Why the target cannot be observed at all. */
  problem: string | null,
  sequence: Sequence | undefined,
): Promise<number> {
  const { options, io, found, signal, untilMs } = exploration;
  const { settings, known, forms, spent } = learned;
  const { requests, concurrency, seed, timeoutS, maxRate } = options;
  const { provider, sender } = found;
  const most = sequence === undefined ? requests - spent : requests;
  const chosen = problem !== null ? [] : sequence === undefined ? undefined : [sequence];
  let seen: Progress = { requests: 0, sequences: 0, differences: 0 };
  const line = new ProgressLine(io, (elapsedMs) => progressWords(seen, most, elapsedMs));
  const explored = await explore({
    ...{ provider, sender, signal, untilMs, seed, forms },
    models: simulatorModels(settings),
    settings: { ...settings },
    unasked: unaskedIn(known),
    requests: most,
    timeoutMs: timeoutS * 1000,
    pacer: new Pacer(maxRate),
    crowd: concurrency,
    width: provider.worlds ? Math.min(4, concurrency) : 1,
    onProgress: (each) => {
      seen = each;
    },
    ...(chosen !== undefined && { sequences: chosen }),
  }).finally(() => line.end());
  // Subscriptions and positions are cleaned up if possible, because they stay active.
  if (!provider.worlds) await found.inventory.sweep(sender, paceOfSweep(options));
  const report = reportOf(exploration, learned, problem, explored);
  await finish(exploration, report);
  if (report.interrupted) return EXIT_CODES.interrupted;
  if (report.verdict === 'differs') return EXIT_CODES.deviates;
  return report.verdict === 'agrees' ? EXIT_CODES.conformant : EXIT_CODES.ungraded;
}

function progressWords(
  { requests, sequences, differences }: Progress,
  most: number,
  elapsedMs: number,
) {
  const much = `${requests} of ${count(most, 'request')}, ${count(sequences, 'sequence')}`;
  const found = differences === 0 ? '' : `, ${count(differences, 'difference')}`;
  return `${much}${found}, ${timeWords(requests / Math.max(1, most), elapsedMs)}`;
}

function reportOf(
  { options, io, found, signal, startedAt, startedMs, untilMs }: Exploration,
  { known, spent, forms }: Learned,
  problem: string | null,
  explored: Explored,
): ExploreReport {
  const why: string[] = [];
  if (problem !== null) why.push(`Nothing was compared: ${problem.replace(/\.$/, '')}.`);
  else if (explored.sequences === 0 && !signal.aborted) {
    const isLate = performance.now() > untilMs;
    why.push(isLate ? TOO_LATE : tooFew(spent, options.model !== undefined));
  }
  if (problem === null && explored.sequences > 0 && forms?.hasOrders === false) why.push(NO_ORDERS);
  const isInFile =
    options.replay !== undefined || options.report.some(({ format }) => format === 'json');
  const unwritten = isInFile || explored.found.length === 0 ? [] : [TO_REPLAY];
  return makeReport({
    version: io.version,
    target: { base_url: found.baseUrl, control_url: found.controlUrl },
    ...{ seed: options.seed, startedAt, durationMs: performance.now() - startedMs },
    ...{ explored, interrupted: signal.aborted, redactor: found.redactor },
    settings: { ...known, ...explored.learned },
    requests: explored.requests + spent,
    inventory: inventoryOf(found),
    notes: [...why, ...found.notes, ...found.provider.notes, ...unwritten],
    replay: (id) =>
      commandToRepeat('explore', [
        ...targetWords(options, found.baseUrl),
        ['replay', placeOf(options, id)],
      ]),
  });
}

const TO_REPLAY = 'To play a difference again, run with --report json=REPORT.json first.';
/** NS-1: the specification shows no order. */
const NO_ORDERS =
  'Positions were not compared: no order is known that the target accepts. Give one under positions of a --profile.';
const TOO_LATE =
  'Nothing was compared: the time was over. Give more --minutes, or --model FILE, with which nothing has to be learned.';

/** NS: observation may use half of the request budget. */
function tooFew(spent: number, hasModel: boolean): string {
  const what = hasModel ? 'the form of orders and tokens' : 'the open questions';
  const learned = spent === 0 ? '' : `${count(spent, 'request')} went into learning ${what}, and `;
  const advice =
    spent === 0 || hasModel ? '' : ', or --model FILE, with which only forms have to be learned';
  const why = `${learned}no sequence fits into the rest of --requests`;
  return `Nothing was compared: ${why}. Give 2000, the default${advice}.`;
}

/** A replayed difference is the only one of this run; in the file it has its original id. */
function placeOf({ report, replay }: ExploreOptions, id: string): string {
  const file = report.find(({ format }) => format === 'json')?.file;
  if (file === undefined && replay !== undefined) return `${replay.file}#${replay.id}`;
  return `${file ?? 'REPORT.json'}#${id}`;
}

async function finish({ options, io }: Exploration, report: ExploreReport): Promise<void> {
  const document = exploreDocument(report);
  const written = await writeReports(options, io, (format) =>
    format === 'json' ? `${jsonText(report, 1)}\n` : renderPage(format, document),
  );
  if (options.json) return printReport(io, jsonText(report), written);
  const lines = textPage(document, { color: io.color, width: io.columns });
  io.out(`${[...lines, ...written].join('\n')}\n`);
}
