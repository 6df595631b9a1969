// Shows that deliveries can arrive before rules are judged by whether they do: a tunnel that is
// down is no fault of the target.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeaderLine } from '../engine/headers.ts';
import { Unreachable } from '../engine/stop.ts';
import { ask, type Knocking, memberOf } from './knock.ts';
import type { Hook } from './receiver.ts';
import type { Credential } from './target.ts';

const PATIENCE_MS = 10_000;

/** Whether a request to the hook's public url arrives at the receiver. */
export async function leadsHere(knocking: Knocking, hook: Hook): Promise<boolean> {
  try {
    await knocking.sender.send({
      method: 'POST',
      url: hook.url,
      headers: [['content-type', 'application/json']],
      body: Buffer.from('{}'),
      timeoutMs: PATIENCE_MS,
      signal: knocking.signal,
    });
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
  }
  return hook.arrivals.length > 0;
}

/** Whether an event of the target itself arrives, where its url means something to it alone. */
export async function deliveryArrives(
  knocking: Knocking,
  hook: Hook,
  credential: Credential,
): Promise<boolean> {
  const { token } = credential;
  const wish = { url: hook.url, event_categories: ['account'] };
  const made = await ask(knocking, token, 'POST', '/api/v1/webhooks', wish);
  const id = made !== undefined && made.status < 300 ? memberOf(made, 'id') : undefined;
  if (id === undefined) return false;
  const mark = randomBytes(6).toString('hex');
  const account = {
    client_reference_id: `canary-${mark}`,
    email: `canary-${mark}@conformance.example.com`,
    ...(credential.brandId === undefined ? {} : { brand_id: credential.brandId }),
  };
  const key: HeaderLine = ['idempotency-key', `canary-${mark}`];
  await ask(knocking, token, 'POST', '/api/v1/accounts', account, [key]);
  const endMs = performance.now() + Math.min(knocking.timeoutMs, PATIENCE_MS);
  while (hook.arrivals.length === 0 && performance.now() < endMs && !knocking.signal?.aborted) {
    await sleep(25);
  }
  await ask(knocking, token, 'POST', `/api/v1/webhooks/${String(id)}/disable`);
  return hook.arrivals.length > 0;
}
