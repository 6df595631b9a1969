// Defects of subscriptions, events and deliveries.
import { createHmac } from 'node:crypto';
import { headerOf, refuse } from '../replies.ts';
import type { Sending, World } from '../types.ts';
import { type JsonObject, print } from '../values.ts';
import {
  DAY_MS,
  decided,
  delivered,
  granted,
  HOUR_MS,
  lasting,
  type Row,
  sent,
  shown,
  stored,
} from './wrap.ts';

const CREATE = 'createWebhook';
const ALL = 'createWebhook getWebhook rotateWebhookSecret disableWebhook';

/** Changes what is sent. */
const sending = (change: (sending: Sending, world: World) => Partial<Sending>): Row[4] =>
  delivered((delivering, world) => ({
    sending: (delivery) => {
      const each = delivering.sending(delivery);
      return { ...each, ...change(each, world) };
    },
  }));

/** Changes the envelope, which is signed as it is sent. */
const envelope = (change: (envelope: JsonObject, attempt: number) => JsonObject): Row[4] =>
  delivered((delivering, { style, store }) => ({
    sending: (delivery) => {
      const each = delivering.sending(delivery);
      const body = print(change(style.envelope(delivery.event), each.attempt.n));
      const secrets = delivering.secretsOf(store.subscription(delivery.subscriptionId)!);
      const signature = delivering.signature(secrets, delivering.signedAt(delivery), body);
      return { ...each, body, headers: { ...each.headers, [style.signatureHeader]: signature } };
    },
  }));

const signed = (message: (atMs: number, body: string) => string | Buffer): Row[4] =>
  delivered(() => ({
    signature: (secrets, atMs, body) =>
      [
        `t=${atMs}`,
        ...secrets.map((secret) => {
          return `v1=${createHmac('sha256', secret).update(message(atMs, body)).digest('hex')}`;
        }),
      ].join(','),
  }));

const retry = (n: number, ms: number | null): Row[4] => ({
  clock: (clock) => ({
    lasts: (timer, about) => (timer === 'retry' && about === n ? ms : clock.lasts(timer, about)),
  }),
});

export const hookDefects: readonly Row[] = [
  [
    'hook-wants-key',
    'single',
    ['HOOK-1'],
    'A subscription needs a key.',
    decided(CREATE, (_, context) =>
      headerOf(context.call, 'idempotency-key') === undefined
        ? refuse(context, 400, 'idempotency_key_required', 'a key is required')
        : undefined,
    ),
  ],
  [
    'hook-id-text',
    'single',
    ['HOOK-2'],
    'The id of a subscription is text.',
    shown(ALL, (body) => ({ ...body, id: String(body.id) })),
  ],
  [
    'secret-null',
    'single',
    ['HOOK-3'],
    'Reading a subscription shows a secret of null.',
    shown('getWebhook', (body) => ({ ...body, secret: null })),
  ],
  [
    'secret-after-rotation',
    'combination',
    ['HOOK-3'],
    'After a rotation the new secret can be read.',
    shown('getWebhook', (body, { world }) => {
      const { secret, previous_secret } = world.store.subscription(String(body.id))!;
      return previous_secret === null ? body : { ...body, secret };
    }),
  ],
  [
    'rotate-same',
    'single',
    ['HOOK-4', 'EVT-7', 'EVT-6'],
    'Rotating answers the secret that there was.',
    stored((store) => ({
      saveSubscription: (each) => {
        const before = store.subscription(each.id);
        return store.saveSubscription({ ...each, secret: before?.secret ?? each.secret });
      },
    })),
  ],
  [
    'disable-nothing',
    'single',
    ['HOOK-5', 'HOOK-13', 'EVT-13'],
    'Disabling changes nothing.',
    delivered(() => ({
      disable: (subscription) => ({
        ...subscription,
        disabled: true,
        disabled_reason: 'by request',
      }),
    })),
  ],
  [
    'hooks-open',
    'single',
    ['HOOK-6', 'AUTH-4'],
    'Every credential may subscribe.',
    granted(CREATE, 'webhooks:manage'),
  ],
  [
    'http-taken',
    'single',
    ['HOOK-7'],
    'http:// is accepted.',
    delivered((delivering) => ({
      targetProblem: (url, refuses) =>
        delivering.targetProblem(url.replace(/^http:/, 'https:'), refuses),
    })),
  ],
  [
    'private-taken',
    'single',
    ['HOOK-8', 'EVT-11'],
    'Private addresses are accepted.',
    delivered((delivering) => ({
      targetProblem: (url, refuses) => {
        const isPrivate = /^https:\/\/(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(url);
        return isPrivate ? null : delivering.targetProblem(url, refuses);
      },
    })),
  ],
  [
    'mapped-taken',
    'combination',
    ['HOOK-8'],
    'Private addresses are accepted in the form of IPv6.',
    delivered((delivering) => ({
      targetProblem: (url, refuses) =>
        /^https:\/\/\[::ffff:/i.test(url) ? null : delivering.targetProblem(url, refuses),
    })),
  ],
  [
    'names-taken',
    'single',
    ['HOOK-8', 'EVT-11'],
    'Names are accepted whatever they resolve to.',
    delivered((delivering) => ({
      targetProblem: (url, refuses) =>
        /^https:\/\/[a-z][^:@/]*(\/|$)/i.test(url) ? null : delivering.targetProblem(url, refuses),
    })),
  ],
  [
    'no-categories',
    'single',
    ['HOOK-9'],
    'An empty list of categories is accepted.',
    sent(CREATE, (body) => {
      const isEmpty = Array.isArray(body.event_categories) && body.event_categories.length === 0;
      return isEmpty ? { ...body, event_categories: ['account'] } : body;
    }),
  ],
  [
    'order-refused',
    'single',
    ['HOOK-9', 'EVT-1', 'EVT-4'],
    'The category order is dropped.',
    sent(CREATE, (body) => {
      const categories = body.event_categories as string[];
      const others = Array.isArray(categories) ? categories.filter((each) => each !== 'order') : [];
      return others.length > 0 ? { ...body, event_categories: others } : body;
    }),
  ],
  [
    'brand-hook-firm-wide',
    'single',
    ['HOOK-10', 'EVT-12', 'HOOK-11'],
    "A brand's subscription is made firm-wide.",
    stored((store) => ({
      saveSubscription: (each) => store.saveSubscription({ ...each, brand_id: null }),
    })),
  ],
  [
    'list-firm',
    'single',
    ['HOOK-11'],
    "A brand sees its firm's subscriptions.",
    stored((store) => ({
      sees: (credential, each) => store.sees({ ...credential, brand_id: null }, each),
    })),
  ],
  [
    'list-20',
    'size',
    ['HOOK-11'],
    'The list shows twenty subscriptions at most.',
    stored((store) => ({ subscriptions: () => store.subscriptions().slice(0, 20) })),
  ],
  [
    'other-firm-403',
    'single',
    ['HOOK-12', 'HOOK-11'],
    'What is not seen is answered 403 although it exists.',
    decided('getWebhook', (reply, context) =>
      reply.status === 404 && context.world.store.subscription(context.pathId) !== undefined
        ? refuse(context, 403, 'forbidden', 'it belongs to another firm')
        : undefined,
    ),
  ],
  [
    'disabled-resumes',
    'time',
    ['HOOK-13', 'HOOK-5', 'EVT-13'],
    'What was disabled goes on after a week.',
    {
      clock: (_, { store, memo, clock }) => ({
        tick: () => {
          for (const each of store.subscriptions()) {
            if (!each.disabled) continue;
            const row = `disabled ${each.id}`;
            if (!memo.has(row)) memo.set(row, clock.now());
            if (clock.now() - Number(memo.get(row)) < 7 * DAY_MS) continue;
            store.saveSubscription({ ...each, disabled: false });
          }
        },
      }),
    },
  ],
];

export const eventDefects: readonly Row[] = [
  [
    'all-categories',
    'single',
    ['EVT-1'],
    'Every category is delivered.',
    delivered((delivering) => ({
      wants: (each, event) =>
        delivering.wants({ ...each, event_categories: [event.category] }, event),
    })),
  ],
  [
    'no-event-id',
    'single',
    ['EVT-2a', 'EVT-2b'],
    'Deliveries have no event id.',
    envelope(({ id, ...rest }) => rest),
  ],
  [
    'number-by-attempt',
    'single',
    ['EVT-2b', 'EVT-2a'],
    'A retry carries another sequence number.',
    envelope((each, attempt) => {
      const name = 'seq' in each ? 'seq' : 'sequence';
      return { ...each, [name]: Number(each[name]) + 1000 * (attempt - 1) };
    }),
  ],
  ['put', 'single', ['EVT-3'], 'Deliveries are sent by PUT.', sending(() => ({ method: 'PUT' }))],
  [
    'third-lost',
    'single',
    ['EVT-4', 'EVT-12'],
    'Every third event is not delivered.',
    delivered((delivering) => ({
      wants: (each, event) => event.seq % 3 !== 0 && delivering.wants(each, event),
    })),
  ],
  [
    'second-hook-deaf',
    'combination',
    ['EVT-4'],
    'A second subscription to one URL gets nothing.',
    delivered((delivering, { store }) => ({
      wants: (each, event) => {
        const first = store.subscriptions().find(({ url }) => url === each.url);
        return first?.id === each.id && delivering.wants(each, event);
      },
    })),
  ],
  [
    't-seconds',
    'single',
    ['EVT-5a', 'EVT-5b'],
    't counts seconds.',
    delivered((delivering) => ({
      signedAt: (delivery) => Math.floor(delivering.signedAt(delivery) / 1000),
    })),
  ],
  [
    't-of-first',
    'single',
    ['EVT-5b'],
    't is the time of the first attempt.',
    delivered((delivering, { clock }) => ({
      signedAt: (delivery) => {
        const first = delivery.attempts[0]?.at_ms ?? clock.now();
        return delivering.signedAt(delivery) - (clock.now() - first);
      },
    })),
  ],
  [
    'no-dot',
    'single',
    ['EVT-6', 'EVT-7'],
    'The signed message has no dot.',
    signed((atMs, body) => `${atMs}${body}`),
  ],
  [
    'latin-1',
    'combination',
    ['EVT-6'],
    'The body is signed as Latin-1 text.',
    signed((atMs, body) => Buffer.from(`${atMs}.${body}`, 'latin1')),
  ],
  [
    'signed-4k',
    'size',
    ['EVT-6'],
    'The signature covers the first 4 KB of the body.',
    signed((atMs, body) => Buffer.from(`${atMs}.${body}`).subarray(0, 4096 + 14)),
  ],
  [
    'rotation-new-only',
    'single',
    ['EVT-7'],
    'A rotation signs with the new secret alone.',
    delivered(() => ({ secretsOf: ({ secret }) => [secret] })),
  ],
  [
    'rotation-retry-new-only',
    'combination',
    ['EVT-7'],
    'During a rotation retries are signed with the new secret alone.',
    delivered((delivering, { store, style }) => ({
      sending: (delivery) => {
        const each = delivering.sending(delivery);
        if (each.attempt.n === 1) return each;
        const { secret } = store.subscription(delivery.subscriptionId)!;
        const atMs = delivering.signedAt(delivery);
        const signature = delivering.signature([secret], atMs, each.body);
        return { ...each, headers: { ...each.headers, [style.signatureHeader]: signature } };
      },
    })),
  ],
  ['first-wait', 'single', ['EVT-8a'], 'The first retry comes after 60 seconds.', retry(1, 60_000)],
  [
    'seventh-wait',
    'time',
    ['EVT-8a'],
    'The last retry comes after 6 hours.',
    retry(7, 6 * HOUR_MS),
  ],
  ['nine-attempts', 'single', ['EVT-8b'], 'There are nine attempts.', retry(8, 12 * HOUR_MS)],
  [
    'redirect-success',
    'single',
    ['EVT-9a'],
    'A redirect counts as delivered.',
    delivered((delivering) => ({
      isSuccess: (status, delivery) =>
        delivering.isSuccess(status, delivery) ||
        (status !== null && status >= 300 && status < 400),
    })),
  ],
  [
    'redirect-followed',
    'single',
    ['EVT-9a'],
    'Redirects are followed.',
    sending(() => ({ followsRedirects: true })),
  ],
  [
    'no-content-failure',
    'single',
    ['EVT-9a'],
    'A 204 counts as a failure.',
    delivered((delivering) => ({
      isSuccess: (status, delivery) => status !== 204 && delivering.isSuccess(status, delivery),
    })),
  ],
  [
    'five-seconds',
    'single',
    ['EVT-9b'],
    'An answer may take 5 seconds.',
    lasting('answer of a receiver', 5_000),
  ],
  [
    'last-number-zero',
    'single',
    ['EVT-10a'],
    'last_delivered_seq stays 0.',
    stored((store) => ({
      saveSubscription: (each) => store.saveSubscription({ ...each, last_delivered_seq: 0 }),
    })),
  ],
  [
    'channel-day',
    'single',
    ['EVT-10b'],
    'The channel replays one day.',
    lasting('channel', DAY_MS),
  ],
  [
    'channel-20',
    'size',
    ['EVT-10b'],
    'The channel replays twenty events at most.',
    delivered((delivering) => ({ since: (...query) => delivering.since(...query).slice(0, 20) })),
  ],
  [
    'no-recheck',
    'single',
    ['EVT-11'],
    'The target is not looked at again.',
    delivered((delivering) => ({
      targetProblem: (url, refuses) => (refuses ? delivering.targetProblem(url, true) : null),
    })),
  ],
  [
    'recheck-silent',
    'single',
    ['EVT-11'],
    'A target that is not public any more gets no reason.',
    delivered((delivering) => ({
      disable: (each, reason) =>
        delivering.disable(each, /not valid any more/.test(reason ?? '') ? null : reason),
    })),
  ],
  [
    'brand-hears-all',
    'single',
    ['EVT-12'],
    "A brand gets the events of its firm's other brands.",
    delivered((delivering) => ({
      wants: (each, event) => delivering.wants({ ...each, brand_id: null }, event),
    })),
  ],
  [
    'disabled-retries',
    'combination',
    ['EVT-13', 'HOOK-5', 'HOOK-13'],
    'What failed before a disabling is tried again.',
    delivered((delivering, { store }) => ({
      isWaiting: (delivery) => {
        const { stopped } = store.subscription(delivery.subscriptionId)!;
        return delivery.status === 'pending' && !delivery.inFlight && !stopped;
      },
      disable: (subscription, reason) =>
        /not valid/.test(reason ?? '')
          ? delivering.disable(subscription, reason)
          : store.saveSubscription({ ...subscription, disabled: true, disabled_reason: reason }),
    })),
  ],
  [
    'last-number-null',
    'single',
    ['HOOK-2'],
    'A new subscription has delivered null.',
    shown(CREATE, (body) => ({ ...body, last_delivered_seq: null })),
  ],
];
