// `sandbox questions`: what the specification leaves open, what the simulator does, and how to
// change it.
import type { Command } from 'commander';
import { questions } from '../../../fixtures/questions.ts';
import { defaultSettings, settingSpecs } from '../../../fixtures/settings.ts';
import { addHelp } from '../help-text.ts';
import { sandboxVerb } from './verb.ts';

export function questionsCommand(print: (text: string) => void = write): Command {
  const command = sandboxVerb('questions')
    .description('what the specification leaves open, and the setting for each')
    .option('--json', 'as JSON');
  addHelp(command, { examples: ['npx sandbox questions', 'npx sandbox questions --json'] });
  return command.action(({ json }: { json?: boolean }) => {
    print(json ? `${JSON.stringify({ questions: rows() }, null, 2)}\n` : `${lines().join('\n')}\n`);
  });
}

function rows() {
  return questions.map(({ id, question, choice, settings }) => ({
    id,
    question,
    choice,
    settings: settings.map((name) => ({
      name,
      default: defaultSettings[name],
      description: settingSpecs[name].description,
    })),
  }));
}

function lines(): string[] {
  const shown = rows().flatMap(({ id, question, choice, settings }) => [
    `${id}  ${question}`,
    `  ${choice}`,
    ...settings.map((setting) => `    ${setting.name} = ${JSON.stringify(setting.default)}`),
    '',
  ]);
  return [
    ...shown,
    'Change them in sandbox.config.json: {"settings": {"settlement_delay_ms": 500}}',
  ];
}

function write(text: string): void {
  process.stdout.write(text);
}
