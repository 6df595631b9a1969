// Ideas about what an endpoint answers: which answers are failures, and what becomes of the event.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { call, type Drawing, type Idea } from '../idea.ts';
import { advance } from '../time.ts';
import { WAITS } from '../webhooks.ts';

/** EVT-9a: of each class some. */
const ANSWERS: readonly (readonly number[])[] = [
  [201, 202, 203, 204],
  [206, 208, 226, 299],
  [300, 301, 302, 303],
  [304, 307, 308],
  [400, 401, 403, 404],
  [408, 410, 418, 429],
  [500, 501, 502, 503, 504, 599],
];

/** One event, to an endpoint for each class of answers; the next answer is 200 each time. */
function everyAnswer(d: Drawing): readonly Step[] {
  const made = ANSWERS.map((answers) => {
    const n = d.scene.label();
    const url: Value = { $of: n, at: 'url' };
    const body = { url, event_categories: ['account'] };
    const hook: Step = { do: 'hook', n, answers: [d.random.pick(answers), 200] };
    return { hook, subscribed: call(d, { operation: 'createWebhook', as: d.main, body }) };
  });
  return [
    ...made.flatMap(({ hook, subscribed }): Step[] => [hook, subscribed]),
    createCall(d, d.main),
    advance(d, 30_000),
    ...made.map(({ subscribed }) => looked(d, subscribed)),
  ];
}

/** EVT-8b, EVT-9a: each failure at another try, until all are made. */
function everyTry(d: Drawing): readonly Step[] {
  const failures = [500, 302, 404, 410, 307, 429, 503, 401];
  const made = [0, 5].map((by) => {
    const n = d.scene.label();
    const body = { url: { $of: n, at: 'url' } as Value, event_categories: ['account'] };
    const hook: Step = {
      do: 'hook',
      n,
      answers: [...failures.slice(by), ...failures.slice(0, by)],
    };
    return { hook, subscribed: call(d, { operation: 'createWebhook', as: d.main, body }) };
  });
  return [
    ...made.flatMap(({ hook, subscribed }): Step[] => [hook, subscribed]),
    createCall(d, d.main),
    ...WAITS.map((byMs) => advance(d, byMs)),
    ...made.map(({ subscribed }) => looked(d, subscribed)),
  ];
}

const HOUR_MS = 3_600_000;
const LATER_MS = [25 * HOUR_MS, 8 * 24 * HOUR_MS, 32 * 24 * HOUR_MS];

/** EVT-11: a target that is public no more when there is something to deliver, or was never. */
function targetLost(d: Drawing): readonly Step[] {
  const name = `n${d.stem()}.example.com`;
  const resolve = (address: string): Step => {
    return { do: 'resolve', n: d.scene.label(), name, addresses: [address] };
  };
  const body = { url: `https://${name}/a`, event_categories: ['account'] };
  const subscribed = () => call(d, { operation: 'createWebhook', as: d.main, body });
  const [one, refused] = [subscribed(), subscribed()];
  return [
    ...[resolve('93.184.216.34'), one, resolve('10.0.0.1'), refused, createCall(d, d.main)],
    ...[looked(d, one), resolve('93.184.216.34'), createCall(d, d.main), looked(d, one)],
    // What is told of it is told for good.
    ...(d.offers.has('clock') ? [advance(d, d.random.pick(LATER_MS)), looked(d, one)] : []),
  ];
}

const looked = (d: Drawing, { n }: CallStep): CallStep =>
  call(d, { operation: 'getWebhook', as: d.main, id: { $of: n, at: 'id' } });

export const endpointIdeas: readonly Idea[] = [
  { id: 'webhook/every-answer', weight: 2, needs: ['receiver', 'clock'], draw: everyAnswer },
  {
    id: 'webhook/every-try',
    weight: 4,
    needs: ['receiver', 'clock'],
    isGrid: true,
    draw: everyTry,
  },
  { id: 'webhook/target-lost', weight: 3, needs: ['dns'], isGrid: true, draw: targetLost },
];
