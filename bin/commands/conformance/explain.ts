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
import {
  code,
  facts,
  heading,
  item,
  list,
  type Part,
  words,
} from '../../../conformance/reports/parts.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import { textOf } from '../../../conformance/reports/text.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { findQuestion, type Question, questions } from '../../../fixtures/questions.ts';
import { findFamily, needWords, type Rule, rules } from '../../../fixtures/rules.ts';
import { addHelp } from '../help-text.ts';
import { suggestIds } from '../suggest-ids.ts';
import { explainFields } from './init.ts';
import { systemIo, UsageError } from './io.ts';

/** How much is shown of what is sent: nothing, as much as fits on a page, or everything. */
type Detail = 'short' | 'page' | 'full';

/** Columns of a line of an exchange. */
const WIDTH = 96;
/** What a page shows: scenarios that it plays for a rule, expectations, and exchanges. */
const PLAYED = 3;
const EXPECTATIONS_SHOWN = 8;
const EXCHANGES_SHOWN = 12;
const EXAMPLES_SHOWN = 3;

export function defineExplain(command: Command, io = systemIo()): void {
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
      const width = Math.min(io.columns, 100);
      const fields = id === 'profile' ? explainFields(width) : explainFields(width, id);
      const parts = await explain(id, full ? 'full' : short ? 'short' : 'page');
      if (parts === undefined && fields.length === 0) throw unknown(id);
      const lines = parts === undefined ? fields : textOf(parts, { color: io.color, width });
      io.out(`${lines.join('\n').trimStart()}\n`);
    });
}

function unknown(id: string): UsageError {
  const what = 'no rule, scenario, open question, receiver or client check, or field of a profile';
  const ids = [rules, scenarios, questions, allChecks, clientChecks].flat().map((each) => each.id);
  const advice = suggestIds(id, ids) || '; conformance list shows what there is';
  return new UsageError(`"${id}" is ${what}${advice}`);
}

async function explain(id: string, detail: Detail): Promise<readonly Part[] | undefined> {
  const same = (each: { readonly id: string }) => each.id.toLowerCase() === id.toLowerCase();
  const rule = rules.find(same);
  if (rule !== undefined) return rulePage(rule, detail);
  const scenario = scenarios.find(same);
  if (scenario !== undefined) return scenarioPage(scenario, detail);
  const question = questions.find(same);
  if (question !== undefined) return questionPage(question);
  const check = allChecks.find(same);
  if (check !== undefined) return explainCheck(check);
  const clientCheck = clientChecks.find(same);
  return clientCheck === undefined ? undefined : explainClientCheck(clientCheck);
}

function questionPage({ id, question, choice, where, settings }: Question): Part[] {
  const own = scenarios.filter((each) => each.observes?.includes(id));
  return [
    heading(`${id}  open: the specification does not say, so no answer to it is ever a deviation`),
    ...facts([
      ['question', question],
      ['simulator', choice],
      ['where', where],
      ['settings', settings.join(', ') || 'none'],
      ['seen by', own.map((each) => each.id).join(', ') || 'no scenario'],
    ]),
  ];
}

async function rulePage(rule: Rule, detail: Detail): Promise<Part[]> {
  const own = scenarios.filter((each) => each.rules.includes(rule.id));
  const parts = [
    heading(`${rule.id}  ${findFamily(rule.id).title}`),
    words(rule.words),
    ...list(rule.needs.map((need) => item(needWords[need], `needs ${need}`))),
    heading(`Tested by ${count(own.length, 'scenario')}`),
    ...list(own.map(({ id, title }) => item(title, id))),
  ];
  if (detail === 'short' || own.length === 0) return parts;
  if (detail === 'full') {
    return [...parts, ...(await Promise.all(own.map((each) => scenarioPage(each, detail)))).flat()];
  }
  const results = await playOnSandbox(own.slice(0, PLAYED));
  const expected = results.flatMap(({ id, findings }) =>
    findings
      .filter(({ rules: tags }) => tags.some((tag) => tag === rule.id))
      .map((each) => ({ ...each, scenario: id })),
  );
  const texts = [...new Set(expected.map((each) => redactor.text(each.expected)))];
  const example = expected[0]?.scenario;
  const cited = new Set(
    expected.flatMap(({ scenario, exchanges }) => (scenario === example ? exchanges : [])),
  );
  const sent = results.find(({ id }) => id === example)?.exchanges ?? [];
  return [
    ...parts,
    heading('They expect'),
    ...list(texts.slice(0, EXPECTATIONS_SHOWN).map((text) => item(text))),
    ...more(texts.length - EXPECTATIONS_SHOWN, 'expectation'),
    heading(`For example, in ${example}`),
    ...exchangePart(sent.filter(({ n }) => cited.has(n)).slice(0, EXAMPLES_SHOWN)),
    words(`npx conformance explain ${own[0]!.id} shows one scenario; --full shows everything.`),
  ];
}

async function scenarioPage(scenario: Scenario, detail: Detail): Promise<Part[]> {
  const { id, title, needs = [], observes = [] } = scenario;
  const parts = [
    heading(id),
    words(title),
    ...list([
      item(scenario.rules.join(', '), 'judges'),
      ...observes.map((each) => item(findQuestion(each).question, `observes ${each}`)),
      ...needs.map((need) => item(CAPABILITIES[need].add, `needs ${need}`)),
    ]),
  ];
  if (detail === 'short') return parts;
  const [result] = await playOnSandbox([scenario]);
  const { findings = [], exchanges = [] } = result ?? {};
  const most = detail === 'full' ? Number.POSITIVE_INFINITY : EXCHANGES_SHOWN;
  return [
    ...parts,
    heading('expects'),
    ...list(
      findings.slice(0, most).map(({ rules: tags, expected, exchanges: cited }) => {
        const where = cited.length === 0 ? '' : ` (exchange ${cited.join(', ')})`;
        return item(`${redactor.text(expected)}${where}`, tags.join(' '));
      }),
    ),
    ...more(findings.length - most, 'expectation'),
    heading('sends, as played on a sandbox'),
    ...exchangePart(exchanges.slice(0, most)),
    ...more(exchanges.length - most, 'exchange'),
  ];
}

const redactor = new Redactor();

function exchangePart(exchanges: readonly Exchange[]): Part[] {
  return code(exchanges.flatMap((each) => exchangeLines(reportExchange(each, redactor), WIDTH)));
}

function more(rest: number, noun: string): Part[] {
  return rest > 0 ? [words(`and ${count(rest, `more ${noun}`)} (--full)`)] : [];
}

/** Plays scenarios on a sandbox in this process, without a socket. */
async function playOnSandbox(own: readonly Scenario[]): Promise<readonly ScenarioResult[]> {
  const { createSandbox } = await import('../../../simulator/index.ts');
  const sandbox = await createSandbox({ clock: 'frozen' });
  try {
    const baseUrl = 'http://sandbox.test';
    const sender = fetchSender((request) => sandbox.fetch(request));
    const provider = await controlProvider({ baseUrl, controlUrl: `${baseUrl}/_sandbox`, sender });
    try {
      return (await runScenarios({ scenarios: own, provider, sender })).scenarios;
    } finally {
      await provider.close();
    }
  } finally {
    await sandbox.close();
  }
}
