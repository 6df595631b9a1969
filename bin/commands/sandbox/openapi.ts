// `sandbox openapi`: the description of the API, to generate a client from without starting
// anything.
import { Command } from 'commander';
import { openapiDocument } from '../../../fixtures/openapi.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { refuseUsage } from '../command-io.ts';
import { addHelp } from '../help-text.ts';
import { readConfigFile } from './config-file.ts';

interface Given {
  readonly baseUrl: string;
  readonly config?: string;
  readonly json?: boolean;
}

export function openapiCommand(print: (text: string) => void = write): Command {
  const command = new Command('openapi')
    .description('print the OpenAPI 3.1 document of the API')
    .option('--base-url <url>', 'the server that it names', 'http://127.0.0.1:7420')
    .option('--config <file>', 'settings; sandbox.config.json in this folder is found by itself')
    .option('--json', 'JSON, which it is in any case');
  addHelp(command, { examples: ['npx sandbox openapi > openapi.json'] });
  return command.action(({ baseUrl, config }: Given) => {
    if (!URL.canParse(baseUrl)) refuseUsage(command, `--base-url: "${baseUrl}" is not a URL`);
    const read = readConfigFile(config, process.cwd());
    if (read.problems) return refuseUsage(command, read.problems.join('; '));
    if (read.note !== null) process.stderr.write(`sandbox: ${read.note}.\n`);
    const { version } = manifest;
    const { settings } = read.config;
    const document = openapiDocument({ baseUrl: baseUrl.replace(/\/+$/, ''), version, settings });
    print(`${JSON.stringify(document, null, 2)}\n`);
  });
}

function write(text: string): void {
  process.stdout.write(text);
}
