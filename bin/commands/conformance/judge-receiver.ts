// Judges one webhook receiver, for the command and for the control plane of a served sandbox.
import { randomBytes } from 'node:crypto';
import type { Check } from '../../../conformance/receiver/check.ts';
import { effectChecks } from '../../../conformance/receiver/checks/behaviour.ts';
import { exampleUrl } from '../../../conformance/receiver/replay-script.ts';
import { quoted } from '../../../conformance/reports/replay/curl.ts';
import type { Report } from '../../../conformance/reports/report.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type {
  ReceiverJudged,
  ReceiverToJudge,
} from '../../../simulator/transports/control/control-plane.ts';

export interface ReceiverJudging extends ReceiverToJudge {
  /** A command that tries one check again. */
  readonly replay: (check: Check) => string;
  readonly signal?: AbortSignal;
  readonly onResult?: (done: number, total: number) => void;
}

/** The report, or why the probe of the effects is of no use. */
export async function judgeReceiver(
  receiver: ReceiverJudging,
): Promise<{ readonly report: Report } | { readonly useless: string }> {
  const { runReceiver } = await import('../../../conformance/receiver/run.ts');
  const { EffectCounterError, effectCounterOf } = await import(
    '../../../conformance/receiver/side-effects.ts'
  );
  const { receiverReport } = await import('../../../conformance/receiver/report.ts');
  const { Redactor } = await import('../../../conformance/reports/redact.ts');
  const { url, secret, previousSecret, effectProbe, replay, signal, onResult } = receiver;
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
  const { subscriptionId } = receiver;
  const signing = {
    secret,
    previousSecret,
    names,
    subscriptionId,
    mark: randomBytes(5).toString('hex'),
  };
  const run = await runReceiver({
    url,
    signing,
    effects,
    ...(signal === undefined ? {} : { signal }),
    ...(onResult === undefined ? {} : { onResult: (_, done, total) => onResult(done, total) }),
  });
  const redactor = new Redactor([secret, ...(previousSecret === null ? [] : [previousSecret])]);
  const { version } = manifest;
  return { report: receiverReport({ version, url, run, redactor, replay }) };
}

const signatureHeader = 'X-Webhook-Signature';
const subscriptionHeader = 'X-Webhook-Subscription-Id';

/** For a shell: what tries one check again; `secret` stands there as it is. */
export function replayCommand(
  id: string,
  receiver: Omit<ReceiverToJudge, 'secret'>,
  secret: string,
) {
  const counts = effectChecks.some((check) => check.id === id);
  const values: readonly (readonly [name: string, value: string | null, usual: string | null])[] = [
    ['SIGNATURE_HEADER', receiver.signatureHeader, signatureHeader],
    ['SUBSCRIPTION_HEADER', receiver.subscriptionHeader, subscriptionHeader],
    ['SUBSCRIPTION_ID', receiver.subscriptionId, '1'],
    ['PROBE', counts ? receiver.effectProbe : null, null],
    ['URL', receiver.url, exampleUrl],
  ];
  const told = values.flatMap(([name, value, usual]) =>
    value === null || value === usual ? [] : [`${name}=${quoted([value])}`],
  );
  return [`conformance replay ${id} |`, ...told, `SECRET=${secret}`, 'bash'].join(' ');
}

/** As the control plane asks for it. */
export async function judgeForPlane(receiver: ReceiverToJudge): Promise<ReceiverJudged> {
  const judged = await judgeReceiver({
    ...receiver,
    replay: ({ id }) => `npx ${replayCommand(id, receiver, 'whsec_…')}`,
  });
  if ('useless' in judged) return { refused: { field: 'effect_probe', message: judged.useless } };
  return { report: { ...judged.report } };
}
