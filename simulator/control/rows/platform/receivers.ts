// The row that has a subscription's receiver judged: is its signature check worth anything?

import { listOf, object, oneOf, text } from '../../../../fixtures/schemas/kit.ts';
import type { Subscription } from '../../../core/records.ts';
import { isLoopbackHost } from '../../../host/delivery/loopback.ts';
import { forwardedUrl } from '../../../host/delivery/send-attempt.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import type { Plane } from '../../plane.ts';
import { answer, type ControlReply, problem, refuseField } from '../../reply.ts';
import { row } from '../../row.ts';
import { viewSubscription } from '../../views/records.ts';

const reportSchema = {
  type: 'object',
  description: 'The report, as `conformance receiver --json` prints it.',
  properties: {
    verdict: oneOf('Of the whole run.', ['conformant', 'deviates', 'incomplete', 'invalid']),
    summary: { type: 'object', description: 'How many checks have each verdict.' },
    requests: { type: 'integer', description: 'Deliveries that were sent.' },
    duration_ms: { type: 'integer', description: 'How long it took.' },
    notes: listOf({ type: 'string' }, 'What to know of the run as a whole.'),
    rules: listOf({ type: 'object' }, 'The checks, each with its verdict and what was found.'),
  },
  required: ['verdict', 'summary', 'requests', 'duration_ms', 'notes', 'rules'],
} as const;

/** Planes whose judge is at work: it takes one receiver at a time. */
const judging = new WeakSet<Plane>();

export const receiverRows = [
  row({
    name: 'judgeReceiver',
    method: 'POST',
    path: 'subscriptions/{id}/judge',
    tag: 'Deliveries',
    summary: 'Judge the receiver of a subscription',
    description:
      'Sends some eighty deliveries straight to the receiver, signed with the subscription’s secret: valid ones in every form, and those of an attacker. Only to this machine, where a forward leads. They are no deliveries of the world and leave it as it is.',
    body: object('Nothing has to be given.', {
      'effect_probe?': text('A URL of this machine that answers the count of side effects.'),
    }),
    answer: { status: 200, words: 'The report.', schema: reportSchema },
    refusals: {
      409: 'Another receiver is being judged, or this sandbox has no judge: `sandbox start` has.',
    },
    run: ({ plane, host, params, body }) =>
      judge(plane, host, params.id ?? '', body.effect_probe ?? null),
  }),
];

async function judge(
  plane: Plane,
  host: WorldHost,
  id: string,
  effectProbe: string | null,
): Promise<ControlReply> {
  const subscription = host.world.subscriptions.get(Number(id));
  if (subscription === undefined) return refuseField('id', `there is no subscription ${id}`, 404);
  const url = targetOf(host, subscription);
  if (!isHere(url)) {
    const remedy = 'forward its origin to a URL such as http://127.0.0.1:3000/hooks (PUT forwards)';
    return refuseField('forwards_to', `${url} is not on this machine; ${remedy}`);
  }
  if (effectProbe !== null && !isHere(effectProbe)) {
    return refuseField(
      'effect_probe',
      'give an http URL on this machine, such as http://127.0.0.1:3000/count',
    );
  }
  const { judgeReceiver } = plane;
  if (judgeReceiver === undefined) {
    const words = 'There is no judge of receivers in this sandbox';
    return problem(409, `${words}; \`sandbox start\` and \`conformance receiver\` have it.`);
  }
  if (judging.has(plane)) return problem(409, 'A receiver is being judged; wait for its report.');
  judging.add(plane);
  try {
    const { signature_header, subscription_header } = host.behaviour.settings;
    const { secret, previous_secret: previousSecret } = subscription;
    const judged = await judgeReceiver({
      url,
      secret,
      previousSecret,
      signatureHeader: signature_header,
      subscriptionHeader: subscription_header,
      subscriptionId: String(subscription.id),
      effectProbe,
    });
    if ('report' in judged) return answer(judged.report);
    return refuseField(judged.refused.field, judged.refused.message);
  } finally {
    judging.delete(plane);
  }
}

/** Where its deliveries really go. */
function targetOf(host: WorldHost, subscription: Subscription): string {
  const { url, forwards_to } = viewSubscription(host, subscription);
  return forwards_to === null ? url : forwardedUrl(url, forwards_to);
}

function isHere(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  return isLoopbackHost(new URL(url).hostname);
}
