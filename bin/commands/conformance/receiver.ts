// `conformance receiver`: proves a webhook receiver's signature check before the platform does.

import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type { ReceiverToJudge } from '../../../simulator/transports/control/control-plane.ts';
import { addHelp, type HelpText } from '../help-text.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';
import { runInterruptibly } from './run-interruptibly.ts';
import { FORMAT_NAMES, readReport } from './run-options.ts';

export interface ReceiverGiven {
  readonly url?: string;
  readonly secretEnv?: string;
  readonly previousSecretEnv?: string;
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  readonly subscriptionId?: string;
  readonly effectProbe?: string;
  readonly report?: readonly string[];
  readonly json?: boolean;
  readonly allowIncomplete?: boolean;
  readonly iOwnThisHost?: boolean;
  readonly dryRun?: boolean;
}

const help: HelpText = {
  words: [
    'First a valid delivery, then what must be accepted, what must be refused, what is advised; a valid one again after each group. `conformance list` names the checks, `explain ID` and `replay ID` show one.',
  ],
  examples: [
    'SECRET=whsec_… npx conformance receiver \\',
    '  --url http://127.0.0.1:3000/hooks --secret-env SECRET',
  ],
  exits: [
    '0 passes every check',
    '1 fails checks',
    '2 usage',
    '3 a valid delivery is refused, so that nothing could be judged',
    '4 not everything could be judged',
    '130 interrupted',
  ],
};

export function defineReceiver(command: Command): void {
  addHelp(command, help);
  command
    .option('--url <url>', 'where the receiver listens')
    .option('--secret-env <name>', 'variable with the signing secret')
    .option('--previous-secret-env <name>', 'variable with the secret before a rotation')
    .option('--signature-header <name>', 'header of the signature', 'X-Webhook-Signature')
    .option('--subscription-header <name>', 'header of the id', 'X-Webhook-Subscription-Id')
    .option('--subscription-id <id>', 'what that header says', '1')
    .option('--effect-probe <url>', 'answers how often the side effect has happened')
    .option(
      '--report <format=file>',
      `write a report: ${FORMAT_NAMES.join(', ')}; repeatable`,
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--json', 'the JSON report on standard output in place of the text')
    .option('--allow-incomplete', 'exit with 0 although not everything could be tried')
    .option('--dry-run', 'say what would be sent, and send nothing')
    .option('--i-own-this-host', 'send hostile deliveries beyond this machine')
    .action(async () => {
      const io = systemJudgeIo(manifest.version);
      const words = { who: 'the judge', ending: 'reporting what is known' };
      const judge = (stop: AbortSignal) => judgeWith(command.opts<ReceiverGiven>(), io, stop);
      process.exitCode = await runInterruptibly(io, words, judge);
    });
}

/** The exit code. */
export async function judgeWith(
  given: ReceiverGiven,
  io: JudgeIo,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  try {
    return await judgeGiven(given, io, signal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.err(`error: ${error.message}\n`);
    return 2;
  }
}

async function judgeGiven(given: ReceiverGiven, io: JudgeIo, signal: AbortSignal): Promise<number> {
  const url = readUrl('--url', given.url, given.iOwnThisHost ?? false);
  const options = readOptions(given, io);
  const reports = (given.report ?? []).map((each) => readReport(each, FORMAT_NAMES));
  const { checkWritable, writeText } = await import('./input-files.ts');
  for (const { format, file } of reports) checkWritable(`--report ${format}`, file, io.cwd);
  const { mostDeliveries } = await import('../../../conformance/receiver/checks.ts');
  const { judgeReceiver, replayCommand } = await import('./judge-receiver.ts');
  const { countHindered, exitCode } = await import('../../../conformance/engine/run/exit-code.ts');
  const most = mostDeliveries(given.effectProbe !== undefined);
  if (given.dryRun) return tellPlan(url, most, given, io);
  const signed = `signed with the secret in ${given.secretEnv}`;
  io.err(
    `Judging the receiver at ${url}: at most ${most} deliveries, ${signed}; one more after each that it leaves unanswered\n`,
  );
  const probe = given.effectProbe;
  const order = {
    url,
    ...options,
    effectProbe:
      probe === undefined ? null : readUrl('--effect-probe', probe, given.iOwnThisHost ?? false),
  };
  const { CountedProgress } = await import(
    '../../../conformance/reports/progress/progress-line.ts'
  );
  const progress = new CountedProgress(io, 'check');
  progress.start();
  const judged = await judgeReceiver({
    ...order,
    replay: ({ id }) => replayCommand(id, order, `"$${given.secretEnv}"`),
    signal,
    onResult: (done, total) => progress.reached(done, total),
  }).finally(() => progress.end());
  if ('useless' in judged) throw new UsageError(`--effect-probe: ${judged.useless}`);
  const { report } = judged;
  const { render } = await import('../../../conformance/reports/formats.ts');
  for (const { format, file } of reports) writeText(file, io.cwd, await render(format, report));
  if (given.json) io.out(`${jsonText(report)}\n`);
  else {
    const { consoleReport } = await import('../../../conformance/reports/console.ts');
    const jsonFile = reports.find(({ format }) => format === 'json')?.file;
    const lines = consoleReport(report, { color: io.color, width: io.columns, jsonFile });
    io.out(`${lines.join('\n')}\n`);
  }
  const { verdict, summary, interrupted } = report;
  const hindered = countHindered(report.rules);
  return exitCode({ verdict, summary, interrupted, stale: 0, hindered }, given.allowIncomplete);
}

/** Names every check: what each sends is told by `explain`. */
async function tellPlan(
  url: string,
  deliveries: number,
  { json = false, effectProbe }: ReceiverGiven,
  io: JudgeIo,
): Promise<number> {
  const { checksOf } = await import('../../../conformance/receiver/checks.ts');
  const checks = checksOf(effectProbe !== undefined).map(({ id, title }) => ({ id, title }));
  const plan = { dry_run: true, url, deliveries, checks };
  if (json) io.out(`${jsonText(plan, 2)}\n`);
  else {
    const lines = checks.map(({ id, title }) => `  ${id}  ${title}`);
    const much = `${checks.length} checks, at most ${deliveries} deliveries`;
    const end = 'conformance explain ID says what one of them sends.';
    io.out(`${[`Nothing was sent. ${url} would get ${much}:`, ...lines, end].join('\n')}\n`);
  }
  return 0;
}

type Options = Pick<
  ReceiverToJudge,
  'secret' | 'previousSecret' | 'signatureHeader' | 'subscriptionHeader' | 'subscriptionId'
>;

function readOptions(given: ReceiverGiven, { env }: JudgeIo): Options {
  return {
    secret: readSecret('--secret-env', given.secretEnv, env),
    previousSecret:
      given.previousSecretEnv === undefined
        ? null
        : readSecret('--previous-secret-env', given.previousSecretEnv, env),
    signatureHeader: readHeader('--signature-header', given.signatureHeader),
    subscriptionHeader: readHeader('--subscription-header', given.subscriptionHeader),
    subscriptionId: readId(given),
  };
}

function readSecret(option: string, name: string | undefined, env: JudgeIo['env']): string {
  if (name === undefined) {
    throw new UsageError(
      `${option} is missing: name the variable that holds the signing secret, as in --secret-env SECRET`,
    );
  }
  // What looks like no variable's name may be the secret itself, so it is not repeated.
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith('whsec_')) {
    throw new UsageError(`${option} takes the name of an environment variable, not a secret`);
  }
  const secret = env[name];
  if (secret !== undefined && secret !== '') return secret;
  throw new UsageError(
    `${option}: the variable ${name} is not set; put the secret there: ${name}=whsec_… conformance …`,
  );
}

function readHeader(option: string, name: string): string {
  if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return name;
  throw new UsageError(`${option}: "${name}" is not the name of a header`);
}

function readId({ subscriptionId = '1' }: ReceiverGiven): string {
  if (/^[\w.-]{1,100}$/.test(subscriptionId)) return subscriptionId;
  throw new UsageError(`--subscription-id: "${subscriptionId}" is no id; give one such as 3`);
}

function readUrl(option: string, text: string | undefined, owned: boolean): string {
  if (text === undefined)
    throw new UsageError(
      `${option} is missing: give the URL to judge, such as --url http://127.0.0.1:3000/hooks`,
    );
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new UsageError(`${option}: "${text}" is not an http or https URL`);
  }
  const { hostname } = new URL(text);
  const loopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\]|.+\.localhost)$/i.test(hostname);
  if (loopback || owned) return text;
  throw new UsageError(
    `${option}: ${hostname} is not this machine; --i-own-this-host says it is yours`,
  );
}
