// `conformance list`: every rule with the scenarios that test it and their requirements, and the checks
// of receivers and clients.
import type { Command } from 'commander';
import { checks as clientChecks } from '../../../conformance/client/checks/all.ts';
import { CAPABILITIES, type Capability, laneOf } from '../../../conformance/engine/capabilities.ts';
import { expectedOf, groupWords } from '../../../conformance/receiver/check.ts';
import { allChecks } from '../../../conformance/receiver/checks.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { ruleFamilies, rules } from '../../../fixtures/rules.ts';
import { addHelp } from '../help-text.ts';
import { systemIo } from '../io.ts';

export function defineList(command: Command, io = systemIo()): void {
  addHelp(command, { examples: ['npx conformance list', 'npx conformance list --json'] });
  command.option('--json', 'as JSON').action(({ json }: { json?: boolean }) => {
    const text = json ? JSON.stringify(listing(), null, 1) : listLines().join('\n');
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

function listLines(): string[] {
  const wanted = [...new Set(scenarios.flatMap(({ needs = [] }) => needs))].sort();
  const line = (id: string, words: string) => `    ${id.padEnd(34)} ${words}`;
  const inBrackets = (needs: readonly string[]) =>
    needs.length === 0 ? '' : ` [${needs.join(', ')}]`;
  const counts = `${rules.length} rules, ${scenarios.length} scenarios`;
  const checks = `${allChecks.length} receiver checks, ${clientChecks.length} client checks`;
  return [
    ...ruleFamilies.flatMap(({ title, prefix, rules: own }) => [
      `${prefix}: ${title}`,
      ...own.flatMap(({ id, words, needs }) => [
        `  ${id.padEnd(10)} ${words}${inBrackets(needs)}`,
        ...scenariosOf(id).map((each) => `              ${each.id}${inBrackets(each.needs ?? [])}`),
      ]),
      '',
    ]),
    'What scenarios need; a control plane provides all of it, a profile can provide:',
    ...wanted.map((need) => line(need, CAPABILITIES[need].add)),
    '',
    'Checks of conformance receiver:',
    ...allChecks.map(({ id, title, group }) => line(id, `${groupWords[group]}: ${title}`)),
    '',
    'Checks of conformance client:',
    ...clientChecks.map(({ id, title }) => line(id, title)),
    '',
    `${counts}, ${checks}. More: conformance explain ID`,
  ];
}
