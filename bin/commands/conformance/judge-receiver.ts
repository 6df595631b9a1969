// Judges one webhook receiver.
import { randomBytes } from 'node:crypto';
import { EVERYTHING, type Selection } from '../../../conformance/engine/run/select.ts';
import type { Report } from '../../../conformance/reports/report.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { commandToRepeat } from './options.ts';

export interface ReceiverJudging {
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  readonly subscriptionId: string;
  /** A URL that answers how often the side effect has happened. */
  readonly effectProbe: string | null;
  /** The name of the variable that holds the secret, for commands that are printed. */
  readonly secretEnv: string;
  readonly previousSecretEnv?: string | undefined;
  readonly selection?: Selection;
  readonly strict?: boolean;
  readonly signal?: AbortSignal;
  readonly onResult?: (done: number, total: number) => void;
}

/** The report, or why the count of side effects cannot be read. */
export async function judgeReceiver(
  receiver: ReceiverJudging,
): Promise<{ readonly report: Report } | { readonly useless: string }> {
  const { runReceiver } = await import('../../../conformance/receiver/run.ts');
  const { EffectCounterError, effectCounterOf } = await import(
    '../../../conformance/receiver/side-effects.ts'
  );
  const { receiverReport } = await import('../../../conformance/receiver/report.ts');
  const { Redactor } = await import('../../../conformance/reports/redact.ts');
  const { url, secret, previousSecret, effectProbe, signal, onResult } = receiver;
  const effects = effectProbe === null ? null : effectCounterOf(effectProbe);
  try {
    await effects?.count();
  } catch (error) {
    if (!(error instanceof EffectCounterError)) throw error;
    return { useless: error.message };
  }
  const names = {
    signature: receiver.signatureHeader.toLowerCase(),
    subscription: receiver.subscriptionHeader.toLowerCase(),
  };
  const { subscriptionId, selection = EVERYTHING, strict = false } = receiver;
  const mark = randomBytes(5).toString('hex');
  const run = await runReceiver({
    url,
    signing: { secret, previousSecret, names, subscriptionId, mark },
    effects,
    selection,
    ...(signal === undefined ? {} : { signal }),
    ...(onResult === undefined ? {} : { onResult: (_, done, total) => onResult(done, total) }),
  });
  const redactor = new Redactor([secret, ...(previousSecret === null ? [] : [previousSecret])]);
  const replay = ({ id }: { readonly id: string }) =>
    commandToRepeat('receiver', [
      ['url', url],
      ['secret-env', receiver.secretEnv],
      ['previous-secret-env', receiver.previousSecretEnv],
      ['signature-header', receiver.signatureHeader, 'X-Webhook-Signature'],
      ['subscription-header', receiver.subscriptionHeader, 'X-Webhook-Subscription-Id'],
      ['subscription-id', subscriptionId, '1'],
      ['effect-probe', effectProbe ?? undefined],
      ['only', id],
    ]);
  const { version } = manifest;
  return { report: receiverReport({ version, url, run, redactor, replay, strict }) };
}
