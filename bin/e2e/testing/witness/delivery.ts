// Events and their deliveries: recipients, signing, sending, and retries.
import { createHmac } from 'node:crypto';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import {
  type Credential,
  type Delivery,
  type EventRecord,
  isSeen,
  type Subscription,
} from './records.ts';
import { hostOf, isLiteral, isPublicAddress, print } from './values.ts';
import type { World } from './world.ts';

/** The timeout by the wall clock, used if the world's clock is frozen. */
const PATIENCE_MS = 15_000;

export interface Sending {
  readonly delivery: Delivery;
  /** The first attempt is 1. */
  readonly n: number;
  readonly startedMs: number;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly followsRedirects: boolean;
}

/** A trait or a defect replaces some of its functions. */
export type Delivering = ReturnType<typeof honestDelivering>;

export function enqueue({ store, delivering, clock }: World, event: EventRecord): void {
  for (const each of store.subscriptions()) {
    if (!delivering.wants(each, event)) continue;
    const id = `dlv_${event.seq}_${each.id}`;
    const own = { id, subscriptionId: each.id, event, status: 'pending', attempts: 0 } as const;
    store.saveDelivery({ ...own, dueAtMs: clock.now(), inFlight: false });
  }
}

export function honestDelivering(world: World) {
  const { style, clock, store } = world;

  /** The addresses of a host; null if it is forwarded, because an operator's forward is trusted. */
  const addressesOf = (host: string, url: string): readonly string[] | null => {
    if (isLiteral(host)) return [host];
    const set = world.names.get(host.toLowerCase());
    if (set !== undefined) return set;
    if (world.forwards.has(new URL(url).origin)) return null;
    return world.resolved.get(host.toLowerCase()) ?? [];
  };

  const sentTo = (url: string): string => {
    const { origin, pathname, search } = new URL(url);
    const forward = world.forwards.get(origin);
    if (forward === undefined) return url;
    const to = new URL(forward);
    return to.pathname === '/' ? `${to.origin}${pathname}${search}` : forward;
  };

  const delivering = {
    /** EVT-1, EVT-12, EVT-13: whether a subscription gets an event. */
    wants: (subscription: Subscription, event: EventRecord): boolean =>
      !subscription.disabled &&
      subscription.firm_id === event.firmId &&
      (subscription.brand_id === null || subscription.brand_id === event.brandId) &&
      subscription.event_categories.includes(event.category),
    /** Whether only its due time decides when it is sent. */
    isWaiting: ({ status, inFlight, subscriptionId }: Delivery): boolean => {
      const { stopped, disabled } = store.subscription(subscriptionId)!;
      return status === 'pending' && !inFlight && !stopped && !disabled;
    },
    /** EVT-11, HOOK-8: why deliveries to a URL are refused, or null. */
    targetProblem: (url: string, refusesUnresolved: boolean): string | null => {
      const host = hostOf(url);
      if (host === null) return 'url must be an https:// URL without credentials';
      const addresses = addressesOf(host, url);
      if (addresses === null) return null;
      if (addresses.length === 0) return refusesUnresolved ? `${host} does not resolve` : null;
      return addresses.every(isPublicAddress) ? null : `${host} is not a public address`;
    },
    /** The secrets that currently sign, newest first. */
    secretsOf: ({ secret, previous_secret: previous, rotated_ms }: Subscription): string[] => {
      const isRotating = clock.now() - rotated_ms < clock.lasts('rotation')!;
      return previous !== null && isRotating ? [secret, previous] : [secret];
    },
    /** The timestamp of a signature. */
    signedAt: (): number => (style.signsWith === 'wall' ? Date.now() : clock.now()),
    signature: (secrets: readonly string[], atMs: number, body: string): string => {
      const digests = secrets.map((secret) =>
        createHmac('sha256', secret).update(`${atMs}.`).update(body).digest('hex'),
      );
      return [`t=${atMs}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
    },
    sending: (delivery: Delivery): Sending => {
      const subscription = store.subscription(delivery.subscriptionId)!;
      const body = print(style.envelope(delivery.event));
      const secrets = delivering.secretsOf(subscription);
      const signature = delivering.signature(secrets, delivering.signedAt(), body);
      const headers = {
        'Content-Type': 'application/json',
        [style.signatureHeader]: signature,
        [style.subscriptionHeader]: subscription.id,
      };
      return {
        ...{ delivery, n: delivery.attempts + 1, startedMs: clock.now() },
        ...{ url: sentTo(subscription.url), method: 'POST', headers, body },
        followsRedirects: false,
      };
    },
    /** Records the result of an attempt. */
    ended: ({ delivery, n, startedMs }: Sending, status: number | null): void => {
      const over = { ...store.delivery(delivery.id)!, inFlight: false };
      const subscription = store.subscription(delivery.subscriptionId)!;
      const waitMs = clock.lasts('retry', n);
      if (status !== null && status >= 200 && status < 300) {
        store.saveDelivery({ ...over, status: 'delivered' });
        const last = Math.max(subscription.last_delivered_seq, delivery.event.seq);
        store.saveSubscription({ ...subscription, last_delivered_seq: last });
      } else if (over.status !== 'pending') {
        store.saveDelivery(over);
      } else if (waitMs === null) {
        store.saveDelivery({ ...over, status: 'exhausted' });
        store.saveSubscription({ ...subscription, stopped: style.holdsBack });
      } else {
        // NS-42
        const fromMs = style.countsFrom === 'start' ? startedMs : clock.now();
        store.saveDelivery({ ...over, dueAtMs: fromMs + waitMs });
      }
    },
    disable: (subscription: Subscription, reason: string | null): Subscription => {
      for (const each of store.deliveries()) {
        const isOwn = each.subscriptionId === subscription.id && each.status === 'pending';
        if (isOwn) store.saveDelivery({ ...each, status: 'stopped' });
      }
      const current = store.subscription(subscription.id)!;
      return store.saveSubscription({ ...current, disabled: true, disabled_reason: reason });
    },
    /** EVT-10b */
    since: (credential: Credential, seq: number): readonly EventRecord[] => {
      const fromMs = clock.now() - clock.lasts('channel')!;
      const isShown = (each: EventRecord) => each.seq > seq && each.atMs > fromMs;
      return store.events().filter((each) => isShown(each) && isSeen(credential, each));
    },
  };
  return delivering;
}

/** Sends one delivery, once, and returns a function to cancel it; null: there was no response. */
export function send(sending: Sending, end: (status: number | null) => void): () => void {
  const { url, method, headers, body, followsRedirects } = sending;
  const make = url.startsWith('https:') ? secureRequest : plainRequest;
  const timer = setTimeout(() => end(null), PATIENCE_MS);
  const length = String(Buffer.byteLength(body));
  const options = { method, headers: { ...headers, 'Content-Length': length } };
  const request = make(url, options, (response) => {
    response.resume();
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (followsRedirects && status >= 300 && status < 400 && location !== undefined) {
      send({ ...sending, url: new URL(location, url).href }, end);
      return;
    }
    response.on('end', () => end(status));
    response.on('error', () => end(null));
  });
  request.on('error', () => end(null));
  request.end(body);
  return () => {
    clearTimeout(timer);
    request.destroy();
  };
}
