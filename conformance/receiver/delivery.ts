// One delivery to a receiver: an event, its bytes and its signature.
import { createHmac } from 'node:crypto';
import type { HeaderLine } from '../engine/send/headers.ts';

/**
 * Where a receiver expects signature and subscription; the specification does not name the headers
 * (NS-10).
 */
export interface HeaderNames {
  readonly signature: string;
  readonly subscription: string;
}

/** The content of a request: header lines in order, and the bytes of the body. */
export interface Delivery {
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  /** Sent in chunks, without a length. */
  readonly chunked?: boolean;
  /** Where the chunks end, with a pause at each; by default they are short and follow immediately. */
  readonly cutsAt?: readonly number[];
}

/** The platform's side of the signature. */
export interface SigningOptions {
  readonly secret: string;
  /** The secret before a rotation; a receiver still accepts it during the rotation. */
  readonly previousSecret: string | null;
  readonly names: HeaderNames;
  /** The value of the subscription header. */
  readonly subscriptionId?: string;
  /** Part of every event id of the run, so that each id is new. */
  readonly mark: string;
}

/** EVT-6: the lower-case hex HMAC-SHA256 of `t`, a dot and the raw bytes. */
export function macOf(secret: string | Buffer, t: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}

/** A new event, in the envelope of NS-9. */
export function eventOf({ mark }: SigningOptions, name: string): Record<string, unknown> {
  return {
    id: `evt_${mark}_${name}`,
    seq: 1,
    category: 'transaction',
    kind: 'transaction.approved',
    occurred_at: Date.now(),
    firm_id: '1',
    brand_id: '10',
    account_id: '1001',
    data: { id: '9001', account_id: '1001', amount: '250.00', currency: 'USD', status: 'approved' },
  };
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export interface DeliveryOptions {
  readonly body: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly tMs?: number;
  /** Replaces the signature header; several values become several lines. */
  readonly signature?: readonly string[];
  readonly contentType?: string;
  readonly chunked?: boolean;
  readonly cutsAt?: readonly number[];
}

/** A delivery with the headers of EVT-3; without more options it is valid. */
export function deliveryOf(signing: SigningOptions, options: DeliveryOptions): Delivery {
  const { secret, names, subscriptionId = '1' } = signing;
  const { body, tMs = Date.now(), cutsAt, chunked = cutsAt !== undefined } = options;
  const valid = `t=${tMs},v1=${macOf(secret, String(tMs), body)}`;
  const { signature = [valid], contentType = 'application/json; charset=utf-8' } = options;
  return {
    headers: [
      ['content-type', contentType],
      ...signature.map((value): HeaderLine => [names.signature, value]),
      [names.subscription, subscriptionId],
    ],
    body,
    ...(chunked ? { chunked } : {}),
    ...(cutsAt === undefined ? {} : { cutsAt }),
  };
}

/** A valid delivery of a new event. */
export function validDelivery(signing: SigningOptions, name: string): Delivery {
  return deliveryOf(signing, { body: bytesOf(JSON.stringify(eventOf(signing, name))) });
}
