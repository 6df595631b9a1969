// `conformance list`: every rule with the scenarios that test it and their requirements, the open
// questions, and the checks of receivers and clients.
import type { Command } from 'commander';
import { checks as clientChecks } from '../../../conformance/client/checks/all.ts';
import { CAPABILITIES, type Capability, laneOf } from '../../../conformance/engine/capabilities.ts';
import { globTest } from '../../../conformance/engine/run/select.ts';
import { expectedOf, groupWords } from '../../../conformance/receiver/check.ts';
import { allChecks } from '../../../conformance/receiver/checks.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { questions } from '../../../fixtures/questions.ts';
import { ruleFamilies, rules } from '../../../fixtures/rules.ts';
import { addHelp } from '../help-text.ts';
import { systemIo, UsageError } from '../io.ts';

export function defineList(command: Command, io = systemIo()): void {
  addHelp(command, { examples: ['npx conformance list', "npx conformance list IDEM 'RCV-*'"] });
  command
    .argument('[glob...]', 'list only these ids, or families such as IDEM; * stands for any text')
    .option('--json', 'everything, as JSON')
    .action((globs: string[], { json }: { json?: boolean }) => {
      const text = json ? JSON.stringify(listing(), null, 1) : listLines(globs).join('\n');
      io.out(`${text}\n`);
    });
}

const scenariosOf = (rule: string) =>
  scenarios.filter((each) => each.rules.some((id) => id === rule));

/** For scripts. */
function listing() {
  return {
    rules: rules.map(({ id, words, needs }) => {
      return { id, words, needs, scenarios: scenariosOf(id).map((each) => each.id) };
    }),
    scenarios: scenarios.map((each) => {
      const { id, title, rules: own, observes = [], needs = [] } = each;
      return { id, title, rules: own, observes, needs, lane: laneOf(each) };
    }),
    needs: (Object.keys(CAPABILITIES) as Capability[]).map((id) => {
      return { id, catalogue: CAPABILITIES[id].coarse, add: CAPABILITIES[id].add };
    }),
    receiver_checks: allChecks.map((check) => {
      return { id: check.id, group: check.group, title: check.title, expected: expectedOf(check) };
    }),
    client_checks: clientChecks.map(({ id, title, expected, rules: own }) => {
      return { id, title, expected, rules: own };
    }),
  };
}

function listLines(globs: readonly string[]): string[] {
  const tests = globs.map(globTest);
  const isWanted = (...ids: readonly string[]) =>
    tests.length === 0 || ids.some((id) => tests.some((isMeant) => isMeant(id)));
  const line = (id: string, words: string) => `    ${id.padEnd(34)} ${words}`;
  const inBrackets = (needs: readonly string[]) =>
    needs.length === 0 ? '' : ` [${needs.join(', ')}]`;
  const listed = <T extends { readonly id: string }>(
    items: readonly T[],
    words: (item: T) => string,
  ) =>
    items
      .filter(({ id }) => isWanted(id, id.split('-')[0]!))
      .map((each) => line(each.id, words(each)));
  const needed = [...new Set(scenarios.flatMap(({ needs = [] }) => needs))].sort();
  const families = ruleFamilies.map(({ title, prefix, rules: own }): Section => {
    const lines = own.flatMap(({ id, words, needs }) => {
      const played = scenariosOf(id);
      if (!isWanted(prefix, id, ...played.map((each) => each.id))) return [];
      return [
        `  ${id.padEnd(10)} ${words}${inBrackets(needs)}`,
        ...played.map((each) => `              ${each.id}${inBrackets(each.needs ?? [])}`),
      ];
    });
    return [`${prefix}: ${title}`, lines];
  });
  const sections: readonly Section[] = [
    ...families,
    [
      'NS: open questions, which are observed and never judged',
      listed(questions, ({ question }) => question),
    ],
    [
      'In brackets: needs. A control plane provides all of them, a profile can provide:',
      globs.length > 0 ? [] : needed.map((need) => line(need, CAPABILITIES[need].add)),
    ],
    [
      'Checks of conformance receiver:',
      listed(allChecks, ({ title, group }) => `${groupWords[group]}: ${title}`),
    ],
    ['Checks of conformance client:', listed(clientChecks, ({ title }) => title)],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  if (shown.length === 0) {
    throw new UsageError(
      `nothing is called ${globs.join(' or ')}; without a name everything is listed`,
    );
  }
  const counts = `${rules.length} rules, ${scenarios.length} scenarios, ${questions.length} open questions`;
  const checks = `${allChecks.length} receiver checks, ${clientChecks.length} client checks`;
  return [
    ...shown.flatMap(([title, lines]) => [title, ...lines, '']),
    `In all: ${counts}, ${checks}. More: conformance explain ID`,
  ];
}

type Section = readonly [title: string, lines: readonly string[]];
