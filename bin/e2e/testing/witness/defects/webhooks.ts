// Defects of subscriptions, events and deliveries.
import { createHmac } from 'node:crypto';
import type { Sending } from '../delivery.ts';
import { DAY_MS, HOUR_MS, type JsonObject, print } from '../values.ts';
import type { Seams, World } from '../world.ts';
import { delivered, granted, lasting, type Rows, refusedIf, shown, stored } from '../wrap.ts';

const CREATE = 'createWebhook';
const ALL = 'createWebhook getWebhook rotateWebhookSecret disableWebhook';

/** Changes a delivery when it is sent. */
const sending = (change: (sending: Sending, world: World) => Partial<Sending>): Seams =>
  delivered((delivering, world) => ({
    sending: (delivery) => {
      const each = delivering.sending(delivery);
      return { ...each, ...change(each, world) };
    },
  }));

/** Changes the body or the secrets of a delivery, and signs it accordingly. */
const resigned = (
  change: (body: string, secrets: string[], n: number) => { body?: string; secrets?: string[] },
): Seams =>
  sending((each, { delivering, store, style }) => {
    const own = delivering.secretsOf(store.subscription(each.delivery.subscriptionId)!);
    const changed = change(each.body, own, each.n);
    const { body = each.body, secrets = own } = changed;
    const signature = delivering.signature(secrets, delivering.signedAt(), body);
    return { body, headers: { ...each.headers, [style.signatureHeader]: signature } };
  });

const signed = (message: (atMs: number, body: string) => string | Buffer): Seams =>
  delivered(() => ({
    signature: (secrets, atMs, body) => {
      const digests = secrets.map((secret) =>
        createHmac('sha256', secret).update(message(atMs, body)).digest('hex'),
      );
      return [`t=${atMs}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
    },
  }));

export const webhookDefects: Rows = {
  'hook-wants-key (HOOK-1): a subscription needs a key': refusedIf(
    CREATE,
    400,
    (context) => context.headers('idempotency-key').length === 0,
  ),
  'hook-id-text (HOOK-2): the id of a subscription is text': shown(ALL, ({ id }) => ({
    id: String(id),
  })),
  'secret-after-rotation (HOOK-3): after a rotation the new secret can be read': shown(
    'getWebhook',
    ({ id }, { store }) => {
      const { secret, previous_secret } = store.subscription(String(id))!;
      return previous_secret === null ? {} : { secret };
    },
  ),
  'hooks-open (HOOK-6 AUTH-4): every credential may subscribe': granted(CREATE, 'webhooks:manage'),
  'mapped-taken (HOOK-8): private addresses are accepted in the form of IPv6': delivered(
    ({ targetProblem }) => ({
      targetProblem: (url, refuses) =>
        /^https:\/\/\[::ffff:/i.test(url) ? null : targetProblem(url, refuses),
    }),
  ),
  "brand-hook-firm-wide (HOOK-10 EVT-12 HOOK-11): a brand's subscription is firm-wide": stored(
    ({ saveSubscription }) => ({
      saveSubscription: (each) => saveSubscription({ ...each, brand_id: null }),
    }),
  ),
  'list-20 (HOOK-11): the list shows twenty subscriptions at most': stored(({ subscriptions }) => ({
    subscriptions: () => subscriptions().slice(0, 20),
  })),
  'other-firm-403 (HOOK-12 HOOK-11): what exists and is not seen is answered 403': refusedIf(
    'getWebhook',
    403,
    ({ store, pathId }, reply) => reply.status === 404 && store.subscription(pathId) !== undefined,
  ),
  'disabled-resumes (HOOK-13 HOOK-5 EVT-13): what was disabled goes on after a week': {
    clock: (_, { store, memo, clock }) => ({
      tick: () => {
        for (const each of store.subscriptions().filter(({ disabled }) => disabled)) {
          const row = `disabled ${each.id}`;
          if (!memo.has(row)) memo.set(row, clock.now());
          if (clock.now() - Number(memo.get(row)) < 7 * DAY_MS) continue;
          store.saveSubscription({ ...each, disabled: false });
        }
      },
    }),
  },
  'no-event-id (EVT-2a EVT-2b): deliveries have no event id': resigned((body) => {
    const { id, ...rest } = JSON.parse(body) as JsonObject;
    return { body: print(rest) };
  }),
  'put (EVT-3): deliveries are sent by PUT': sending(() => ({ method: 'PUT' })),
  'third-lost (EVT-4 EVT-12): every third event is not delivered': delivered(({ wants }) => ({
    wants: (each, event) => event.seq % 3 !== 0 && wants(each, event),
  })),
  'second-hook-deaf (EVT-4): a second subscription to one URL gets nothing': delivered(
    ({ wants }, { store }) => ({
      wants: (each, event) => {
        const first = store.subscriptions().find(({ url }) => url === each.url);
        return first?.id === each.id && wants(each, event);
      },
    }),
  ),
  't-seconds (EVT-5a EVT-5b): t counts seconds': delivered(({ signedAt }) => ({
    signedAt: () => Math.floor(signedAt() / 1000),
  })),
  'latin-1 (EVT-6): the body is signed as Latin-1 text': signed((atMs, body) =>
    Buffer.from(`${atMs}.${body}`, 'latin1'),
  ),
  'signed-4k (EVT-6): the signature covers the first 4 KB of the body': signed((atMs, body) =>
    Buffer.from(`${atMs}.${body}`).subarray(0, 4096 + 14),
  ),
  'rotation-retry-new-only (EVT-7): retries are signed with the new secret alone': resigned(
    (_, secrets, n) => (n === 1 ? {} : { secrets: secrets.slice(0, 1) }),
  ),
  'seventh-wait (EVT-8a): the last retry comes after 6 hours': lasting('retry', 6 * HOUR_MS, 7),
  'nine-attempts (EVT-8b): there are nine attempts': lasting('retry', 12 * HOUR_MS, 8),
  'redirect-followed (EVT-9a): redirects are followed': sending(() => ({ followsRedirects: true })),
  'five-seconds (EVT-9b): an answer may take 5 seconds': lasting('answer of a receiver', 5_000),
  'last-number-zero (EVT-10a): last_delivered_seq stays 0': stored(({ saveSubscription }) => ({
    saveSubscription: (each) => saveSubscription({ ...each, last_delivered_seq: 0 }),
  })),
  'channel-day (EVT-10b): the channel replays one day': lasting('channel', DAY_MS),
  'channel-20 (EVT-10b): the channel replays twenty events at most': delivered(({ since }) => ({
    since: (...query) => since(...query).slice(0, 20),
  })),
  'no-recheck (EVT-11): the target is not looked at again': delivered(({ targetProblem }) => ({
    targetProblem: (url, refuses) => (refuses ? targetProblem(url, true) : null),
  })),
  'recheck-silent (EVT-11): a target that is not public any more gets no reason': delivered(
    ({ disable }) => ({
      disable: (each, reason) =>
        disable(each, /not valid any more/.test(reason ?? '') ? null : reason),
    }),
  ),
  "brand-hears-all (EVT-12): a brand gets the events of its firm's other brands": delivered(
    ({ wants }) => ({ wants: (each, event) => wants({ ...each, brand_id: null }, event) }),
  ),
  'disabled-retries (EVT-13 HOOK-5 HOOK-13): what failed before a disabling is tried again':
    delivered(({ disable }, { store }) => ({
      isWaiting: ({ subscriptionId, status, inFlight }) =>
        status === 'pending' && !inFlight && !store.subscription(subscriptionId)!.stopped,
      disable: (each, reason) =>
        /not valid/.test(reason ?? '')
          ? disable(each, reason)
          : store.saveSubscription({ ...each, disabled: true, disabled_reason: reason }),
    })),
};
