// The verbs of `sandbox` that start nothing and print what is known: the named deviations, the open
// questions with their settings, and the documents of the API and of its events.
import type { Command } from 'commander';
import { asyncapiDocument } from '../../../fixtures/asyncapi.ts';
import { type DocumentOptions, openapiDocument } from '../../../fixtures/openapi.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { questions } from '../../../fixtures/questions.ts';
import { findRule, rules } from '../../../fixtures/rules.ts';
import { defaultSettings, settingSpecs } from '../../../fixtures/settings.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { deviations } from '../../../simulator/deviations/register.ts';
import { refuseUsage } from '../command-io.ts';
import { addHelp } from '../help-text.ts';
import { suggestIds } from '../suggest-ids.ts';
import { warn } from '../terminal.ts';
import { readConfigFile } from './config-file.ts';
import { sandboxVerb } from './verb.ts';

type Print = (text: string) => void;

const write: Print = (text) => {
  process.stdout.write(text);
};
const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export function deviationsCommand(print: Print = write): Command {
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
      refuseUsage(command, `--rule: there is no rule "${rule}"${advice}`);
    }
    const rows = deviations
      .filter(({ breaks }) => rule === undefined || breaks.some((broken) => broken === rule))
      .map(({ id, breaks, story }) => ({ id, breaks, story }));
    const widest = Math.max(0, ...rows.map(({ id }) => id.length));
    const lines = rows.map(
      ({ id, breaks, story }) => `${id.padEnd(widest)}  ${breaks.join(' ').padEnd(14)}  ${story}`,
    );
    const end = `${rows.length} deviations. Use: sandbox start --deviate ID`;
    print(json ? pretty({ deviations: rows }) : `${[...lines, '', end].join('\n')}\n`);
  });
}

export function questionsCommand(print: Print = write): Command {
  const command = sandboxVerb('questions')
    .description('what the specification leaves open, and the setting for each')
    .option('--json', 'as JSON');
  addHelp(command, { examples: ['npx sandbox questions', 'npx sandbox questions --json'] });
  return command.action(({ json }: { json?: boolean }) => {
    const rows = questions.map(({ id, question, choice, settings }) => ({
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
    print(json ? pretty({ questions: rows }) : `${[...lines, end].join('\n')}\n`);
  });
}

export function openapiCommand(print: Print = write): Command {
  const words = 'print the OpenAPI 3.1 document of the API';
  return documentCommand('openapi', words, openapiDocument, print);
}

export function asyncapiCommand(print: Print = write): Command {
  const words = 'print the AsyncAPI 3 document of the events channel and the deliveries';
  return documentCommand('asyncapi', words, asyncapiDocument, print);
}

interface Given {
  readonly baseUrl: string;
  readonly config?: string;
}

function documentCommand(
  name: string,
  words: string,
  documentOf: (options: DocumentOptions) => object,
  print: Print,
): Command {
  const command = sandboxVerb(name)
    .description(words)
    .option('--base-url <url>', 'the server that it names', 'http://127.0.0.1:7420')
    .option('--config <file>', 'settings; sandbox.config.json in this folder is found by itself')
    .option('--json', 'JSON, which it is in any case');
  addHelp(command, { examples: [`npx sandbox ${name} > ${name}.json`] });
  return command.action(({ baseUrl, config }: Given) => {
    if (parseUrl(baseUrl) === null) refuseUsage(command, `--base-url: "${baseUrl}" is not a URL`);
    const read = readConfigFile(config, process.cwd());
    if (read.problems) return refuseUsage(command, read.problems.join('; '));
    if (read.note !== null) warn(`${read.note}.`);
    const { version } = manifest;
    const { settings } = read.config;
    const server = baseUrl.replace(/(?<!\/)\/+$/, '');
    print(pretty(documentOf({ baseUrl: server, version, settings })));
  });
}
