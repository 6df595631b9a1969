// `sandbox webhooks verify`: says whether a delivery verifies, and if not, where and why it fails.

import chalk from 'chalk';
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { type Diagnosis, diagnoseWebhook } from '../../../simulator/webhooks.ts';
import {
  type CommandIo,
  parseTime,
  parseWhole,
  readBody,
  readSecrets,
  refuseUsage,
  type SecretOptions,
} from '../command-io.ts';
import { addHelp, type HelpText } from '../help-text.ts';

interface VerifyOptions extends SecretOptions {
  readonly header: string;
  readonly bodyFile: string;
  readonly now?: string;
  readonly toleranceS: string;
  readonly json?: boolean;
}

const help: HelpText = {
  words: [
    'Exits with 0 when the delivery verifies, 1 when it does not, 2 on wrong usage. The body is read byte for byte: save it as it arrived, without a line end added.',
  ],
  examples: [
    'SECRET=whsec_… npx sandbox webhooks verify --secret-env SECRET \\',
    "  --header 't=1700000000000,v1=…' --body-file body.json --now 1700000000000",
  ],
};

export function addVerify(parent: Command, io: CommandIo): void {
  const command = parent
    .command('verify')
    .description('check the signature of one delivery, and explain why it fails')
    .requiredOption('--header <header>', 'value of the signature header as it arrived')
    .requiredOption('--body-file <file>', 'the raw body as it arrived; - for standard input')
    .requiredOption('--secret-env <name>', 'environment variable that holds the signing secret')
    .option('--previous-secret-env <name>', 'variable with the secret before the last rotation')
    .option('--now <time>', 'the time to judge by: ISO, epoch milliseconds, or such as -10m')
    .option('--tolerance-s <seconds>', 'how far t may be from that time', '300')
    .option('--json', 'print the diagnosis as JSON');
  addHelp(command, help);
  command.action((options: VerifyOptions) => verify(command, io, options));
}

async function verify(command: Command, io: CommandIo, options: VerifyOptions): Promise<void> {
  const secrets = readSecrets(command, io, options);
  const now = io.nowMs();
  const nowMs = options.now === undefined ? now : parseTime(command, '--now', options.now, now);
  const toleranceS = parseWhole(command, '--tolerance-s', options.toleranceS, [0, 999_999_999]);
  // People copy the whole line of a header, name and all.
  const header = options.header.replace(/^[\w-]+:\s*/, '');
  if (header.includes('\n')) refuseUsage(command, '--header: must be one line');
  const body = await readBody(command, io, options.bodyFile);
  const toleranceMs = toleranceS * 1000;
  const given = { header, body, ...secrets, nowMs, toleranceMs };
  const diagnosis = diagnoseWebhook(given);
  if (options.json) io.out(jsonText(diagnosis));
  else for (const line of describeDiagnosis(diagnosis)) io.out(line);
  io.finish(diagnosis.verified ? 0 : 1);
}

function describeDiagnosis({ verified, reason, steps, causes }: Diagnosis): string[] {
  const marks = { true: chalk.green('✔'), false: chalk.red('✘'), null: chalk.dim('·') };
  const lines = steps.map(({ ok, does, detail }) => {
    const line = `${does}: ${detail}`;
    return `${marks[`${ok}`]} ${ok === null ? chalk.dim(line) : line}`;
  });
  const verdict = verified ? chalk.green('Verified.') : chalk.red(`Not verified: ${reason}.`);
  return [...lines, '', verdict, ...describeCauses(causes)];
}

/** What is known to be wrong, or may be. */
export function describeCauses(causes: Diagnosis['causes']): string[] {
  return causes.map(({ proven, explanation }) =>
    proven ? chalk.yellow(`Cause: ${explanation}`) : `Perhaps: ${explanation}`,
  );
}
