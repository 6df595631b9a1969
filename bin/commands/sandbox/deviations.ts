// `sandbox deviations`: the named ways in which `sandbox start --deviate` can misbehave.
import type { Command } from 'commander';
import { findRule, rules } from '../../../fixtures/rules.ts';
import { deviations } from '../../../simulator/deviations/register.ts';
import { addHelp } from '../help-text.ts';
import { suggestIds } from '../suggest-ids.ts';
import { sandboxVerb } from './verb.ts';

export function deviationsCommand(print: (text: string) => void = write): Command {
  const command = sandboxVerb('deviations')
    .description('the named wrong behaviours for --deviate, to see your own checks turn red')
    .option('--rule <id>', 'only those that break this rule')
    .option('--json', 'as JSON');
  addHelp(command, {
    examples: [
      'npx sandbox deviations --rule IDEM-4c',
      'npx sandbox start --deviate replay-credits-again',
    ],
  });
  return command.action(({ rule, json }: { rule?: string; json?: boolean }) => {
    if (rule !== undefined && findRule(rule) === undefined) {
      const ids = rules.map(({ id }) => id);
      const advice = suggestIds(rule, ids) || '; conformance list shows them';
      command.error(`error: --rule: there is no rule "${rule}"${advice}`, { exitCode: 2 });
    }
    const chosen = deviations.filter(
      ({ breaks }) => rule === undefined || breaks.some((broken) => broken === rule),
    );
    const rows = chosen.map(({ id, breaks, story }) => ({ id, breaks, story }));
    print(json ? `${JSON.stringify({ deviations: rows }, null, 2)}\n` : `${table(rows)}\n`);
  });
}

interface Row {
  readonly id: string;
  readonly breaks: readonly string[];
  readonly story: string;
}

function table(rows: readonly Row[]): string {
  const widest = Math.max(0, ...rows.map(({ id }) => id.length));
  const lines = rows.map(
    ({ id, breaks, story }) => `${id.padEnd(widest)}  ${breaks.join(' ').padEnd(14)}  ${story}`,
  );
  return [...lines, '', `${rows.length} deviations. Use: sandbox start --deviate ID`].join('\n');
}

function write(text: string): void {
  process.stdout.write(text);
}
