// Ideas about subscriptions: made, refused, looked at, rotated, disabled, delivered to.
import type { CallStep, Step, Value } from '../sequence.ts';
import { call, type Drawing, type Idea, needsOf, newestOr, newKey } from './idea.ts';
import type { DrawnSubscription, Scene } from './scene.ts';
import { advance } from './time.ts';

export const CATEGORIES = ['account', 'order', 'position', 'transaction'];

/** NS-11: one of each category, so that what an event without a kind is called does not matter. */
const KINDS: Readonly<Record<string, string>> = {
  account: 'account.updated',
  order: 'order.filled',
  position: 'position.opened',
  transaction: 'transaction.created',
};

/** Statuses that an endpoint answers with in turn; the last one goes on. */
const ANSWERS: readonly (readonly number[])[] = [
  [200],
  [200],
  [204],
  [500, 200],
  [404, 200],
  [301, 200],
  [500, 500, 500, 200],
  [200, 500, 200],
  [503],
];

/** EVT-8a. */
export const WAITS = [30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000];

export const BAD_URLS: readonly string[] = [
  'http://hooks.example.com/a',
  'ftp://hooks.example.com/a',
  'hooks.example.com/a',
  'https://localhost/a',
  'https://127.0.0.1/a',
  'https://127.1/a',
  'https://2130706433/a',
  'https://0x7f000001/a',
  'https://0.0.0.0/a',
  'https://10.0.0.1/a',
  'https://172.16.5.4/a',
  'https://192.168.1.1/a',
  'https://169.254.169.254/latest',
  'https://100.64.0.1/a',
  'https://192.0.2.1/a',
  'https://198.18.0.1/a',
  'https://224.0.0.1/a',
  'https://240.0.0.1/a',
  'https://[::1]/a',
  'https://[fc00::1]/a',
  'https://[fe80::1]/a',
  'https://[::ffff:127.0.0.1]/a',
  'https://[64:ff9b::7f00:1]/a',
  'https://[2002:7f00:1::]/a',
  'https://localhost./a',
  '',
];

const someCategories = (d: Drawing): readonly string[] => {
  if (d.random.chance(0.3)) return CATEGORIES;
  const chosen = CATEGORIES.filter(() => d.random.chance(0.5));
  return chosen.length === 0 ? ['account', 'transaction'] : chosen;
};

function subscribe(
  d: Drawing,
  as: string,
  url: Value,
  categories: Value,
  over: Partial<CallStep> = {},
): CallStep {
  const body = { url, event_categories: categories };
  return call(d, { operation: 'createWebhook', as, body, ...over });
}

/** An endpoint of ours, and a subscription that delivers to it. */
export function subscribed(
  d: Drawing,
  as: string,
  answers: readonly number[],
  categories: readonly string[] = someCategories(d),
): readonly Step[] {
  const n = d.scene.label();
  const url: Value = { $of: n, at: 'url' };
  return [{ do: 'hook', n, answers }, subscribe(d, as, url, categories)];
}

/** The same of one that later steps are about. */
export function followed(d: Drawing, answers: readonly number[]) {
  const steps = subscribed(d, d.main, answers, ['account']);
  const id: Value = { $of: steps[steps.length - 1]!.n, at: 'id' };
  const about = (operation: CallStep['operation']) => call(d, { operation, as: d.main, id });
  return { steps, about };
}

const some = ({ subscriptions }: Scene) => subscriptions.length > 0;

/** A call about a subscription there is. */
function about(
  id: string,
  operation: CallStep['operation'],
  over: (d: Drawing, own: DrawnSubscription) => Partial<CallStep> = () => ({}),
  rest: Partial<Idea> = {},
): Idea {
  return {
    id: `webhook/${id}`,
    when: some,
    draw: (d) => {
      const own = newestOr(d, d.scene.subscriptions);
      return [call(d, { operation, as: own.as, id: own.id, ...over(d, own) })];
    },
    ...rest,
  };
}

const made: readonly Idea[] = [
  {
    id: 'webhook/subscribe',
    needs: ['receiver'],
    weight: 4,
    draw: (d) => subscribed(d, d.main, d.random.pick(ANSWERS)),
  },
  {
    id: 'webhook/subscribe-as-brand',
    needs: ['receiver', 'brand'],
    weight: 2,
    draw: (d) => subscribed(d, 'brand', d.random.pick(ANSWERS)),
  },
  {
    id: 'webhook/subscribe-as-other-firm',
    needs: ['receiver', 'other_firm'],
    weight: 0.7,
    draw: (d) => subscribed(d, 'other_firm', [200]),
  },
  {
    id: 'webhook/subscribe-under-a-key',
    needs: ['receiver'],
    when: some,
    draw: (d) => {
      const n = d.scene.label();
      const key = newKey(d);
      const url: Value = { $of: n, at: 'url' };
      return [
        { do: 'hook', n, answers: [200] },
        subscribe(d, d.main, url, ['order'], { key }),
        subscribe(d, d.main, url, ['account'], { key }),
      ];
    },
  },
  {
    id: 'webhook/subscribe-twice',
    needs: ['receiver'],
    draw: (d) => {
      const steps = subscribed(d, d.main, [200]);
      const step = steps[1] as CallStep;
      return [...steps, { ...step, n: d.scene.label() }];
    },
  },
  {
    id: 'webhook/broken-json',
    draw: (d) => [
      call(d, { operation: 'createWebhook', as: d.main, raw: '{"event_categories": [' }),
    ],
  },
  {
    id: 'webhook/bad-url',
    weight: 5,
    draw: (d) => [subscribe(d, d.main, d.random.pick(BAD_URLS), ['order'])],
  },
  {
    id: 'webhook/bad-urls',
    weight: 2,
    draw: (d) => BAD_URLS.map((url) => subscribe(d, d.main, url, ['order'])),
  },
  {
    id: 'webhook/name-with-a-private-address',
    needs: ['dns'],
    weight: 2,
    draw: (d) => {
      const name = `n${d.stem()}.example.com`;
      const addresses = d.random.pick([
        ['93.184.216.34', '10.0.0.1'],
        ['127.0.0.1', '93.184.216.34'],
        ['fc00::1'],
        ['::ffff:10.0.0.1'],
        ['169.254.169.254'],
      ]);
      return [
        { do: 'resolve', n: d.scene.label(), name, addresses },
        subscribe(d, d.main, `https://${name}/a`, ['order']),
      ];
    },
  },
  ...[[], ['orders'], ['ACCOUNT']].map(
    (categories): Idea => ({
      id: `webhook/categories-${categories[0] ?? 'none'}`,
      needs: ['receiver'],
      weight: 0.7,
      draw: (d) => {
        const n = d.scene.label();
        return [
          { do: 'hook', n, answers: [200] },
          subscribe(d, d.main, { $of: n, at: 'url' }, categories),
        ];
      },
    }),
  ),
  ...(['no_scopes', 'delegated', 'nobody'] as const).map(
    (role): Idea => ({
      id: `webhook/list-as-${role}`,
      needs: needsOf(role),
      weight: 0.5,
      draw: (d) => [call(d, { operation: 'listWebhooks', as: role })],
    }),
  ),
];

const asked: readonly Idea[] = [
  about('list', 'listWebhooks', () => ({}), {
    weight: 2,
    draw: (d) => [call(d, { operation: 'listWebhooks', as: d.main })],
  }),
  about('list-as-brand', 'listWebhooks', () => ({}), {
    needs: ['brand'],
    draw: (d) => [call(d, { operation: 'listWebhooks', as: 'brand' })],
  }),
  about('list-as-other-firm', 'listWebhooks', () => ({}), {
    needs: ['other_firm'],
    draw: (d) => [call(d, { operation: 'listWebhooks', as: 'other_firm' })],
  }),
  about('get', 'getWebhook', () => ({}), { weight: 3 }),
  about('rotate', 'rotateWebhookSecret', () => ({}), { weight: 3 }),
  about('rotate-under-a-key', 'rotateWebhookSecret', (d) => ({ key: newKey(d) }), { weight: 0.5 }),
  about('disable', 'disableWebhook', () => ({}), { weight: 2 }),
  ...(['getWebhook', 'rotateWebhookSecret', 'disableWebhook'] as const).flatMap((operation) => [
    about(`${operation}-unknown`, operation, () => ({ id: '99999999' }), { weight: 0.5 }),
    about(`${operation}-as-other-firm`, operation, () => ({ as: 'other_firm' }), {
      needs: ['other_firm'],
    }),
    about(`${operation}-as-other-brand`, operation, () => ({ as: 'other_brand' }), {
      needs: ['other_brand'],
      weight: 0.5,
    }),
    about(`${operation}-as-no-scopes`, operation, () => ({ as: 'no_scopes' }), {
      needs: ['no_scopes'],
      weight: 0.5,
    }),
  ]),
];

const events: readonly Idea[] = [
  {
    id: 'webhook/event',
    needs: ['emit', 'receiver'],
    weight: 3,
    when: some,
    draw: (d) => {
      const account = d.scene.accounts.at(-1)?.id;
      const category = d.random.pick(CATEGORIES);
      const named = account === undefined || d.random.chance(0.3) ? {} : { account };
      return [{ do: 'emit', n: d.scene.label(), category, kind: KINDS[category]!, ...named }];
    },
  },
  {
    id: 'webhook/retries',
    needs: ['clock', 'receiver'],
    weight: 3,
    when: some,
    draw: (d) => {
      const rounds = 1 + d.random.below(WAITS.length);
      const last = WAITS[rounds - 1]!;
      const early = d.random.pick([1, 1_000, Math.round(last / 10), Math.round(last / 2)]);
      const whole = WAITS.slice(0, rounds - 1).map((byMs) => advance(d, byMs));
      return [...whole, advance(d, last - early), advance(d, early)];
    },
  },
];

export const webhookIdeas: readonly Idea[] = [...made, ...asked, ...events];
