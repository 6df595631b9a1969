// `conformance explain ID`: explains a rule, a scenario, an open question, a check or a profile field.
// To show the requests of a scenario, it plays the scenario on a sandbox in this process.
import type { Command } from 'commander';
import {
  checks as clientChecks,
  explainClientCheck,
} from '../../../conformance/client/checks/all.ts';
import { CAPABILITIES } from '../../../conformance/engine/capabilities.ts';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { fetchSender } from '../../../conformance/engine/send/sender.ts';
import type { Scenario } from '../../../conformance/engine/types.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { profileFields } from '../../../conformance/providers/profile.ts';
import { allChecks } from '../../../conformance/receiver/checks.ts';
import { explainCheck } from '../../../conformance/receiver/report.ts';
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
import { systemIo, UsageError } from '../io.ts';
import { suggestIds } from '../suggest-ids.ts';
import { explainFields } from './init.ts';

/** Width of a line of an exchange, in columns. */
const WIDTH = 96;
/** The most expectations and exchanges on a page. */
const SHOWN = 12;

export function defineExplain(command: Command, io = systemIo()): void {
  addHelp(command, {
    examples: [
      'npx conformance explain IDEM-4b',
      'npx conformance explain CLT-answer-lost',
      'npx conformance explain credentials.firm',
    ],
  });
  command
    .argument('<id>', 'such as IDEM-4b, bulk-sizes, NS-6, RCV-refuses-no-t or credentials.firm')
    .action(async (id: string) => {
      const width = Math.min(io.columns, 100);
      const fields = id === 'profile' ? explainFields(width) : explainFields(width, id);
      const [, page] = PAGES.find(([each]) => each.toLowerCase() === id.toLowerCase()) ?? [];
      const parts = await page?.();
      if (parts === undefined && fields.length === 0) throw unknown(id);
      const lines = parts === undefined ? fields : textOf(parts, { color: io.color, width });
      io.out(`${lines.join('\n').trimStart()}\n`);
    });
}

type Page = readonly Part[] | Promise<readonly Part[]>;

/** Everything with an id, and the page about it. */
const PAGES: readonly (readonly [id: string, page: () => Page])[] = [
  ...rules.map((each) => [each.id, () => rulePage(each)] as const),
  ...scenarios.map((each) => [each.id, () => scenarioPage(each)] as const),
  ...questions.map((each) => [each.id, () => questionPage(each)] as const),
  ...allChecks.map((each) => [each.id, () => explainCheck(each)] as const),
  ...clientChecks.map((each) => [each.id, () => explainClientCheck(each)] as const),
];

function unknown(id: string): UsageError {
  const what = 'a rule, a scenario, an open question, a check or a field of a profile';
  const fields = profileFields().map(({ path }) => path.join('.'));
  const ids = [...PAGES.map(([each]) => each), ...fields];
  const advice = suggestIds(id, ids) || '; conformance list shows what there is';
  return new UsageError(`"${id}" is not ${what}${advice}`);
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

async function rulePage({ id, words: text, needs }: Rule): Promise<Part[]> {
  const own = scenarios.filter((each) => each.rules.includes(id));
  return [
    heading(`${id}  ${findFamily(id).title}`),
    words(text),
    ...list(needs.map((need) => item(needWords[need], `needs ${need}`))),
    heading(`Tested by ${count(own.length, 'scenario')}`),
    ...list(own.map((each) => item(each.title, each.id))),
    ...(own[0] === undefined ? [] : await played(own[0], id)),
  ];
}

async function scenarioPage(scenario: Scenario): Promise<Part[]> {
  const { id, title, needs = [], observes = [] } = scenario;
  return [
    heading(id),
    words(title),
    ...list([
      item(scenario.rules.join(', '), 'judges'),
      ...observes.map((each) => item(findQuestion(each).question, `observes ${each}`)),
      ...needs.map((need) => item(CAPABILITIES[need].add, `needs ${need}`)),
    ]),
    ...(await played(scenario)),
  ];
}

/** The expectations and requests of a scenario, or one example of a rule. */
async function played(scenario: Scenario, rule?: string): Promise<Part[]> {
  const { findings, exchanges } = await playOnSandbox(scenario);
  const tagged = findings.filter(({ rules: tags }) => tags.some((tag) => tag === rule));
  const examples = tagged.filter((each) => each.exchanges.length > 0).slice(0, 1);
  const own = rule === undefined ? findings : examples;
  const sent = exchanges.filter(
    ({ n }) => rule === undefined || examples.some((each) => each.exchanges.includes(n)),
  );
  const redactor = new Redactor();
  const first = sent.slice(0, SHOWN).map((each) => reportExchange(each, redactor));
  const more = (rest: number, noun: string) =>
    rest > 0 ? [words(`and ${count(rest, `more ${noun}`)}`)] : [];
  return [
    heading(`${scenario.id} expects`),
    ...list(
      own.slice(0, SHOWN).map(({ rules: tags, expected, exchanges: all }) => {
        const where = all.length === 0 ? '' : ` (exchange ${all.join(', ')})`;
        return item(`${redactor.text(expected)}${where}`, tags.join(' '));
      }),
    ),
    ...more(own.length - SHOWN, 'expectation'),
    heading(`${scenario.id} sends, as played on a sandbox`),
    ...code(first.flatMap((each) => exchangeLines(each, WIDTH))),
    ...more(sent.length - SHOWN, 'exchange'),
    ...(rule === undefined ? [] : [words(`npx conformance explain ${scenario.id} shows the rest`)]),
  ];
}

/** Plays a scenario on a sandbox in this process, without a socket. */
async function playOnSandbox(scenario: Scenario) {
  const { createSandbox } = await import('../../../simulator/index.ts');
  const sandbox = await createSandbox({ clock: 'frozen' });
  try {
    const baseUrl = 'http://sandbox.test';
    const sender = fetchSender((request) => sandbox.fetch(request));
    const provider = await controlProvider({ baseUrl, controlUrl: `${baseUrl}/_sandbox`, sender });
    try {
      const { scenarios: results } = await runScenarios({
        scenarios: [scenario],
        provider,
        sender,
      });
      return results[0]!;
    } finally {
      await provider.close();
    }
  } finally {
    await sandbox.close();
  }
}
