// `conformance replay REPORT SCENARIO`: prints what a scenario sent as a script of curl commands;
// for a check of a receiver its id is enough.
import type { Command } from 'commander';
import { isExploreReport, scriptIn } from '../../../conformance/explore/findings/again.ts';
import type { Check } from '../../../conformance/receiver/check.ts';
import { allChecks } from '../../../conformance/receiver/checks.ts';
import { receiverScript } from '../../../conformance/receiver/replay-script.ts';
import { replayScript } from '../../../conformance/reports/replay/replay-script.ts';
import type { Report, ReportScenario } from '../../../conformance/reports/report.ts';
import { receiverMark } from '../../../conformance/reports/verdict-words.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp, type HelpText } from '../help-text.ts';
import { REPORT_ADVICE, readingReport, readJson, reportIn } from './input-files.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';

const help: HelpText = {
  words: [
    'The script compares each answer with the recorded one and says what differs. It ends with 0 when what deviated is not seen again, with 1 when it is, with 2 when something is not set, and with 3 when it cannot be compared; from a report in which nothing deviated with 0 when all is as it was, and 1 when it is not.',
    'The report of an explorer holds its script whole, and it is printed as it stands: from a stranger it is a stranger’s program, to be read before it is run.',
  ],
  examples: [
    'npx conformance replay report.json bulk-sizes \\',
    '  | BASE_URL=http://127.0.0.1:7420 bash',
    'npx conformance replay RCV-refuses-no-t \\',
    '  | URL=http://127.0.0.1:3000/hooks SECRET=whsec_… bash',
  ],
};

export function defineReplay(command: Command): void {
  addHelp(command, help);
  command
    .argument('<report>', 'a JSON report (conformance run --report json=FILE), or a receiver check')
    .argument('[scenario]', 'one of its scenarios, or of the differences of an explorer’s report')
    .action((report: string, scenario: string | undefined) => {
      const io = systemJudgeIo(manifest.version);
      try {
        io.out(scenario === undefined ? replayCheck(report) : replay(report, scenario, io));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        io.err(`error: ${error.message}\n`);
        process.exitCode = 2;
      }
    });
}

function findCheck(id: string): Check | undefined {
  return allChecks.find((each) => each.id.toLowerCase() === id.toLowerCase());
}

function replayCheck(id: string): string {
  const check = findCheck(id);
  if (check !== undefined) return receiverScript(check);
  throw new UsageError(
    /^RCV-/i.test(id)
      ? `there is no receiver check "${id}"; conformance list shows them`
      : 'SCENARIO is missing: name one of the report, or give the id of a receiver check alone',
  );
}

export function replay(file: string, id: string, io: JudgeIo): string {
  const document = readJson('REPORT', file, io.cwd, REPORT_ADVICE);
  if (isExploreReport(document)) return exploredScript(document, file, id);
  const given = reportIn(document, 'REPORT', file);
  const scenario = given.scenarios.find((each) => each.id === id);
  if (scenario === undefined) throw new UsageError(`SCENARIO: ${file} has no scenario "${id}"`);
  const check = given.mark === receiverMark ? findCheck(id) : undefined;
  if (check !== undefined) return receiverScript(check, { url: given.target.base_url });
  if (scenario.exchanges.length === 0) {
    const why = scenario.why === null ? '' : `: ${scenario.why}`;
    throw new UsageError(`SCENARIO: "${id}" sent nothing in that run${why}`);
  }
  const unsafe = findUnsafe(given, scenario);
  if (unsafe !== null) {
    throw new UsageError(
      `REPORT: ${unsafe} of "${id}" is not as a run writes it; ${REPORT_ADVICE}`,
    );
  }
  return replayScript(given, scenario);
}

function exploredScript(report: object, file: string, id: string): string {
  const script = readingReport('REPORT', file, () => scriptIn(report, id));
  if (typeof script === 'string') return script;
  if (script === undefined) throw new UsageError(`SCENARIO: ${file} has no difference "${id}"`);
  const why =
    'no script shows a delivery, the events channel or very many calls;' +
    ' conformance explore --replay plays it again';
  throw new UsageError(`SCENARIO: ${id}: ${why}`);
}

/** What stands in a script as it is, or tells curl what to do, and how a run writes it. */
const forms = {
  url: /^https?:\/\/\S+$/,
  word: /^[\w-]{1,80}$/,
  header: /^[!#$%&'*+.^_`|~\w-]+$/,
  method: /^[A-Za-z-]{1,40}$/,
  step: /^\d{1,9}$/,
} as const;

/**
 * A report is a file, and may come from anybody: the first member that would be more than a word to
 * the shell, or null when a script can be made.
 */
function findUnsafe({ mark, target, rules }: Report, { exchanges }: ReportScenario): string | null {
  const { base_url: base, control_url: control, headers = [] } = target;
  if (!forms.url.test(String(base))) return 'target.base_url';
  if (control !== null && !forms.url.test(String(control))) return 'target.control_url';
  if (!headers.every((name) => forms.header.test(String(name)))) return 'target.headers';
  if (!forms.word.test(String(mark))) return 'mark';
  const cited = rules.flatMap(({ findings }) => findings.flatMap((each) => each.exchanges));
  if (!cited.every(isStep)) return 'rules[].findings[].exchanges';
  for (const [at, { n, as, kind, request }] of exchanges.entries()) {
    const place = `exchanges[${at}]`;
    if (!isStep(n)) return `${place}.n`;
    if (as !== null && !forms.word.test(String(as))) return `${place}.as`;
    if (!forms.method.test(String(request.method))) return `${place}.request.method`;
    const names = request.headers.map(([name]) => name);
    if (!names.every((name) => forms.header.test(name))) return `${place}.request.headers`;
    if (kind === 'operator' && !isList(request.body)) return `${place}.request.body`;
  }
  return null;
}

/** What an operator was asked for is told as a list of its arguments. */
function isList(body: string | null): boolean {
  try {
    return Array.isArray(JSON.parse(body ?? '[]'));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const isStep = (n: unknown) => typeof n === 'number' && forms.step.test(String(n));
