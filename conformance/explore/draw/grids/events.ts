// Grids about deliveries and rates: events that come while others wait, secrets of every age, and
// allowances after every part of a second.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { call, type Drawing, type Idea } from '../idea.ts';
import { madeBy } from '../made.ts';
import { VERY_LONG } from '../people.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { followed } from '../webhooks.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** EVT-8a: each event has waits of its own, however long the one before it took. */
function oneAfterTheOther(d: Drawing): readonly Step[] {
  const { steps } = followed(d, [500, 500, 200, 500, 200, 500, 500, 200]);
  const waits = [30 * SECOND_MS, 120 * SECOND_MS];
  const event = (count: number) => [
    createCall(d, d.main),
    ...waits.slice(0, count).map((byMs) => advance(d, byMs)),
  ];
  return [...steps, ...event(2), ...event(1), ...event(2)];
}

/** EVT-4, EVT-10: several events of one account and of others, while the first of them waits. */
function whileOneWaits(d: Drawing): readonly Step[] {
  const { steps, about } = followed(d, [500, 500, 200]);
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const updates = [1, 2, 3].map(() => {
    const ifMatch: Value = { $header: account.tags.at(-1)!, name: 'etag' };
    const step = updateCall(d, account, { status: `q${d.stem()}` }, { ifMatch });
    account.tags.push(step.n);
    return step;
  });
  return [
    ...[...steps, created, ...updates, createCall(d, d.main)],
    advance(d, 30 * SECOND_MS),
    createCall(d, d.main),
    advance(d, 120 * SECOND_MS),
    ...[about('getWebhook'), createCall(d, d.main)],
  ];
}

/** HOOK-2, EVT-4: one more to the same url, whatever became of the one before. */
function againToOneUrl(d: Drawing): readonly Step[] {
  const { steps, about } = followed(d, [200]);
  const first = steps.at(-1) as CallStep;
  const ends = [[], ['rotateWebhookSecret'], ['disableWebhook']] as const;
  const nexts = ends.flatMap((operations): Step[] => {
    const next = { ...first, n: d.scene.label() };
    const read = call(d, { operation: 'getWebhook', as: d.main, id: { $of: next.n, at: 'id' } });
    return [...operations.map(about), next, createCall(d, d.main), read];
  });
  return [...steps, ...nexts, about('getWebhook'), listed(d)];
}

const listed = (d: Drawing) => call(d, { operation: 'listWebhooks', as: d.main });

/** EVT-1, EVT-4: every two categories, in both orders, told of one event of each. */
function everyChoice(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const all = ['account', 'order', 'position', 'transaction'];
  const choices = all.flatMap((one, at) => all.slice(at + 1).map((other) => [one, other]));
  const subscribed = choices.map((chosen, at) =>
    call(d, {
      operation: 'createWebhook',
      as: d.main,
      body: {
        url: { $of: n, at: 'url' },
        event_categories: at % 2 === 0 ? chosen : [...chosen].reverse(),
      },
    }),
  );
  const kinds = ['account.updated', 'order.filled', 'position.opened', 'transaction.created'];
  const events = all.map((category, at): Step => {
    return { do: 'emit', n: d.scene.label(), category, kind: kinds[at]! };
  });
  return [{ do: 'hook', n, answers: [200] }, ...subscribed, ...events, listed(d)];
}

/** EVT-4, EVT-10a: of a batch an event a row, however many; and what is counted when it is over. */
function manyAtOnce(d: Drawing): readonly Step[] {
  const { steps, about } = followed(d, [200]);
  const stem = `m${d.stem()}r$i`;
  const of = {
    client_reference_id: { $fresh: stem },
    email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
    brand_id: { $role: d.main, has: 'brand' },
  };
  const rows: Value = { $rows: d.disposable ? 60 : 3, of };
  return [
    ...[...steps, bulkCall(d, d.main, [rows]), about('getWebhook'), createCall(d, d.main)],
    ...[about('rotateWebhookSecret'), about('getWebhook'), about('disableWebhook')],
    ...[about('getWebhook'), createCall(d, d.main), about('getWebhook')],
    // One event that is longer than many a queue takes.
    ...[...followed(d, [200]).steps, createCall(d, d.main, { first_name: VERY_LONG })],
  ];
}

/** EVT-6, EVT-7: which secrets sign, at every age of a rotation and after a second one. */
function everyAgeOfSecrets(d: Drawing): readonly Step[] {
  const { steps, about } = followed(d, [200]);
  const event = () => createCall(d, d.main, { first_name: 'Łukasz', last_name: '李雷' });
  const ages = [SECOND_MS, HOUR_MS, 22 * HOUR_MS, 2 * HOUR_MS, 48 * HOUR_MS, 30 * 24 * HOUR_MS];
  return [
    ...[...steps, event(), about('rotateWebhookSecret'), event()],
    ...ages.flatMap((byMs) => [advance(d, byMs), event()]),
    ...[about('rotateWebhookSecret'), event(), about('rotateWebhookSecret'), event()],
    ...[advance(d, 25 * HOUR_MS), event(), about('disableWebhook'), event(), about('getWebhook')],
    listed(d),
  ];
}

/** EVT-6, EVT-8: retries on both sides of a rotation's end. */
function retriedOverARotation(d: Drawing): readonly Step[] {
  const { steps, about } = followed(d, [500, 500, 500, 500, 500, 500, 500, 200]);
  const waits = [30, 120, 600, 1_800, 7_200, 21_600, 43_200];
  return [
    ...[...steps, createCall(d, d.main), about('rotateWebhookSecret')],
    ...waits.map((seconds) => advance(d, seconds * SECOND_MS)),
    advance(d, 12 * HOUR_MS),
    createCall(d, d.main),
  ];
}

const PARTS_MS = [200, 334, 500, 700, 1_000, 1_500];
/** By which others count than by the second. */
const WINDOWS_MS = [60 * SECOND_MS, HOUR_MS];
const JUST_BEFORE_MS = 100;

/**
 * LIM-1, LIM-2: what has come back of an allowance after every part of a second; and nothing more
 * at the end of a longer window, counted from the first call.
 */
function everyPartOfASecond(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const name = `m${n}`;
  const perSecond = 3;
  const one = () => createCall(d, name, { brand_id: { $role: 'firm', has: 'brand' } });
  const some = (count: number) => Array.from({ length: count }, one);
  let sinceFirstMs = 0;
  const wait = (byMs: number): Step => {
    sinceFirstMs += byMs;
    return advance(d, byMs);
  };
  return [
    { do: 'mint', n, name, wish: { scopes: ['accounts:write'], perSecond } },
    // Off the whole second, for whoever counts by the clock's.
    advance(d, 137),
    ...PARTS_MS.flatMap((byMs) => [
      ...some(perSecond + 1),
      wait(byMs),
      ...some(Math.min(perSecond, Math.floor((byMs * perSecond) / SECOND_MS)) + 1),
      wait(2 * SECOND_MS),
    ]),
    ...WINDOWS_MS.flatMap((windowMs) => [
      wait(windowMs - JUST_BEFORE_MS - sinceFirstMs),
      ...some(perSecond),
      wait(JUST_BEFORE_MS),
      one(),
    ]),
  ];
}

const needsHook = ['receiver', 'clock'] as const;

export const eventGrids: readonly Idea[] = [
  { id: 'webhook/one-after-the-other', weight: 5, needs: needsHook, draw: oneAfterTheOther },
  { id: 'webhook/again-to-one-url', weight: 4, needs: ['receiver'], draw: againToOneUrl },
  {
    id: 'webhook/every-choice',
    weight: 5,
    needs: ['receiver', 'emit'],
    draw: everyChoice,
  },
  { id: 'webhook/many-at-once', weight: 5, needs: needsHook, draw: manyAtOnce },
  { id: 'webhook/while-one-waits', weight: 5, needs: needsHook, draw: whileOneWaits },
  { id: 'webhook/every-age-of-secrets', weight: 5, needs: needsHook, draw: everyAgeOfSecrets },
  {
    id: 'webhook/retried-over-a-rotation',
    weight: 4,
    needs: needsHook,
    draw: retriedOverARotation,
  },
  {
    id: 'limit/every-part-of-a-second',
    weight: 5,
    needs: ['mint', 'clock', 'rates'],
    draw: everyPartOfASecond,
  },
];
