// `conformance explain ID`: what a rule, a scenario, an open question, a check or a profile field is
// about. What a scenario sends is shown by playing it on a sandbox in this process.
import type { Command } from 'commander';
import {
  checks as clientChecks,
  explainClientCheck,
} from '../../../conformance/client/checks/all.ts';
import { CAPABILITIES } from '../../../conformance/engine/capabilities.ts';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { fetchSender } from '../../../conformance/engine/send/sender.ts';
import type { Exchange, Scenario, ScenarioResult } from '../../../conformance/engine/types.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { allChecks } from '../../../conformance/receiver/checks.ts';
import { explainCheck } from '../../../conformance/receiver/explain.ts';
import { exchangeLines, reportExchange } from '../../../conformance/reports/exchanges.ts';
import { wrapText } from '../../../conformance/reports/plain-text.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { findQuestion, type Question, questions } from '../../../fixtures/questions.ts';
import { findFamily, needWords, type Rule, rules } from '../../../fixtures/rules.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp } from '../help-text.ts';
import { suggestIds } from '../suggest-ids.ts';
import { explainFields } from './init.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';
import { reportingUsage } from './run-interruptibly.ts';

export function defineExplain(command: Command): void {
  addHelp(command, {
    examples: [
      'npx conformance explain IDEM-4b',
      'npx conformance explain CLT-answer-lost --short',
      'npx conformance explain credentials.firm',
    ],
  });
  command
    .argument(
      '<id>',
      'such as IDEM-4b, bulk-sizes, NS-6, RCV-refuses-no-t, CLT-429 or credentials.firm',
    )
    .option('--short', 'leave out what is sent')
    .option('--full', 'show every expectation and every request')
    .action(async (id: string, { short, full }: { short?: boolean; full?: boolean }) => {
      const io = systemJudgeIo(manifest.version);
      const detail = full ? 'full' : short ? 'short' : 'page';
      process.exitCode = await reportingUsage(io, async () => {
        io.out(`${(await explain(id, io, detail)).join('\n')}\n`);
        return 0;
      });
    });
}

/** How much is shown of what is sent: nothing, as much as fits on a page, or everything. */
type Detail = 'short' | 'page' | 'full';

/** Throws UsageError for an unknown id. */
export async function explain(id: string, io: JudgeIo, detail: Detail): Promise<string[]> {
  const width = Math.max(60, Math.min(io.columns, 100));
  const same = (each: { readonly id: string }) => each.id.toLowerCase() === id.toLowerCase();
  const rule = rules.find(same);
  const scenario = scenarios.find(same);
  if (rule !== undefined) return rulePage(rule, detail, width);
  if (scenario !== undefined) return scenarioPage(scenario, detail, width);
  const question = questions.find(same);
  if (question !== undefined) return questionLines(question, width);
  const check = allChecks.find(same);
  if (check !== undefined) return explainCheck(check, width);
  const clientCheck = explainClientCheck(id, width);
  if (clientCheck !== null) return [...clientCheck];
  const fields = id === 'profile' ? explainFields(width) : explainFields(width, id);
  if (fields.length > 0) return fields;
  const what = 'no rule, scenario, open question, receiver or client check, or field of a profile';
  const ids = [rules, scenarios, questions, allChecks, clientChecks].flat().map((each) => each.id);
  const advice = suggestIds(id, ids) || '; conformance list shows what there is';
  throw new UsageError(`"${id}" is ${what}${advice}`);
}

function ruleLines(rule: Rule, width: number): string[] {
  return [
    `${rule.id}  ${findFamily(rule.id).title}`,
    ...wrapText(rule.words, width - 2).map((each) => `  ${each}`),
    ...rule.needs.flatMap((need) =>
      wrapText(`needs ${need}: ${needWords[need]}`, width - 4).map((each, n) =>
        n === 0 ? `  ${each}` : `    ${each}`,
      ),
    ),
  ];
}

function questionLines({ id, question, choice, where, settings }: Question, width: number) {
  const own = scenarios.filter((each) => each.observes?.includes(id));
  const labelled = (label: string, text: string) =>
    wrapText(text, width - 14).map((each, n) => `  ${(n === 0 ? label : '').padEnd(12)}${each}`);
  return [
    `${id}  open: the specification does not say, so no answer to it is ever a deviation`,
    ...labelled('question', question),
    ...labelled('simulator', choice),
    ...labelled('where', where),
    ...labelled('settings', settings.join(', ') || 'none'),
    ...labelled('observed by', own.map((each) => each.id).join(', ') || 'no scenario'),
  ];
}

/** Scenarios that a page about a rule plays, and how much it shows of them. */
const PLAYED = 3;
const EXPECTATIONS_SHOWN = 8;
const EXAMPLES_SHOWN = 3;
/** Requests that a page about a scenario shows. */
const REQUESTS_SHOWN = 12;

async function rulePage(rule: Rule, detail: Detail, width: number): Promise<string[]> {
  const own = scenarios.filter((each) => each.rules.includes(rule.id));
  if (own.length === 0) return [...ruleLines(rule, width), '', 'No scenario tests it.'];
  if (detail === 'full') {
    const pages = await Promise.all(own.map((each) => scenarioPage(each, detail, width)));
    return [...ruleLines(rule, width), ...pages.flatMap((page) => ['', ...page])];
  }
  const lines = [
    ...ruleLines(rule, width),
    '',
    `Tested by ${count(own.length, 'scenario')}:`,
    ...own.flatMap(({ id, title }) => item(`  ${id}: `, title, width)),
  ];
  if (detail === 'short') return lines;
  const results = await playOnSandbox(own.slice(0, PLAYED));
  const expected = results.flatMap(({ findings }) =>
    findings.filter(({ rules: tags }) => tags.some((id) => id === rule.id)),
  );
  const words = [...new Set(expected.map((each) => redactor.text(each.expected)))];
  const example = results.find(({ findings }) => findings.some((each) => expected.includes(each)));
  const cited = new Set(
    example?.findings.filter((each) => expected.includes(each)).flatMap((each) => each.exchanges),
  );
  const shown = (example?.exchanges ?? []).filter(({ n }) => cited.has(n)).slice(0, EXAMPLES_SHOWN);
  return [
    ...lines,
    '',
    'They expect:',
    ...words.slice(0, EXPECTATIONS_SHOWN).flatMap((each) => item('  - ', each, width)),
    ...moreLine(words.length - EXPECTATIONS_SHOWN, 'expectation'),
    ...(shown.length === 0 ? [] : ['', `For example, in ${example!.id}:`]),
    ...shown.flatMap((each) => sentLines(each, width)),
    '',
    `npx conformance explain ${own[0]!.id} shows one scenario; --full shows everything.`,
  ];
}

async function scenarioPage(scenario: Scenario, detail: Detail, width: number): Promise<string[]> {
  const { id, title, needs = [], observes = [] } = scenario;
  const lines = [
    id,
    ...item('  ', title, width),
    ...item('  judges ', scenario.rules.join(', '), width),
    ...observes.flatMap((each) => item(`  observes ${each}: `, findQuestion(each).question, width)),
    ...needs.flatMap((need) => item(`  needs ${need}: `, CAPABILITIES[need].add, width)),
  ];
  if (detail === 'short') return lines;
  const [result] = await playOnSandbox([scenario]);
  const { findings = [], exchanges = [] } = result ?? {};
  const most = detail === 'full' ? Number.POSITIVE_INFINITY : REQUESTS_SHOWN;
  return [
    ...lines,
    '  expects',
    ...findings.slice(0, most).flatMap(({ rules: tags, expected, exchanges: cited }) => {
      const where = cited.length === 0 ? '' : ` (exchange ${cited.join(', ')})`;
      return item('    ', `${tags.join(' ')}: ${redactor.text(expected)}${where}`, width);
    }),
    ...moreLine(findings.length - most, 'expectation'),
    '  sends, as played on a sandbox',
    ...exchanges.slice(0, most).flatMap((each) => sentLines(each, width)),
    ...moreLine(exchanges.length - most, 'exchange'),
  ];
}

const redactor = new Redactor();

function sentLines(exchange: Exchange, width: number): string[] {
  return exchangeLines(reportExchange(exchange, redactor), width - 4).map((line) => `    ${line}`);
}

function moreLine(more: number, noun: string): string[] {
  return more > 0 ? [`    and ${count(more, `more ${noun}`)} (--full)`] : [];
}

/** A label with text beside it, wrapped under itself. */
function item(label: string, text: string, width: number): string[] {
  const margin = ' '.repeat(Math.min(label.length, 6));
  const [first = '', ...rest] = wrapText(label + text, width - margin.length);
  return [first, ...rest.map((line) => margin + line)];
}

/** Plays scenarios on a sandbox in this process, without a socket. */
async function playOnSandbox(own: readonly Scenario[]): Promise<readonly ScenarioResult[]> {
  const { createSandbox } = await import('../../../simulator/index.ts');
  const sandbox = await createSandbox({ clock: 'frozen' });
  try {
    const baseUrl = 'http://sandbox.test';
    const sender = fetchSender((request) => sandbox.fetch(request));
    const controlUrl = `${baseUrl}/_sandbox`;
    const provider = await controlProvider({ baseUrl, controlUrl, sender });
    try {
      return (await runScenarios({ scenarios: own, provider, sender })).scenarios;
    } finally {
      await provider.close();
    }
  } finally {
    await sandbox.close();
  }
}
