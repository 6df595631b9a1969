// The verbs of `sandbox` that only print: the named deviations, the open questions with their
// settings, and the OpenAPI document.
import type { Command } from 'commander';
import { openapiDocument } from '../../../fixtures/openapi.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { questions } from '../../../fixtures/questions.ts';
import { findRule, rules } from '../../../fixtures/rules.ts';
import { defaultSettings, settingSpecs } from '../../../fixtures/settings.ts';
import { deviations } from '../../../simulator/deviations/register.ts';
import { addHelp } from '../help-text.ts';
import { type CommandIo, systemIo, UsageError } from '../io.ts';
import { suggestIds } from '../suggest-ids.ts';
import { warn } from '../terminal.ts';
import { readConfigFile } from './config-file.ts';

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export function defineDeviations(command: Command, io: CommandIo = systemIo()): void {
  command.option('--rule <id>', 'only those that break this rule').option('--json', 'as JSON');
  addHelp(command, {
    examples: [
      'npx sandbox deviations --rule IDEM-4c',
      'npx sandbox start --deviate replay-credits-again',
    ],
  });
  command.action(({ rule, json }: { rule?: string; json?: boolean }) => {
    if (rule !== undefined && findRule(rule) === undefined) {
      const ids = rules.map(({ id }) => id);
      const advice = suggestIds(rule, ids) || '; conformance list shows them';
      throw new UsageError(`--rule: there is no rule "${rule}"${advice}`);
    }
    const rows = deviations
      .filter(({ breaks }) => rule === undefined || breaks.some((broken) => broken === rule))
      .map(({ id, breaks, story }) => ({ id, breaks, story }));
    const widest = Math.max(0, ...rows.map(({ id }) => id.length));
    const lines = rows.map(
      ({ id, breaks, story }) => `${id.padEnd(widest)}  ${breaks.join(' ').padEnd(14)}  ${story}`,
    );
    const end = `${rows.length} deviations. Use: sandbox start --deviate ID`;
    io.out(json ? pretty({ deviations: rows }) : `${[...lines, '', end].join('\n')}\n`);
  });
}

export function defineQuestions(command: Command, io: CommandIo = systemIo()): void {
  command.argument('[id...]', 'only these, such as NS-9').option('--json', 'as JSON');
  addHelp(command, { examples: ['npx sandbox questions NS-9', 'npx sandbox questions --json'] });
  command.action((given: readonly string[], { json }: { json?: boolean }) => {
    const wanted = given.map((id) => id.toUpperCase());
    const ids = questions.map(({ id }) => id);
    const unknown = wanted.find((id) => !ids.some((each) => each === id));
    if (unknown !== undefined) {
      throw new UsageError(`"${unknown}" is not an open question${suggestIds(unknown, ids)}`);
    }
    const rows = questions
      .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
      .map(({ id, question, choice, settings }) => ({
        ...{ id, question, choice },
        settings: settings.map((name) => ({
          ...{ name, default: defaultSettings[name], description: settingSpecs[name].description },
        })),
      }));
    const lines = rows.flatMap(({ id, question, choice, settings }) => [
      `${id}  ${question}`,
      `  ${choice}`,
      ...settings.map((setting) => `    ${setting.name} = ${JSON.stringify(setting.default)}`),
      '',
    ]);
    const end = 'Change them in sandbox.config.json: {"settings": {"settlement_delay_ms": 500}}';
    io.out(json ? pretty({ questions: rows }) : `${[...lines, end].join('\n')}\n`);
  });
}

export function defineOpenapi(command: Command, io: CommandIo = systemIo()): void {
  command
    .option('--base-url <url>', 'the server that it names', 'http://127.0.0.1:7420')
    .option('--config <file>', 'settings; sandbox.config.json in this folder is found by itself')
    .option('--json', 'print JSON (the default)');
  addHelp(command, { examples: ['npx sandbox openapi > openapi.json'] });
  command.action(({ baseUrl, config }: { baseUrl: string; config?: string }) => {
    if (parseUrl(baseUrl) === null) throw new UsageError(`--base-url: "${baseUrl}" is not a URL`);
    const { config: read, note } = readConfigFile(config, process.cwd());
    if (note !== null) warn(`${note}.`);
    const { version } = io;
    const server = baseUrl.replace(/(?<!\/)\/+$/, '');
    io.out(pretty(openapiDocument({ baseUrl: server, version, settings: read.settings })));
  });
}
