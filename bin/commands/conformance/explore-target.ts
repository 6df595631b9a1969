// Explores one target from beginning to end: finds it, makes the model like it, draws and compares,
// writes the reports, and says with which code to exit.
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import { EXIT_CODES } from '../../../conformance/engine/run/exit-code.ts';
import type { Sender } from '../../../conformance/engine/send/sender.ts';
import { withLimit } from '../../../conformance/engine/send/time-limit.ts';
import { type Explored, explore } from '../../../conformance/explore/explore.ts';
import {
  type Forms,
  findStartProblem,
  observe,
  observeForms,
  unaskedIn,
} from '../../../conformance/explore/observe.ts';
import {
  htmlReport,
  markdownReport,
  nextSteps,
  textReport,
} from '../../../conformance/explore/report/document.ts';
import { type ExploreReport, makeReport } from '../../../conformance/explore/report/report.ts';
import { type Known, twinOf } from '../../../conformance/explore/report/twin.ts';
import { callsOf, type Sequence } from '../../../conformance/explore/sequence.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { defaultSettings, parseSettings } from '../../../fixtures/settings.ts';
import type { CommandIo } from '../io.ts';
import type { ExploreOptions } from './explore.ts';
import {
  type Answers,
  NOTHING_KNOWN,
  readAgain,
  readModel,
  simulatorModels,
} from './explore-model.ts';
import { ExploreProgress } from './explore-progress.ts';
import { checkWritable, writeText } from './input-files.ts';
import { inventoryOf, paceOfSweep } from './judge-target.ts';
import { commandToRepeat, targetWords } from './options.ts';
import { type Found, findTarget } from './reach/find-target.ts';
import { openSender } from './reach/open-sender.ts';

/** One exploration from its options to its report. */
interface Exploration {
  readonly options: ExploreOptions;
  readonly io: CommandIo;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly sender: Sender;
  readonly found: Found;
  readonly progress: ExploreProgress;
  readonly startedAt: string;
  readonly startedMs: number;
  /** Nothing is begun later. */
  readonly untilMs: number;
}

/** What is known of the target before sequences are compared. */
interface Learned extends Answers {
  /** Requests that were sent to learn it. */
  readonly spent: number;
  readonly forms?: Forms;
}

export async function exploreTarget(
  options: ExploreOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  for (const { format, file } of options.report) checkWritable(`--report ${format}`, file, io.cwd);
  const { observed, minutes = Number.POSITIVE_INFINITY } = options;
  if (observed !== undefined) checkWritable('--observed', observed, io.cwd);
  const again = readAgain(options, io.cwd);
  const given = again?.given ?? readModel(options, io.cwd);
  const redactor = new Redactor();
  const sender = await openSender(options, io, redactor);
  try {
    const found = await findTarget({ options, io, sender, redactor, isGuarded: true });
    const startedMs = performance.now();
    const untilMs = startedMs + minutes * 60_000;
    const progress = new ExploreProgress(io, untilMs);
    const exploration: Exploration = {
      ...{ options, io, signal, redactor, found, progress, startedMs, untilMs },
      startedAt: new Date().toISOString(),
      sender: progress.watching(found.sender),
    };
    try {
      const problem = await findStartProblem(observeOptions(exploration, untilMs));
      const isKnown = again !== undefined && !needsForms(again.sequence);
      const learned: Learned =
        problem !== null || isKnown
          ? { ...(given ?? NOTHING_KNOWN), spent: 0 }
          : await learnFrom(exploration, given);
      return await compareWith(exploration, learned, problem, again?.sequence);
    } finally {
      progress.end();
      await found.provider.close();
    }
  } finally {
    await sender.close();
  }
}

/**
 * NS: what the target does where the specification is open, as far as half of the requests and of
 * the time go.
 */
async function learnFrom(exploration: Exploration, given: Answers | undefined): Promise<Learned> {
  const { options, io, found, untilMs } = exploration;
  const most = Math.floor(options.requests / 2);
  const asked = { ...observeOptions(exploration, (performance.now() + untilMs) / 2), most };
  if (given !== undefined) {
    const { requests: spent, unlike, ...forms } = await observeForms(asked);
    return { ...given, known: { ...given.known, unlike }, spent, forms };
  }
  io.err(`Learning how ${found.baseUrl} answers the open questions\n`);
  const { requests: spent, unlike, settings: answered, ...forms } = await observe(asked);
  const { settings = defaultSettings } = parseSettings(answered);
  return { settings, known: { settings: answered, from: 'the target', unlike }, spent, forms };
}

/** NS-1, NS-8: whether the form of a request has to be found out first. */
const needsForms = ({ steps }: Sequence): boolean =>
  callsOf(steps).some(({ operation }) => /Position$|^issueToken$/.test(operation));

/** How scenarios of the judge are played on the target, and until when. */
function observeOptions(exploration: Exploration, untilMs: number) {
  const { options, signal, redactor, sender, found } = exploration;
  const { timeoutS, maxRate } = options;
  const leftMs = Math.max(0, Math.round(untilMs - performance.now()));
  const isEndless = untilMs === Number.POSITIVE_INFINITY;
  return {
    ...{ provider: found.provider, sender, timeoutMs: timeoutS * 1000 },
    signal: isEndless ? signal : withLimit(signal, leftMs),
    secret: (value: string) => redactor.learn(value),
    ...(maxRate === undefined ? {} : { maxRate }),
  };
}

async function compareWith(
  exploration: Exploration,
  learned: Learned,
  /** Why nothing can be asked of the target at all. */
  problem: string | null,
  sequence: Sequence | undefined,
): Promise<number> {
  const { options, found, sender, signal, untilMs, progress } = exploration;
  const { settings, known, forms, spent } = learned;
  const { requests, concurrency, seed, timeoutS, maxRate } = options;
  const most = sequence === undefined ? requests - spent : requests;
  progress.compares(most);
  const chosen = problem !== null ? [] : sequence === undefined ? undefined : [sequence];
  const explored = await explore({
    ...{ provider: found.provider, sender, signal, untilMs, seed, forms },
    models: simulatorModels(settings),
    settings: { ...settings },
    unasked: unaskedIn(known.settings),
    requests: most,
    timeoutMs: timeoutS * 1000,
    pacer: new Pacer(maxRate),
    crowd: concurrency,
    width: found.provider.worlds ? Math.min(4, concurrency) : 1,
    onProgress: (each) => progress.show(each),
    ...(chosen === undefined ? {} : { sequences: chosen }),
  });
  progress.end();
  // What acts by itself does not stay behind, if that can be helped.
  if (!found.provider.worlds) await found.inventory.sweep(sender, paceOfSweep(options));
  const told = { ...known, settings: { ...known.settings, ...explored.learned } };
  const report = reportOf(exploration, { ...learned, known: told }, problem, explored);
  finish(exploration, told, report, explored.agreed);
  if (report.interrupted) return EXIT_CODES.interrupted;
  if (report.verdict === 'differs') return EXIT_CODES.deviates;
  return report.verdict === 'agrees' ? EXIT_CODES.conformant : EXIT_CODES.ungraded;
}

function reportOf(
  { options, io, found, redactor, signal, startedAt, startedMs, untilMs }: Exploration,
  { known, spent }: Learned,
  problem: string | null,
  explored: Explored,
): ExploreReport {
  const isEmpty = explored.sequences === 0 && !signal.aborted;
  const why =
    problem !== null
      ? [`Nothing was compared: ${problem.replace(/\.$/, '')}.`]
      : isEmpty
        ? [performance.now() > untilMs ? TOO_LATE : tooFew(spent, options.model !== undefined)]
        : [];
  return makeReport({
    version: io.version,
    target: { base_url: found.baseUrl, control_url: found.controlUrl },
    ...{ seed: options.seed, startedAt, durationMs: performance.now() - startedMs },
    ...{ explored, settings: known.settings, interrupted: signal.aborted, redactor },
    requests: explored.requests + spent,
    inventory: inventoryOf(found),
    notes: [...why, ...found.notes, ...found.provider.notes],
    replay: (id) =>
      commandToRepeat('explore', [
        ...targetWords(options, found.baseUrl),
        ['replay', placeOf(options, id)],
      ]),
  });
}

const TOO_LATE =
  'Nothing was compared: the time was over. Give more --minutes, or --model FILE, with which nothing has to be learned.';

/** NS: learning may take half of what may be sent. */
function tooFew(spent: number, hasModel: boolean): string {
  const what = hasModel ? 'the form of orders and tokens' : 'the open questions';
  const learned = spent === 0 ? '' : ` after ${count(spent, 'request')} to learn ${what}`;
  const advice =
    spent === 0 || hasModel ? '' : ', or --model FILE, with which only forms have to be learned';
  const why = `too few requests were left for it${learned}`;
  return `Nothing was compared: ${why}. Give more --requests${advice}.`;
}

/** What was played again is the only one of this run; in the file it has its own id. */
function placeOf({ report, replay }: ExploreOptions, id: string): string {
  const file = report.find(({ format }) => format === 'json')?.file;
  if (file === undefined && replay !== undefined) return `${replay.file}#${replay.id}`;
  return `${file ?? 'REPORT.json'}#${id}`;
}

const RENDERERS = {
  json: (report: ExploreReport) => `${jsonText(report, 1)}\n`,
  markdown: markdownReport,
  html: htmlReport,
} as const;

function finish(
  { options, io }: Exploration,
  known: Known,
  report: ExploreReport,
  agreed: number,
): void {
  const written: string[] = [];
  for (const { format, file } of options.report) {
    writeText(file, io.cwd, RENDERERS[format](report));
    written.push(`${format} report: ${file}`);
  }
  const { observed, json } = options;
  const twin = observed === undefined ? undefined : twinOf(known, report, agreed);
  if (twin !== undefined) {
    writeText(observed!, io.cwd, `${jsonText(twin.config, 2)}\n`);
    written.push(`observed: ${observed}, ${twin.statement}; sandbox start --config takes it`);
    for (const each of known.unlike) written.push(`  not so in a sandbox: ${each}`);
  } else if (observed !== undefined) {
    written.push(`observed: ${observed} was not written, since nothing was compared`);
  }
  if (json) {
    io.out(`${jsonText(report)}\n`);
    for (const line of written) io.err(`${line}\n`);
    return;
  }
  // What is played again has its report already.
  if (options.replay === undefined) written.push(...nextSteps(report, options.report));
  const lines = textReport(report, { color: io.color, width: io.columns });
  io.out(`${[...lines, ...written].join('\n')}\n`);
}
