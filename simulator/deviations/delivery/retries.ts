// Wrong timetables of retries, wrong ideas of success, wrong counts of what was delivered (EVT-8 to
// EVT-10).
import { policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';
import { delivery, hour, minute, second } from './bends.ts';

const gaps = (change: (own: readonly number[]) => readonly number[]): Deviation['bend'] =>
  delivery((own) => ({ gapsMs: change(own.gapsMs) }));

export const retryDeviations: readonly Deviation[] = [
  {
    id: 'retry-first-after-10s',
    breaks: ['EVT-8a'],
    story: 'The first retry comes after ten seconds.',
    bend: gaps(([, ...rest]) => [10 * second, ...rest]),
  },
  {
    id: 'retry-first-after-60s',
    breaks: ['EVT-8a'],
    story: 'The first retry comes after a minute.',
    bend: gaps(([, ...rest]) => [60 * second, ...rest]),
  },
  {
    id: 'retry-third-after-5m',
    breaks: ['EVT-8a'],
    story: 'The third wait is five minutes.',
    bend: gaps((own) => own.map((gap) => (gap === 10 * minute ? 5 * minute : gap))),
  },
  {
    id: 'retry-last-after-6h',
    breaks: ['EVT-8a'],
    story: 'No wait is longer than six hours.',
    bend: gaps((own) => own.map((gap) => Math.min(gap, 6 * hour))),
  },
  {
    id: 'retry-at-fixed-times',
    breaks: ['EVT-8a'],
    story: 'The times are taken as counted from the first attempt.',
    bend: gaps((own) => own.map((gap, at) => gap - (own[at - 1] ?? 0))),
  },
  {
    id: 'retry-seven-attempts',
    breaks: ['EVT-8a'],
    story: 'Seven attempts: the waits were counted as attempts.',
    bend: gaps((own) => own.slice(0, -1)),
  },
  {
    id: 'retry-nine-attempts',
    breaks: ['EVT-8b'],
    story: 'Eight retries after the first attempt.',
    bend: gaps((own) => [...own, 12 * hour]),
  },
  {
    id: 'answer-4xx-is-success',
    breaks: ['EVT-9a'],
    story: 'What the receiver refuses is not sent again.',
    bend: delivery(() => ({
      succeeded: (status) => status >= 200 && status < 500 && status !== 429,
    })),
  },
  {
    id: 'answer-only-200-is-success',
    breaks: ['EVT-9a'],
    story: 'Success is 200, not 204.',
    bend: delivery(() => ({ succeeded: (status) => status === 200 })),
  },
  {
    id: 'answer-redirect-followed',
    breaks: ['EVT-9a'],
    story: 'The HTTP client follows redirects.',
    bend: delivery(() => ({ followsRedirect: () => true })),
  },
  {
    id: 'answer-limit-60s',
    breaks: ['EVT-9b'],
    story: 'The HTTP client waits a minute.',
    bend: delivery(() => ({ answerLimitMs: 60 * second, connectionLimitMs: 60 * second })),
  },
  {
    id: 'answer-limit-5s',
    breaks: ['EVT-9b'],
    story: 'Five seconds must do.',
    bend: delivery(() => ({ answerLimitMs: 5 * second, connectionLimitMs: 5 * second })),
  },
  {
    id: 'seq-never-moves',
    breaks: ['EVT-10a'],
    story: 'last_delivered_seq is updated by a job that does not run.',
    bend: policy('serialize', (serialize) => ({
      subscription: (subscription, secret) =>
        serialize.subscription({ ...subscription, last_delivered_seq: 0 }, secret),
    })),
  },
];
