// Defects of subscriptions, events and deliveries.
import { createHmac } from 'node:crypto';
import { headerOf, refuse } from '../replies.ts';
import type { Seams, Sending, World } from '../types.ts';
import { type JsonObject, print } from '../values.ts';
import {
  DAY_MS,
  decided,
  delivered,
  granted,
  HOUR_MS,
  lasting,
  type Rows,
  shown,
  stored,
} from './wrap.ts';

const CREATE = 'createWebhook';
const ALL = 'createWebhook getWebhook rotateWebhookSecret disableWebhook';

/** Changes what is sent. */
const sending = (change: (sending: Sending, world: World) => Partial<Sending>): Seams =>
  delivered((delivering, world) => ({
    sending: (delivery) => {
      const each = delivering.sending(delivery);
      return { ...each, ...change(each, world) };
    },
  }));

/** Changes the envelope, which is signed as it is sent. */
const envelope = (change: (envelope: JsonObject, attempt: number) => JsonObject): Seams =>
  delivered((delivering, { style, store }) => ({
    sending: (delivery) => {
      const each = delivering.sending(delivery);
      const body = print(change(style.envelope(delivery.event), each.attempt.n));
      const secrets = delivering.secretsOf(store.subscription(delivery.subscriptionId)!);
      const signature = delivering.signature(secrets, delivering.signedAt(delivery), body);
      return { ...each, body, headers: { ...each.headers, [style.signatureHeader]: signature } };
    },
  }));

const signed = (message: (atMs: number, body: string) => string | Buffer): Seams =>
  delivered(() => ({
    signature: (secrets, atMs, body) =>
      [
        `t=${atMs}`,
        ...secrets.map((secret) => {
          return `v1=${createHmac('sha256', secret).update(message(atMs, body)).digest('hex')}`;
        }),
      ].join(','),
  }));

const retry = (n: number, ms: number | null): Seams => ({
  clock: (clock) => ({
    lasts: (timer, about) => (timer === 'retry' && about === n ? ms : clock.lasts(timer, about)),
  }),
});

export const hookDefects: Rows = {
  'hook-wants-key': {
    breaks: ['HOOK-1'],
    sentence: 'A subscription needs a key.',
    ...decided(CREATE, (_, context) =>
      headerOf(context.call, 'idempotency-key') === undefined
        ? refuse(context, 400, 'idempotency_key_required', 'a key is required')
        : undefined,
    ),
  },
  'hook-id-text': {
    breaks: ['HOOK-2'],
    sentence: 'The id of a subscription is text.',
    ...shown(ALL, (body) => ({ ...body, id: String(body.id) })),
  },
  'secret-after-rotation': {
    kind: 'combination',
    breaks: ['HOOK-3'],
    sentence: 'After a rotation the new secret can be read.',
    ...shown('getWebhook', (body, { world }) => {
      const { secret, previous_secret } = world.store.subscription(String(body.id))!;
      return previous_secret === null ? body : { ...body, secret };
    }),
  },
  'hooks-open': {
    breaks: ['HOOK-6', 'AUTH-4'],
    sentence: 'Every credential may subscribe.',
    ...granted(CREATE, 'webhooks:manage'),
  },
  'mapped-taken': {
    kind: 'combination',
    breaks: ['HOOK-8'],
    sentence: 'Private addresses are accepted in the form of IPv6.',
    ...delivered((delivering) => ({
      targetProblem: (url, refuses) =>
        /^https:\/\/\[::ffff:/i.test(url) ? null : delivering.targetProblem(url, refuses),
    })),
  },
  'brand-hook-firm-wide': {
    breaks: ['HOOK-10', 'EVT-12', 'HOOK-11'],
    sentence: "A brand's subscription is made firm-wide.",
    ...stored((store) => ({
      saveSubscription: (each) => store.saveSubscription({ ...each, brand_id: null }),
    })),
  },
  'list-20': {
    kind: 'size',
    breaks: ['HOOK-11'],
    sentence: 'The list shows twenty subscriptions at most.',
    ...stored((store) => ({ subscriptions: () => store.subscriptions().slice(0, 20) })),
  },
  'other-firm-403': {
    breaks: ['HOOK-12', 'HOOK-11'],
    sentence: 'What is not seen is answered 403 although it exists.',
    ...decided('getWebhook', (reply, context) =>
      reply.status === 404 && context.world.store.subscription(context.pathId) !== undefined
        ? refuse(context, 403, 'forbidden', 'it belongs to another firm')
        : undefined,
    ),
  },
  'disabled-resumes': {
    kind: 'time',
    breaks: ['HOOK-13', 'HOOK-5', 'EVT-13'],
    sentence: 'What was disabled goes on after a week.',
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
};

export const eventDefects: Rows = {
  'no-event-id': {
    breaks: ['EVT-2a', 'EVT-2b'],
    sentence: 'Deliveries have no event id.',
    ...envelope(({ id, ...rest }) => rest),
  },
  put: {
    breaks: ['EVT-3'],
    sentence: 'Deliveries are sent by PUT.',
    ...sending(() => ({ method: 'PUT' })),
  },
  'third-lost': {
    breaks: ['EVT-4', 'EVT-12'],
    sentence: 'Every third event is not delivered.',
    ...delivered((delivering) => ({
      wants: (each, event) => event.seq % 3 !== 0 && delivering.wants(each, event),
    })),
  },
  'second-hook-deaf': {
    kind: 'combination',
    breaks: ['EVT-4'],
    sentence: 'A second subscription to one URL gets nothing.',
    ...delivered((delivering, { store }) => ({
      wants: (each, event) => {
        const first = store.subscriptions().find(({ url }) => url === each.url);
        return first?.id === each.id && delivering.wants(each, event);
      },
    })),
  },
  't-seconds': {
    breaks: ['EVT-5a', 'EVT-5b'],
    sentence: 't counts seconds.',
    ...delivered((delivering) => ({
      signedAt: (delivery) => Math.floor(delivering.signedAt(delivery) / 1000),
    })),
  },
  'latin-1': {
    kind: 'combination',
    breaks: ['EVT-6'],
    sentence: 'The body is signed as Latin-1 text.',
    ...signed((atMs, body) => Buffer.from(`${atMs}.${body}`, 'latin1')),
  },
  'signed-4k': {
    kind: 'size',
    breaks: ['EVT-6'],
    sentence: 'The signature covers the first 4 KB of the body.',
    ...signed((atMs, body) => Buffer.from(`${atMs}.${body}`).subarray(0, 4096 + 14)),
  },
  'rotation-retry-new-only': {
    kind: 'combination',
    breaks: ['EVT-7'],
    sentence: 'During a rotation retries are signed with the new secret alone.',
    ...delivered((delivering, { store, style }) => ({
      sending: (delivery) => {
        const each = delivering.sending(delivery);
        if (each.attempt.n === 1) return each;
        const { secret } = store.subscription(delivery.subscriptionId)!;
        const atMs = delivering.signedAt(delivery);
        const signature = delivering.signature([secret], atMs, each.body);
        return { ...each, headers: { ...each.headers, [style.signatureHeader]: signature } };
      },
    })),
  },
  'seventh-wait': {
    kind: 'time',
    breaks: ['EVT-8a'],
    sentence: 'The last retry comes after 6 hours.',
    ...retry(7, 6 * HOUR_MS),
  },
  'nine-attempts': {
    breaks: ['EVT-8b'],
    sentence: 'There are nine attempts.',
    ...retry(8, 12 * HOUR_MS),
  },
  'redirect-followed': {
    breaks: ['EVT-9a'],
    sentence: 'Redirects are followed.',
    ...sending(() => ({ followsRedirects: true })),
  },
  'five-seconds': {
    breaks: ['EVT-9b'],
    sentence: 'An answer may take 5 seconds.',
    ...lasting('answer of a receiver', 5_000),
  },
  'last-number-zero': {
    breaks: ['EVT-10a'],
    sentence: 'last_delivered_seq stays 0.',
    ...stored((store) => ({
      saveSubscription: (each) => store.saveSubscription({ ...each, last_delivered_seq: 0 }),
    })),
  },
  'channel-day': {
    breaks: ['EVT-10b'],
    sentence: 'The channel replays one day.',
    ...lasting('channel', DAY_MS),
  },
  'channel-20': {
    kind: 'size',
    breaks: ['EVT-10b'],
    sentence: 'The channel replays twenty events at most.',
    ...delivered((delivering) => ({
      since: (...query) => delivering.since(...query).slice(0, 20),
    })),
  },
  'no-recheck': {
    breaks: ['EVT-11'],
    sentence: 'The target is not looked at again.',
    ...delivered((delivering) => ({
      targetProblem: (url, refuses) => (refuses ? delivering.targetProblem(url, true) : null),
    })),
  },
  'recheck-silent': {
    breaks: ['EVT-11'],
    sentence: 'A target that is not public any more gets no reason.',
    ...delivered((delivering) => ({
      disable: (each, reason) =>
        delivering.disable(each, /not valid any more/.test(reason ?? '') ? null : reason),
    })),
  },
  'brand-hears-all': {
    breaks: ['EVT-12'],
    sentence: "A brand gets the events of its firm's other brands.",
    ...delivered((delivering) => ({
      wants: (each, event) => delivering.wants({ ...each, brand_id: null }, event),
    })),
  },
  'disabled-retries': {
    kind: 'combination',
    breaks: ['EVT-13', 'HOOK-5', 'HOOK-13'],
    sentence: 'What failed before a disabling is tried again.',
    ...delivered((delivering, { store }) => ({
      isWaiting: (delivery) => {
        const { stopped } = store.subscription(delivery.subscriptionId)!;
        return delivery.status === 'pending' && !delivery.inFlight && !stopped;
      },
      disable: (subscription, reason) =>
        /not valid/.test(reason ?? '')
          ? delivering.disable(subscription, reason)
          : store.saveSubscription({ ...subscription, disabled: true, disabled_reason: reason }),
    })),
  },
};
