// `conformance explain ID`: what a rule, a scenario, an open question or a profile field is about;
// what is sent is shown by playing it on a sandbox of its own, in process.
import type { Command } from 'commander';
import {
  checks as clientChecks,
  explainClientCheck,
} from '../../../conformance/client/checks/all.ts';
import { CAPABILITIES } from '../../../conformance/engine/capabilities.ts';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { fetchSender } from '../../../conformance/engine/send/sender.ts';
import type { Scenario, ScenarioResult } from '../../../conformance/engine/types.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { allChecks } from '../../../conformance/receiver/checks.ts';
import { explainCheck } from '../../../conformance/receiver/explain.ts';
import { exchangeLines, reportExchange } from '../../../conformance/reports/exchanges.ts';
import { wrapText } from '../../../conformance/reports/plain-text.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { findQuestion, type Question, questions } from '../../../fixtures/questions.ts';
import { findFamily, needWords, type Rule, rules } from '../../../fixtures/rules.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp } from '../help-text.ts';
import { suggestIds } from '../suggest-ids.ts';
import { explainFields } from './init.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';

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
    .action(async (id: string, { short }: { short?: boolean }) => {
      const io = systemJudgeIo(manifest.version);
      try {
        io.out(`${(await explain(id, io, short !== true)).join('\n')}\n`);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        io.err(`error: ${error.message}\n`);
        process.exitCode = 2;
      }
    });
}

/** Throws UsageError for an id that stands for nothing. */
export async function explain(id: string, io: JudgeIo, sent: boolean): Promise<string[]> {
  const width = Math.max(60, Math.min(io.columns, 100));
  const same = (each: { readonly id: string }) => each.id.toLowerCase() === id.toLowerCase();
  const rule = rules.find(same);
  const scenario = scenarios.find(same);
  if (rule !== undefined) {
    const own = scenarios.filter((each) => each.rules.includes(rule.id));
    return [...ruleLines(rule, width), '', ...(await scenarioLines(own, sent, width, rule.id))];
  }
  if (scenario !== undefined) return scenarioLines([scenario], sent, width);
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

async function scenarioLines(
  own: readonly Scenario[],
  sent: boolean,
  width: number,
  rule?: string,
): Promise<string[]> {
  if (own.length === 0) return ['No scenario tries it.'];
  const results = sent ? await playOnSandbox(own) : [];
  return own.flatMap((scenario) => {
    const { id, title, needs = [] } = scenario;
    const result = results.find((each) => each.id === id);
    return [
      `${id}`,
      ...wrapText(title, width - 2).map((each) => `  ${each}`),
      `  judges ${scenario.rules.join(', ')}`,
      ...(scenario.observes ?? []).map((each) => `  observes ${each}: ${questionWords(each)}`),
      ...needs.map((need) => `  needs ${need}: ${CAPABILITIES[need].add}`),
      ...(result === undefined ? [] : playedLines(result, width, rule)),
      '',
    ];
  });
}

function questionWords(id: Question['id']): string {
  return findQuestion(id).question;
}

function playedLines(result: ScenarioResult, width: number, rule: string | undefined): string[] {
  const redactor = new Redactor();
  const wanted = result.findings.filter(
    (each) => rule === undefined || each.rules.some((id) => id === rule),
  );
  return [
    '  expects',
    ...wanted.flatMap(({ rules: tags, expected, exchanges }) => {
      const where = exchanges.length === 0 ? '' : ` (exchange ${exchanges.join(', ')})`;
      return wrapText(redactor.text(`${tags.join(' ')}: ${expected}${where}`), width - 6).map(
        (each, n) => (n === 0 ? `    ${each}` : `      ${each}`),
      );
    }),
    '  sends, as played on a sandbox',
    ...result.exchanges.flatMap((each) =>
      exchangeLines(reportExchange(each, redactor), width - 4).map((line) => `    ${line}`),
    ),
  ];
}

/** Plays scenarios on a sandbox in this process: no socket, nothing outside is touched. */
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
