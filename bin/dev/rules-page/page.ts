// The page of rules and open questions, as Markdown.
import { questions } from '../../../fixtures/questions.ts';
import { ruleFamilies } from '../../../fixtures/rules.ts';

/** Everything that the registers say, family by family, then the open questions by number. */
export function rulesPage(): string {
  return `${[...opening(), ...ruleFamilies.flatMap(familyLines), ...questionLines()].join('\n')}\n`;
}

function opening(): string[] {
  const count = ruleFamilies.reduce((sum, { rules }) => sum + rules.length, 0);
  return [
    '# The rules and the open questions',
    '',
    `The specification as ${count} rules that a client or a test can hold the service to, and`,
    `${questions.length} questions that it leaves open. Code, scenarios, deviations, reports and the dashboard name`,
    'them by these ids; `npx conformance list` shows them too, `npx conformance explain ID` one of them.',
    'This page is written by `npx tsx bin/dev/rules-page.ts`.',
  ];
}

function familyLines({ title, prefix, rules }: (typeof ruleFamilies)[number]): string[] {
  const rows = rules.map(
    ({ id, words, needs }) => `| ${id} | ${cell(words)} | ${needs.join(' ')} |`,
  );
  return [
    '',
    `## ${title} (${prefix})`,
    '',
    '| rule | in words | needs |',
    '|---|---|---|',
    ...rows,
  ];
}

function questionLines(): string[] {
  const rows = questions.map(({ id, question, choice, settings }) => {
    const names = settings.map((name) => `\`${name}\``).join(' ');
    return `| ${id} | ${cell(question)} | ${cell(choice)} | ${names} |`;
  });
  return [
    '',
    '## Open questions (NS)',
    '',
    'None of these can be a deviation. The simulator makes one choice for each; where there is a setting, a',
    'configuration file changes it.',
    '',
    '| question | what is open | the simulator’s choice | settings |',
    '|---|---|---|---|',
    ...rows,
  ];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
