// Grids of what happens while something waits: a delivery for its next try, a limit for its end,
// a target or a permission for its being looked at again.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { tokenCall } from '../access.ts';
import { createCall } from '../accounts.ts';
import { call, type Drawing, type Idea } from '../idea.ts';
import { advance } from '../time.ts';
import { followed } from '../webhooks.ts';

const SECOND_MS = 1_000;

/** EVT-8a, EVT-8b: whatever happens to subscriptions between two tries, the next comes in time. */
function whileOthersChange(d: Drawing): readonly Step[] {
  const failing = () => followed(d, [500, 500, 500, 500, 200]);
  const [rotated, read, disabled, left] = [failing(), failing(), failing(), failing()] as const;
  const all = [rotated, read, disabled, left];
  // In parts, so that a try that comes too soon shows.
  const [early, late] = [
    [30, 120],
    [600, 45, 1_755, 90, 7_110],
  ] as const;
  const wait = (seconds: number) => advance(d, seconds * SECOND_MS);
  const more = followed(d, [200]);
  return [
    ...[...all.flatMap(({ steps }) => steps), createCall(d, d.main), ...early.map(wait)],
    advance(d, SECOND_MS),
    ...[rotated.about('rotateWebhookSecret'), read.about('getWebhook')],
    ...[disabled.about('disableWebhook'), ...more.steps, createCall(d, d.main)],
    call(d, { operation: 'listWebhooks', as: d.main }),
    ...late.map(wait),
    ...all.map(({ about }) => about('getWebhook')),
  ];
}

/** EVT-11: a target that was delivered to is looked at again before the next delivery. */
function targetChanges(d: Drawing): readonly Step[] {
  const { steps, about } = followed(d, [200]);
  const name: Value = { $of: steps[0]!.n, at: 'host' };
  const resolve = (address: string): Step => {
    return { do: 'resolve', n: d.scene.label(), name, addresses: [address] };
  };
  const met = () => [createCall(d, d.main), about('getWebhook')];
  return [
    ...[...steps, ...met(), advance(d, SECOND_MS), resolve('10.0.0.1'), ...met()],
    ...[resolve('93.184.216.34'), advance(d, 700 * SECOND_MS), ...met()],
  ];
}

/** AUTH-3b, LIM-5, LIM-7: who asks on and on while he is limited is served when it is over. */
function askedWhileLimited(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const name = `m${n}`;
  const one = () => createCall(d, name, { brand_id: { $role: 'firm', has: 'brand' } });
  const times = (count: number, make: () => CallStep) => Array.from({ length: count }, make);
  return [
    { do: 'mint', n, name, wish: { scopes: ['accounts:write'], perSecond: 2 } },
    ...times(6, one),
    ...[advance(d, 200), ...times(2, one), advance(d, 200), ...times(2, one)],
    ...[advance(d, 700), ...times(3, one), advance(d, 2 * SECOND_MS), ...times(3, one)],
    ...times(12, () => tokenCall(d)),
    ...[20, 20].flatMap((seconds) => [advance(d, seconds * SECOND_MS), tokenCall(d)]),
    ...[advance(d, 21 * SECOND_MS), ...times(11, () => tokenCall(d))],
  ];
}

export const waitingGrids: readonly Idea[] = [
  {
    id: 'webhook/while-others-change',
    weight: 5,
    needs: ['receiver', 'clock'],
    draw: whileOthersChange,
  },
  {
    id: 'webhook/target-changes',
    weight: 5,
    needs: ['receiver', 'clock', 'dns'],
    draw: targetChanges,
  },
  {
    id: 'limit/asked-while-limited',
    weight: 4,
    needs: ['mint', 'clock', 'rates', 'client'],
    draw: askedWhileLimited,
  },
];
