// `sandbox openapi` and `sandbox asyncapi`: the descriptions of the API and of its events, without
// starting anything.

import type { Command } from 'commander';
import { asyncapiDocument } from '../../../fixtures/asyncapi.ts';
import { type DocumentOptions, openapiDocument } from '../../../fixtures/openapi.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { refuseUsage } from '../command-io.ts';
import { addHelp } from '../help-text.ts';
import { warn } from '../terminal.ts';
import { readConfigFile } from './config-file.ts';
import { sandboxVerb } from './verb.ts';

interface Given {
  readonly baseUrl: string;
  readonly config?: string;
  readonly json?: boolean;
}

type Print = (text: string) => void;

export function openapiCommand(print: Print = write): Command {
  const words = 'print the OpenAPI 3.1 document of the API';
  return documentCommand('openapi', words, openapiDocument, print);
}

export function asyncapiCommand(print: Print = write): Command {
  const words = 'print the AsyncAPI 3 document of the events channel and the deliveries';
  return documentCommand('asyncapi', words, asyncapiDocument, print);
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
    const document = documentOf({ baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''), version, settings });
    print(`${JSON.stringify(document, null, 2)}\n`);
  });
}

function write(text: string): void {
  process.stdout.write(text);
}
