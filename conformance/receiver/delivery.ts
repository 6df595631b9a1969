// A delivery to a receiver: an event, its bytes and its signature, and how it differs from a valid
// one. Nothing depends on chance: a receiver that compares part of a digest must not pass or fail
// because a wrong signature happens to share digits with the correct one.
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

interface DeliveryOptions {
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

/** One delivery of a check. */
export interface Probe {
  readonly delivery: Delivery;
  /** Hex of the signature that a response must not reveal. */
  readonly expectedMac?: string;
}

/** The values from which a signature header can be made. */
export interface Parts {
  readonly t: string;
  /** The correct v1 of the body as signed. */
  readonly mac: string;
  readonly body: Uint8Array;
  /** The correct signature header. */
  readonly right: string;
  /** The v1 of this body for another t, or under another secret. */
  readonly macFor: (t: string, secret?: string | Buffer) => string;
  /** The hex of another HMAC under the correct secret. */
  readonly hmac: (algorithm: string, ...parts: readonly (string | Uint8Array)[]) => string;
  readonly secret: string;
  readonly previousSecret: string;
}

/**
 * Makes a header, of several lines if it is a list. A text may contain `{t}`, `{mac}`, `{right}`,
 * `{now}`, `{wrong}` (no digit of it is correct), `{previous}` (under the previous secret) and
 * `{mac:text}`, the v1 if t is this text.
 */
export type HeaderOf = string | ((parts: Parts) => string | readonly string[]);

function headerFrom(headerOf: HeaderOf, parts: Parts): string | readonly string[] {
  if (typeof headerOf === 'function') return headerOf(parts);
  const { t, mac, right, macFor, previousSecret } = parts;
  const previous = macFor(t, previousSecret);
  const texts: Readonly<Record<string, string>> = {
    ...{ t, mac, right, previous, wrong: shiftDigits(mac), now: String(Date.now()) },
  };
  return headerOf.replace(/\{(\w+)(?::(\w*))?\}/g, (_, name: string, other?: string) =>
    other === undefined ? texts[name]! : macFor(other),
  );
}

/** How the deliveries of a check differ from a valid one. */
export interface Difference {
  /** Members of the event. */
  readonly event?: object;
  readonly print?: (event: object) => string;
  /** The body to send, derived from the signed body. */
  readonly sent?: (signed: Uint8Array, signing: SigningOptions) => Uint8Array;
  /** The signature header; each is sent in a separate delivery, a list becomes several lines. */
  readonly headers?: readonly HeaderOf[];
  /** Ages of the signature; each is sent in a separate delivery. */
  readonly agesMs?: readonly number[];
  readonly form?: (body: Uint8Array) => Pick<DeliveryOptions, 'contentType' | 'chunked' | 'cutsAt'>;
  /** Changes the spelling of the header names. */
  readonly named?: (name: string) => string;
  /** Part of the signature is correct on purpose. */
  readonly isPartly?: boolean;
  /** Whether a correct v1 suits the check. */
  readonly suits?: (mac: string) => boolean;
}

/** The maximum number of draws; about two in three are usable. */
const MAX_DRAWS = 500;

/** `own` is sent instead of a new event. */
export function probesOf(
  signing: SigningOptions,
  name: string,
  difference: Difference,
  own?: Uint8Array,
): Probe[] {
  const { headers = ['{right}'], agesMs = [0] } = difference;
  const { isPartly = false, suits = () => true } = difference;
  return headers.flatMap((headerOf, at) => {
    const id = at === 0 ? name : `${name}-part-${at + 1}`;
    // EVT-2b: a redelivery has the bytes of the first delivery.
    const event = { occurred_at: Date.now(), ...difference.event };
    return agesMs.map((ageMs) => {
      const draw = (turn: number) =>
        probeOf(signing, turn === 0 ? id : `${id}-${turn}`, {
          ...{ ...difference, event, headerOf, ageMs, own },
        });
      let drawn = draw(0);
      const isOpen = () =>
        own === undefined &&
        (!suits(drawn.mac) || (!isPartly && matchesByChance(signing, drawn.probe.delivery)));
      for (let turn = 1; turn < MAX_DRAWS && isOpen(); turn += 1) drawn = draw(turn);
      return drawn.probe;
    });
  });
}

interface Drawn extends Difference {
  readonly headerOf: HeaderOf;
  readonly ageMs: number;
  readonly own: Uint8Array | undefined;
}

function probeOf(signing: SigningOptions, name: string, difference: Drawn) {
  const { event, print = JSON.stringify, headerOf, ageMs, form } = difference;
  const { sent = (signed) => signed, named = (written) => written } = difference;
  const { secret, previousSecret, names } = signing;
  const body = difference.own ?? bytesOf(print({ ...eventOf(signing, name), ...event }));
  const t = String(Date.now() - ageMs);
  const macFor = (other: string, own: string | Buffer = secret) => macOf(own, other, body);
  const mac = macFor(t);
  const hmac: Parts['hmac'] = (algorithm, ...parts) =>
    parts.reduce((hmac, part) => hmac.update(part), createHmac(algorithm, secret)).digest('hex');
  const parts: Parts = {
    ...{ t, mac, body, macFor, hmac, secret, right: `t=${t},v1=${mac}` },
    previousSecret: previousSecret ?? 'whsec_before',
  };
  const signature = [headerFrom(headerOf, parts)].flat();
  const spelt = { signature: named(names.signature), subscription: named(names.subscription) };
  const bytes = sent(body, signing);
  const delivery = deliveryOf(
    { ...signing, names: spelt },
    { body: bytes, signature, ...form?.(bytes) },
  );
  const expectedMac = macOf(secret, t, bytes);
  // A receiver can only reveal a signature that was not sent to it.
  const isSent = signature.some((line) => line.includes(expectedMac));
  const probe: Probe = isSent ? { delivery } : { delivery, expectedMac };
  return { probe, mac };
}

/** Replaces each digit with another, so that no digit is correct. */
export function shiftDigits(hex: string): string {
  return hex.replace(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16));
}

/** Whether a wrong signature is correct in some byte, or in its first or last digit. */
function matchesByChance(signing: SigningOptions, { headers, body }: Delivery): boolean {
  const pairs = headers
    .filter(([name]) => name === signing.names.signature)
    .flatMap(([, value]) => value.split(','))
    .map((part) => part.trim().split('=', 2) as [string, string?]);
  const times = pairs.filter(([key]) => key === 't').map(([, value = '']) => value);
  const secrets = [signing.secret, signing.previousSecret].filter((each) => each !== null);
  const macs = secrets.flatMap((secret) =>
    // There may be receivers that compute with an empty t if there is none.
    (times.length === 0 ? [''] : times).map((t) => macOf(secret, t, body)),
  );
  return pairs.some(
    ([key, value = '']) =>
      key !== 't' && macs.some((mac) => value !== mac && sharesBytes(value, mac)),
  );
}

function sharesBytes(candidate: string, mac: string): boolean {
  if (candidate === '') return false;
  if (candidate[0] === mac[0] || candidate.at(-1) === mac.at(-1)) return true;
  for (let at = 0; at < mac.length; at += 2) {
    if (candidate.slice(at, at + 2) === mac.slice(at, at + 2)) return true;
  }
  return false;
}
