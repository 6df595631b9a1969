// Shows that deliveries can arrive before rules are judged by whether they do: a tunnel that is
// down is no fault of the target.
import { setTimeout as sleep } from 'node:timers/promises';
import { Unreachable } from '../engine/scenario-errors.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import { memberOf, type ProbeSession, probeName, sendProbe } from './probe.ts';
import type { Credential } from './target.ts';
import type { WebhookEndpoint } from './webhook-receiver.ts';

const PATIENCE_MS = 10_000;

/** Whether a request to the hook's public url arrives at the receiver. */
export async function reachesReceiver(
  session: ProbeSession,
  hook: WebhookEndpoint,
): Promise<boolean> {
  try {
    await session.sender.send({
      method: 'POST',
      url: hook.url,
      headers: [['content-type', 'application/json']],
      body: Buffer.from('{}'),
      timeoutMs: PATIENCE_MS,
      signal: session.signal,
    });
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
  }
  return hook.deliveries.length > 0;
}

/** Whether an event of the target itself arrives, where its url means something to it alone. */
export async function deliveryArrives(
  session: ProbeSession,
  hook: WebhookEndpoint,
  credential: Credential,
): Promise<boolean> {
  const { token } = credential;
  const wish = { url: hook.url, event_categories: ['account'] };
  const made = await sendProbe(session, token, 'POST', '/api/v1/webhooks', wish);
  const id = made !== undefined && made.status < 300 ? memberOf(made, 'id') : undefined;
  if (id === undefined) return false;
  const name = probeName(session, 'canary');
  const account = {
    client_reference_id: name,
    email: `${name}@conformance.example.com`,
    ...(credential.brandId === undefined ? {} : { brand_id: credential.brandId }),
  };
  const key: HeaderLine = ['idempotency-key', name];
  await sendProbe(session, token, 'POST', '/api/v1/accounts', account, [key]);
  const endMs = performance.now() + Math.min(session.timeoutMs, PATIENCE_MS);
  while (hook.deliveries.length === 0 && performance.now() < endMs && !session.signal?.aborted) {
    await sleep(25);
  }
  await sendProbe(session, token, 'POST', `/api/v1/webhooks/${String(id)}/disable`);
  return hook.deliveries.length > 0;
}
