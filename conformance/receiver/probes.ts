// Makes the deliveries of a check from how they differ from a valid one. Chance decides nothing: a
// receiver that compares part of a digest must not pass or fail because a wrong signature happens to
// share digits with the right one.
import { createHmac } from 'node:crypto';
import {
  bytesOf,
  type Delivery,
  type DeliveryOptions,
  deliveryOf,
  eventOf,
  macOf,
  type SigningOptions,
} from './delivery.ts';

/** One delivery of a check. */
export interface Probe {
  readonly delivery: Delivery;
  /** Hex of the signature that an answer must not give away. */
  readonly expectedMac?: string;
}

/** What a signature header can be made of. */
export interface Parts {
  readonly t: string;
  /** The right v1 of the body as signed. */
  readonly mac: string;
  readonly body: Uint8Array;
  /** The right signature header. */
  readonly right: string;
  /** The v1 of this body for another t, or under another secret. */
  readonly macFor: (t: string, secret?: string | Buffer) => string;
  /** The hex of another HMAC under the right secret. */
  readonly hmac: (algorithm: string, ...parts: readonly (string | Uint8Array)[]) => string;
  readonly secret: string;
  readonly previousSecret: string;
}

/**
 * Makes a header, of several lines if it is a list. In a text stand `{t}`, `{mac}`, `{right}`, `{now}`,
 * `{wrong}` (no digit of it is right), `{previous}` (under the previous secret) and `{mac:text}`, the
 * v1 if t is this text.
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
  /** The body that is sent, from the one that was signed. */
  readonly sent?: (signed: Uint8Array, signing: SigningOptions) => Uint8Array;
  /** The signature header; each is sent with a delivery of its own, a list is several lines. */
  readonly headers?: readonly HeaderOf[];
  /** Ages of the signature; each is sent with a delivery of its own. */
  readonly agesMs?: readonly number[];
  readonly form?: (body: Uint8Array) => Pick<DeliveryOptions, 'contentType' | 'chunked' | 'cutsAt'>;
  /** How the names of the headers are written. */
  readonly named?: (name: string) => string;
  /** Part of the signature is right on purpose. */
  readonly isPartly?: boolean;
  /** Whether a right v1 suits the check. */
  readonly suits?: (mac: string) => boolean;
}

/** Most draws; about two in three are usable. */
const MOST_DRAWS = 500;

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
    const event = at === 0 ? name : `${name}-part-${at + 1}`;
    return agesMs.map((ageMs) => {
      const draw = (turn: number) =>
        probeOf(signing, turn === 0 ? event : `${event}-${turn}`, {
          ...{ ...difference, headerOf, ageMs, own },
        });
      let drawn = draw(0);
      const isOpen = () =>
        own === undefined &&
        (!suits(drawn.mac) || (!isPartly && matchesByChance(signing, drawn.probe.delivery)));
      for (let turn = 1; turn < MOST_DRAWS && isOpen(); turn += 1) drawn = draw(turn);
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
    parts.reduce((made, part) => made.update(part), createHmac(algorithm, secret)).digest('hex');
  const parts: Parts = {
    ...{ t, mac, body, macFor, hmac, secret, right: `t=${t},v1=${mac}` },
    previousSecret: previousSecret ?? 'whsec_before',
  };
  const signature = [headerFrom(headerOf, parts)].flat();
  const shown = { signature: named(names.signature), subscription: named(names.subscription) };
  const bytes = sent(body, signing);
  const delivery = deliveryOf(
    { ...signing, names: shown },
    { body: bytes, signature, ...form?.(bytes) },
  );
  const expectedMac = macOf(secret, t, bytes);
  // A receiver can only give away a signature that was not sent to it.
  const isSent = signature.some((line) => line.includes(expectedMac));
  const probe: Probe = isSent ? { delivery } : { delivery, expectedMac };
  return { probe, mac };
}

/** Another digit in the place of each, so that nothing of it is right. */
export function shiftDigits(hex: string): string {
  return hex.replace(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16));
}

/** Whether a signature is wrong as a whole and yet right in a byte, or in its first or last digit. */
function matchesByChance(signing: SigningOptions, { headers, body }: Delivery): boolean {
  const pairs = headers
    .filter(([name]) => name === signing.names.signature)
    .flatMap(([, value]) => value.split(','))
    .map((part) => part.trim().split('=', 2) as [string, string?]);
  const times = pairs.filter(([key]) => key === 't').map(([, value = '']) => value);
  const secrets = [signing.secret, signing.previousSecret].filter((each) => each !== null);
  const macs = secrets.flatMap((secret) =>
    // Without a t there may still be receivers that compute with none.
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
