// `sandbox webhooks verify`: reports whether a delivery verifies, and if not, which step fails and why.
import chalk from 'chalk';
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { type Diagnosis, diagnoseWebhook } from '../../../simulator/webhooks.ts';
import { addHelp } from '../help-text.ts';
import { type CommandIo, UsageError } from '../io.ts';
import { addOptions, numberFrom, REQUIRED, timeFrom } from '../options.ts';
import {
  printLines,
  readBody,
  type SigningOptions,
  secretRows,
  secretsOf,
} from './webhook-options.ts';

interface VerifyOptions extends SigningOptions {
  readonly header: string;
  readonly bodyFile: string;
  readonly now?: number;
  readonly toleranceS: number;
  readonly json?: boolean;
}

export function addVerify(parent: Command, io: CommandIo): void {
  const command = parent
    .command('verify')
    .description('check the signature of one delivery, and explain why it fails');
  const raw = 'the raw body as it arrived; - for standard input';
  const judgedBy = 'the time to judge by: ISO, epoch milliseconds, or such as -10m';
  const seconds = numberFrom(0, 999_999_999, true);
  addOptions(command, [
    ['--header <header>', 'value of the signature header as it arrived', undefined, REQUIRED],
    ['--body-file <file>', raw, undefined, REQUIRED],
    ...secretRows(io),
    ['--now <time>', judgedBy, timeFrom(io.nowMs)],
    ['--tolerance-s <seconds>', 'how far t may be from that time', seconds, 300],
    ['--json', 'print the diagnosis as JSON'],
  ]);
  addHelp(command, {
    words: [
      'Exits with 0 when the delivery verifies, 1 when it does not, 2 on wrong usage. The body is read byte for byte: save it as it arrived, without a line end added.',
    ],
    examples: [
      'SECRET=whsec_… npx sandbox webhooks verify --secret-env SECRET \\',
      "  --header 't=1700000000000,v1=…' --body-file body.json --now 1700000000000",
    ],
  });
  command.action((options: VerifyOptions) => verify(io, options));
}

async function verify(io: CommandIo, options: VerifyOptions): Promise<void> {
  const { now: nowMs = io.nowMs(), toleranceS, bodyFile, json } = options;
  // Users copy the whole header line, including the name.
  const header = options.header.replace(/^[\w-]+:\s*/, '');
  if (header.includes('\n')) throw new UsageError('--header: must be one line');
  const body = await readBody(io, bodyFile);
  const toleranceMs = toleranceS * 1000;
  const diagnosis = diagnoseWebhook({ header, body, ...secretsOf(options), nowMs, toleranceMs });
  printLines(io, json ? [jsonText(diagnosis)] : describeDiagnosis(diagnosis));
  io.finish(diagnosis.verified ? 0 : 1);
}

function describeDiagnosis({ verified, reason, steps, causes }: Diagnosis): string[] {
  const marks = { true: chalk.green('✓'), false: chalk.red('✗'), null: chalk.dim('·') };
  const lines = steps.map(({ ok, does, detail }) => {
    const line = `${does}: ${detail}`;
    return `${marks[`${ok}`]} ${ok === null ? chalk.dim(line) : line}`;
  });
  const verdict = verified ? chalk.green('Verified.') : chalk.red(`Not verified: ${reason}.`);
  return [...lines, '', verdict, ...describeCauses(causes)];
}

/** Certain and possible causes of the failure. */
export function describeCauses(causes: Diagnosis['causes']): string[] {
  return causes.map(({ proven, explanation }) =>
    proven ? chalk.yellow(`Cause: ${explanation}`) : `Perhaps: ${explanation}`,
  );
}
