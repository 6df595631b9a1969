// Events and their deliveries: who gets one, how it is signed, and what comes after an attempt.
import { createHmac } from 'node:crypto';
import type { Attempt, Credential, EventRecord } from './records.ts';
import type { Delivering, World } from './types.ts';
import { hostOf, isLiteral, isPublicAddress, print } from './values.ts';

export function enqueue({ store, delivering, clock }: World, event: EventRecord): void {
  for (const subscription of store.subscriptions()) {
    if (!delivering.wants(subscription, event)) continue;
    store.saveDelivery({
      id: `dlv_${event.seq}_${subscription.id}`,
      subscriptionId: subscription.id,
      event,
      status: 'pending',
      attempts: [],
      dueAtMs: clock.now(),
      inFlight: false,
    });
  }
}

export function mayHear(credential: Credential, { firmId, brandId, accountId }: EventRecord) {
  return (
    credential.firm_id === firmId &&
    (credential.brand_id === null || credential.brand_id === brandId) &&
    (credential.kind === 'server' || credential.account_id === accountId)
  );
}

export function honestDelivering(world: World): Delivering {
  const { style, clock, store } = world;

  /** What a host resolves to; null if it is forwarded, and so is public by an operator's word. */
  const addressesOf = (host: string, url: string): readonly string[] | null => {
    if (isLiteral(host)) return [host];
    const name = host.toLowerCase();
    const set = world.names.get(name);
    if (set !== undefined) return set;
    if (world.forwards.has(new URL(url).origin)) return null;
    return world.resolved.get(name) ?? [];
  };

  const sentTo = (url: string): string => {
    const { origin, pathname, search } = new URL(url);
    const forward = world.forwards.get(origin);
    if (forward === undefined) return url;
    const to = new URL(forward);
    return to.pathname === '/' ? `${to.origin}${pathname}${search}` : forward;
  };

  const delivering: Delivering = {
    wants: (subscription, event) =>
      !subscription.disabled &&
      subscription.firm_id === event.firmId &&
      (subscription.brand_id === null || subscription.brand_id === event.brandId) &&
      subscription.event_categories.includes(event.category),
    isWaiting: ({ status, inFlight, subscriptionId }) => {
      const { stopped, disabled } = store.subscription(subscriptionId)!;
      return status === 'pending' && !inFlight && !stopped && !disabled;
    },
    targetProblem: (url, refusesUnresolved) => {
      const host = hostOf(url);
      if (host === null) return 'url must be an https:// URL without credentials';
      const addresses = addressesOf(host, url);
      if (addresses === null) return null;
      if (addresses.length === 0) return refusesUnresolved ? `${host} does not resolve` : null;
      return addresses.every(isPublicAddress) ? null : `${host} is not a public address`;
    },
    secretsOf: ({ secret, previous_secret: previous, rotated_ms: rotatedMs }) => {
      const isRotating = clock.now() - rotatedMs < clock.lasts('rotation')!;
      return previous !== null && isRotating ? [secret, previous] : [secret];
    },
    signedAt: () => (style.signsWith === 'wall' ? Date.now() : clock.now()),
    signature: (secrets, atMs, body) => {
      const digests = secrets.map((secret) =>
        createHmac('sha256', secret).update(`${atMs}.`).update(body).digest('hex'),
      );
      return [`t=${atMs}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
    },
    sending: (delivery) => {
      const subscription = store.subscription(delivery.subscriptionId)!;
      const body = print(style.envelope(delivery.event));
      const secrets = delivering.secretsOf(subscription);
      const signature = delivering.signature(secrets, delivering.signedAt(delivery), body);
      const attempt: Attempt = {
        ...{ n: delivery.attempts.length + 1, at_ms: clock.now(), signature },
        ...{ status: null, error: null },
      };
      const headers = {
        'Content-Type': 'application/json',
        [style.signatureHeader]: signature,
        [style.subscriptionHeader]: subscription.id,
      };
      const url = sentTo(subscription.url);
      return { delivery, attempt, url, method: 'POST', headers, body, followsRedirects: false };
    },
    isSuccess: (status) => status !== null && status >= 200 && status < 300,
    ended: ({ delivery, attempt }, status, error) => {
      const current = store.delivery(delivery.id)!;
      const attempts = [...delivery.attempts, { ...attempt, status, error }];
      const ended = { ...current, inFlight: false, attempts };
      const subscription = store.subscription(delivery.subscriptionId)!;
      if (delivering.isSuccess(status, current)) {
        store.saveDelivery({ ...ended, status: 'delivered' });
        const last = Math.max(subscription.last_delivered_seq, delivery.event.seq);
        store.saveSubscription({ ...subscription, last_delivered_seq: last });
        return;
      }
      if (ended.status !== 'pending') {
        store.saveDelivery(ended);
        return;
      }
      const waitMs = clock.lasts('retry', attempt.n);
      if (waitMs === null) {
        store.saveDelivery({ ...ended, status: 'exhausted' });
        store.saveSubscription({ ...subscription, stopped: style.holdsBack });
        return;
      }
      // NS-42
      const fromMs = style.countsFrom === 'start' ? attempt.at_ms : clock.now();
      store.saveDelivery({ ...ended, dueAtMs: fromMs + waitMs });
    },
    disable: (subscription, reason) => {
      for (const each of store.deliveries()) {
        const isOwn = each.subscriptionId === subscription.id && each.status === 'pending';
        if (isOwn) store.saveDelivery({ ...each, status: 'stopped' });
      }
      const current = store.subscription(subscription.id)!;
      return store.saveSubscription({ ...current, disabled: true, disabled_reason: reason });
    },
    since: (credential, seq) => {
      const sinceMs = clock.now() - clock.lasts('channel')!;
      return store
        .events()
        .filter((each) => each.seq > seq && each.atMs > sinceMs && mayHear(credential, each));
    },
  };
  return delivering;
}
