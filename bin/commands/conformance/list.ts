// `conformance list`: every rule with the scenarios that test it and what they need, and the checks
// of receivers and clients.
import type { Command } from 'commander';
import { checks as clientChecks } from '../../../conformance/client/checks/all.ts';
import { CAPABILITIES, type Capability } from '../../../conformance/engine/capabilities.ts';
import {
  type Check,
  expectedOf,
  type Group,
  groupWords,
} from '../../../conformance/receiver/check.ts';
import { allChecks } from '../../../conformance/receiver/checks.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { ruleFamilies, rules } from '../../../fixtures/rules.ts';
import { addHelp } from '../help-text.ts';

export function defineList(command: Command): void {
  addHelp(command, {
    examples: ['npx conformance list', 'npx conformance list --json'],
  });
  command.option('--json', 'as JSON').action(({ json }: { json?: boolean }) => {
    const print = json ? `${JSON.stringify(listing(), null, 1)}\n` : `${listLines().join('\n')}\n`;
    process.stdout.write(print);
  });
}

/** For scripts. */
function listing() {
  const trying = (rule: string) =>
    scenarios.filter((each) => each.rules.some((id) => id === rule)).map(({ id }) => id);
  return {
    rules: rules.map(({ id, words, needs }) => ({ id, words, needs, scenarios: trying(id) })),
    scenarios: scenarios.map((each) => ({
      id: each.id,
      title: each.title,
      rules: each.rules,
      observes: each.observes ?? [],
      needs: each.needs ?? [],
      lane: each.lane ?? 'shared',
    })),
    needs: (Object.keys(CAPABILITIES) as Capability[]).map((need) => ({
      id: need,
      catalogue: CAPABILITIES[need].coarse,
      add: CAPABILITIES[need].add,
    })),
    receiver_checks: allChecks.map((check) => ({
      id: check.id,
      group: check.group,
      title: check.title,
      expected: expectedOf(check),
    })),
    client_checks: clientChecks.map(({ id, title, expected, rules: own }) => ({
      id,
      title,
      expected,
      rules: own,
    })),
  };
}

function listLines(): string[] {
  const lines: string[] = [];
  for (const { title, prefix, rules: own } of ruleFamilies) {
    lines.push(`${prefix}: ${title}`);
    for (const { id, words, needs } of own) {
      const wants = needs.length === 0 ? '' : ` [${needs.join(', ')}]`;
      lines.push(`  ${id.padEnd(10)} ${words}${wants}`);
      for (const scenario of scenarios.filter((each) => each.rules.includes(id))) {
        const lacks = scenario.needs ?? [];
        lines.push(
          `  ${' '.repeat(12)}${scenario.id}${lacks.length ? `: ${lacks.join(', ')}` : ''}`,
        );
      }
    }
    lines.push('');
  }
  const wanted = new Set(scenarios.flatMap((each) => each.needs ?? []));
  lines.push('What scenarios need; a control plane provides all of it, a profile can provide:');
  for (const need of [...wanted].sort())
    lines.push(`  ${need.padEnd(26)} ${CAPABILITIES[need].add}`);
  lines.push('');
  lines.push('Checks of conformance receiver:', ...checkLines(), '');
  lines.push('Checks of conformance client:');
  lines.push(...clientChecks.map(({ id, title }) => `    ${id.padEnd(34)} ${title}`), '');
  const counts = `${rules.length} rules, ${scenarios.length} scenarios`;
  const checks = `${allChecks.length} receiver checks, ${clientChecks.length} client checks`;
  lines.push(`${counts}, ${checks}. More: conformance explain ID`);
  return lines;
}

function checkLines(): string[] {
  const line = ({ id, title }: Check) => `    ${id.padEnd(34)} ${title}`;
  return (Object.keys(groupWords) as Group[]).flatMap((group) => [
    `  ${groupWords[group]}`,
    ...allChecks.filter((check) => check.group === group).map(line),
  ]);
}
