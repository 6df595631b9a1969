// Ideas about the events channel: what it repeats to whoever goes on after a delivery.
import type { CallStep, Step } from '../sequence.ts';
import { createCall } from './accounts.ts';
import { call, type Drawing, type Idea } from './idea.ts';
import { advance } from './time.ts';
import { subscribed } from './webhooks.ts';

const DAY_MS = 86_400_000;

/**
 * EVT-10a, EVT-10b: an event that is delivered, others, and the channel from `last_delivered_seq`
 * on when a pause is over.
 */
function resumed(d: Drawing, answers: readonly number[], pauseMs: number): readonly Step[] {
  const [hook, subscription] = subscribed(d, d.main, answers, ['account']) as [Step, CallStep];
  const id = { $of: subscription.n, at: 'id' } as const;
  const first = createCall(d, d.main);
  const read = call(d, { operation: 'getWebhook', as: d.main, id });
  const later = Array.from({ length: 1 + d.random.below(3) }, () => createCall(d, d.main));
  return [
    ...[hook, subscription, first, read, ...later],
    ...(pauseMs === 0 ? [] : [advance(d, pauseMs)]),
    {
      do: 'listen',
      n: d.scene.label(),
      as: d.main,
      after: { $of: read.n, at: 'last_delivered_seq' },
    },
    // NS-59: whether listening draws on a rate is open, and a second later it is nothing.
    advance(d, 1_000),
  ];
}

const resume = (name: string, answers: readonly number[], pauseMs: number): Idea => ({
  id: `webhook/channel-${name}`,
  needs: ['receiver', 'clock', 'emit'],
  draw: (d) => resumed(d, answers, pauseMs),
});

export const channelIdeas: readonly Idea[] = [
  resume('resumes', [200], 0),
  // What did not arrive is there to be read.
  resume('after-failures', [200, 503], 0),
  resume('after-days', [200], 6 * DAY_MS),
  { ...resume('after-nine-days', [200], 9 * DAY_MS), isGrid: true, weight: 4 },
];
