// Judges one webhook receiver from its options to its reports.
import { randomBytes } from 'node:crypto';
import { EffectCounterError, effectCounterOf } from '../../../conformance/receiver/behaviour.ts';
import { allChecks, checksOf, maxDeliveries } from '../../../conformance/receiver/checks.ts';
import { receiverReport } from '../../../conformance/receiver/report.ts';
import { runReceiver } from '../../../conformance/receiver/run.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { ProgressLine, timeWords } from '../../../conformance/reports/progress.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import { duration } from '../../../conformance/reports/verdict-words.ts';
import { type CommandIo, UsageError } from '../io.ts';
import { SIGNATURE, SUBSCRIPTION } from '../options.ts';
import { finishRun, prepareFinish } from './finish-run.ts';
import { commandToRepeat } from './options.ts';
import type { ReceiverOptions } from './receiver.ts';
import { selectChecks } from './selection.ts';

export async function judgeReceiver(
  options: ReceiverOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  const { url, secretEnv, previousSecretEnv, effectProbe, subscriptionId, strict } = options;
  selectChecks(allChecks, options, 'RCV');
  const hasProbe = effectProbe !== undefined;
  const most = maxDeliveries(hasProbe, options);
  if (options.dryRun) return printPlan(options, io, most);
  const baseline = prepareFinish(options, io);
  const effects = effectProbe === undefined ? null : effectCounterOf(effectProbe);
  try {
    await effects?.();
  } catch (error) {
    if (!(error instanceof EffectCounterError)) throw error;
    throw new UsageError(`--effect-probe: ${error.message}`);
  }
  io.err(
    `Judging the receiver at ${url}: at most ${most} deliveries, signed with the secret in ${secretEnv.env}; one more after each delivery without a response\n`,
  );
  const names = {
    signature: options.signatureHeader.toLowerCase(),
    subscription: options.subscriptionHeader.toLowerCase(),
  };
  const secret = secretEnv.value;
  const previousSecret = previousSecretEnv?.value ?? null;
  const mark = randomBytes(5).toString('hex');
  let words = (elapsedMs: number) => `Waiting for the first response, ${duration(elapsedMs)}`;
  const progress = new ProgressLine(io, (elapsedMs) => words(elapsedMs));
  const run = await runReceiver({
    ...{ url, effects, signal, selection: options },
    signing: { secret, previousSecret, names, subscriptionId, mark },
    onResult: (done, total) => {
      words = (elapsedMs) => `${done} of ${total} checks, ${timeWords(done / total, elapsedMs)}`;
    },
  }).finally(() => progress.end());
  const report = receiverReport({
    ...{ version: io.version, url, run, strict: strict ?? false },
    redactor: new Redactor([secret, previousSecret].filter((each) => each !== null)),
    replay: ({ id }) =>
      commandToRepeat('receiver', [
        ['url', url],
        ['secret-env', secretEnv.env],
        ['previous-secret-env', previousSecretEnv?.env],
        ['signature-header', options.signatureHeader, SIGNATURE],
        ['subscription-header', options.subscriptionHeader, SUBSCRIPTION],
        ['subscription-id', subscriptionId, '1'],
        ['effect-probe', effectProbe],
        ['only', id],
      ]),
  });
  return finishRun(options, io, report, baseline);
}

/** Lists every check; `conformance explain` shows the deliveries of each. */
function printPlan(options: ReceiverOptions, io: CommandIo, deliveries: number): number {
  const { url, effectProbe, json } = options;
  const planned = checksOf(effectProbe !== undefined, options);
  const checks = planned.map(({ id, title }) => ({ id, title }));
  const lines = [
    `Nothing was sent. ${url} would get ${checks.length} checks, at most ${deliveries} deliveries:`,
    ...checks.map(({ id, title }) => `  ${id}  ${title}`),
    'npx conformance explain ID shows what a check sends.',
  ];
  const document = { dry_run: true, url, deliveries, checks };
  io.out(`${json ? jsonText(document, 2) : lines.join('\n')}\n`);
  return 0;
}
