// `conformance receiver`: proves a webhook receiver's signature check before the platform does.

import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type { ReceiverToJudge } from '../../../simulator/control/plane.ts';
import { addHelp, type HelpText } from '../help-text.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';
import {
  addReportOptions,
  type ReportGiven,
  readHeaderName,
  readReportOptions,
  readVariable,
} from './options.ts';
import { reportingUsage, runInterruptibly } from './run-interruptibly.ts';

export interface ReceiverGiven extends ReportGiven {
  readonly url?: string;
  readonly secretEnv?: string;
  readonly previousSecretEnv?: string;
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  readonly subscriptionId?: string;
  readonly effectProbe?: string;
  readonly iOwnThisHost?: boolean;
  readonly dryRun?: boolean;
}

const help: HelpText = {
  words: [
    'Sends a valid delivery first, then deliveries that must be accepted, deliveries that must be refused, and deliveries that only lead to advice. After each group a valid delivery is sent again. `conformance list` shows the checks, `conformance explain ID` shows one of them.',
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
    '6 stale baseline',
    '130 interrupted',
  ],
};

export function defineReceiver(command: Command): void {
  addHelp(command, help);
  command
    .option('--url <url>', 'URL of the receiver')
    .option('--secret-env <name>', 'variable with the signing secret')
    .option('--previous-secret-env <name>', 'variable with the secret before a rotation')
    .option('--signature-header <name>', 'header with the signature', 'X-Webhook-Signature')
    .option(
      '--subscription-header <name>',
      'header with the id of the subscription',
      'X-Webhook-Subscription-Id',
    )
    .option('--subscription-id <id>', 'value of that header', '1')
    .option('--effect-probe <url>', 'returns how often the side effect has happened');
  addReportOptions(command, 'checks', 'RCV-refuses-*')
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
export function judgeWith(
  given: ReceiverGiven,
  io: JudgeIo,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  return reportingUsage(io, () => judgeGiven(given, io, signal));
}

async function judgeGiven(given: ReceiverGiven, io: JudgeIo, signal: AbortSignal): Promise<number> {
  const isOwned = given.iOwnThisHost ?? false;
  const url = readUrl('--url', given.url, isOwned);
  const options = readOptions(given, io);
  const finish = readReportOptions(given);
  const { allChecks, checksOf, mostDeliveries } = await import(
    '../../../conformance/receiver/checks.ts'
  );
  const { selectChecks } = await import('./selection.ts');
  const { finishRun, prepareFinish } = await import('./finish-run.ts');
  const { judgeReceiver } = await import('./judge-receiver.ts');
  const { CountedProgress } = await import('../../../conformance/reports/progress.ts');
  const { only, skip } = finish;
  selectChecks(allChecks, { only, skip }, 'RCV');
  const hasProbe = given.effectProbe !== undefined;
  const most = mostDeliveries(hasProbe, { only, skip });
  if (given.dryRun) return printPlan(url, most, checksOf(hasProbe, { only, skip }), given, io);
  const baseline = prepareFinish(finish, io);
  io.err(
    `Judging the receiver at ${url}: at most ${most} deliveries, signed with the secret in ${given.secretEnv}; one more after each delivery without a response\n`,
  );
  const progress = new CountedProgress(io, 'check');
  progress.start();
  const judged = await judgeReceiver({
    url,
    ...options,
    secretEnv: given.secretEnv!,
    previousSecretEnv: given.previousSecretEnv,
    effectProbe: hasProbe ? readUrl('--effect-probe', given.effectProbe, isOwned) : null,
    selection: { only, skip },
    strict: finish.strict,
    signal,
    onResult: (done, total) => progress.reached(done, total),
  }).finally(() => progress.end());
  if ('useless' in judged) throw new UsageError(`--effect-probe: ${judged.useless}`);
  return finishRun(finish, io, judged.report, baseline);
}

/** Names every check; `conformance explain` shows what each sends. */
function printPlan(
  url: string,
  deliveries: number,
  planned: readonly { readonly id: string; readonly title: string }[],
  { json = false }: ReceiverGiven,
  io: JudgeIo,
): number {
  const checks = planned.map(({ id, title }) => ({ id, title }));
  if (json) {
    io.out(`${jsonText({ dry_run: true, url, deliveries, checks }, 2)}\n`);
    return 0;
  }
  const much = `${checks.length} checks, at most ${deliveries} deliveries`;
  const lines = [
    `Nothing was sent. ${url} would get ${much}:`,
    ...checks.map(({ id, title }) => `  ${id}  ${title}`),
    'npx conformance explain ID shows what a check sends.',
  ];
  io.out(`${lines.join('\n')}\n`);
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
    signatureHeader: readHeaderName('--signature-header', given.signatureHeader),
    subscriptionHeader: readHeaderName('--subscription-header', given.subscriptionHeader),
    subscriptionId: readId(given),
  };
}

function readSecret(option: string, name: string | undefined, env: JudgeIo['env']): string {
  if (name !== undefined) return readVariable(option, name, env);
  const example = 'name the variable that holds the signing secret, as in --secret-env SECRET';
  throw new UsageError(`${option} is missing: ${example}`);
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
  if (!/^https?:\/\//i.test(text) || parseUrl(text) === null) {
    throw new UsageError(`${option}: "${text}" is not an http or https URL`);
  }
  const { hostname } = new URL(text);
  const loopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\]|.+\.localhost)$/i.test(hostname);
  if (loopback || owned) return text;
  throw new UsageError(
    `${option}: ${hostname} is not this machine; add --i-own-this-host if it is yours`,
  );
}
