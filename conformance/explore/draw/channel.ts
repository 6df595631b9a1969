// Ideas about the events channel: what it repeats to whoever goes on after a delivery.
import type { CallStep, Step } from '../sequence.ts';
import { createCall } from './accounts.ts';
import { call, type Drawing, type Idea } from './idea.ts';
import { advance } from './time.ts';
import { subscribed } from './webhooks.ts';

const DAY_MS = 86_400_000;

/**
 * EVT-10a, EVT-10b: an event that is delivered, others, and the channel from `last_delivered_seq`
 * on when each pause is over.
 */
function resumed(
  d: Drawing,
  answers: readonly number[],
  pausesMs: readonly number[],
): readonly Step[] {
  const [hook, subscription] = subscribed(d, d.main, answers, ['account']) as [Step, CallStep];
  const id = { $of: subscription.n, at: 'id' } as const;
  const first = createCall(d, d.main);
  const read = call(d, { operation: 'getWebhook', as: d.main, id });
  const later = Array.from({ length: 1 + d.random.below(3) }, () => createCall(d, d.main));
  const heard = pausesMs.flatMap((pauseMs): Step[] => [
    ...(pauseMs === 0 ? [] : [advance(d, pauseMs)]),
    {
      do: 'listen',
      n: d.scene.label(),
      as: d.main,
      after: { $of: read.n, at: 'last_delivered_seq' },
    },
    // NS-59: whether listening draws on a rate is open, and a second later it is nothing.
    advance(d, 1_000),
  ]);
  return [hook, subscription, first, read, ...later, ...heard];
}

const resume = (
  name: string,
  answers: readonly number[],
  pausesMs: readonly number[] = [0],
): Idea => ({
  id: `webhook/channel-${name}`,
  needs: ['receiver', 'clock', 'emit'],
  draw: (d) => resumed(d, answers, pausesMs),
});

export const channelIdeas: readonly Idea[] = [
  resume('resumes', [200]),
  // What did not arrive is there to be read.
  resume('after-failures', [200, 503]),
  // A week has all but passed, whatever the dates are, and then it has.
  {
    ...resume('around-a-week', [200], [7 * DAY_MS - 60_000, 2 * DAY_MS]),
    isGrid: true,
    weight: 4,
  },
];
