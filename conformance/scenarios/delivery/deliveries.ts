// What a delivery says: its envelope, of which the specification only names `id` (NS-9), and its
// signature, computed independently from the text of EVT-5 and EVT-6 over the raw bytes.
import { createHmac } from 'node:crypto';
import { idText, isObject, type Json, memberAt, parseJson } from '../../engine/send/json.ts';
import type { Operator } from '../../providers/control-plane.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';

export type Envelope = { readonly [name: string]: Json };

/** A delivery as it arrived, or as an exchange of the report. */
export type Bodied = Pick<ReceivedDelivery, 'body'>;
type Headed = Pick<ReceivedDelivery, 'headers'>;

export function textOf({ body }: Bodied): string {
  return new TextDecoder().decode(body);
}

/** Undefined if the body of a delivery is no JSON object. */
export function envelopeIn(delivered: Bodied): Envelope | undefined {
  const json = parseJson(textOf(delivered));
  return isObject(json) ? json : undefined;
}

/** NS-12: a message may be an envelope, a list of them, or hold one. */
export function envelopesIn(text: string): Envelope[] {
  const look = (value: Json | undefined, depth: number): Envelope[] => {
    if (value === null || typeof value !== 'object') return [];
    if (isObject(value) && eventIdOf(value) !== undefined) return [value];
    return depth === 0 ? [] : Object.values(value).flatMap((inner) => look(inner, depth - 1));
  };
  return look(parseJson(text), 2);
}

/** NS-12: the control plane may name the path of the target. */
export async function eventsPathOf(operator: Operator): Promise<string> {
  const { events_path: path } = await operator.settings();
  return typeof path === 'string' && path.startsWith('/') ? path : '/api/v1/events';
}

export function eventIdOf(envelope: Envelope | undefined): string | undefined {
  return idText(envelope?.id);
}

/** Larger than any count of events, smaller than any time in milliseconds. */
const LARGEST_SEQUENCE = 9e11;

/**
 * The members that can be the sequence number: integers that increase from each of these envelopes to
 * the next, and that are neither ids nor times. The envelopes are in the order of their events.
 */
export function sequenceNames(envelopes: readonly Envelope[]): string[] {
  const [first, ...rest] = envelopes;
  if (first === undefined || rest.length === 0) return [];
  return numberNames(first).filter((name) => {
    const values = envelopes.map((each) => sequenceAt(each, name) ?? Number.NaN);
    return values.every((value, at) => value > (values[at - 1] ?? -1));
  });
}

/** The members that may be the sequence number, including `meta.seq` of a nested envelope. */
export function numberNames(envelope: Envelope): string[] {
  const names = Object.entries(envelope).flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
  return names.filter((name) => !/id$/i.test(name) && sequenceAt(envelope, name) !== undefined);
}

/** A number, or a string of digits for a service that writes its numbers as strings. */
export function sequenceAt(envelope: Envelope, name: string): number | undefined {
  const value = memberAt(envelope, name);
  const digits = typeof value === 'string' && /^[0-9]{1,15}$/.test(value);
  const number = typeof value === 'number' ? value : digits ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number < LARGEST_SEQUENCE ? number : undefined;
}

export interface Signature {
  /** NS-10: the name of the header is open. */
  readonly name: string;
  readonly value: string;
  readonly parts: readonly (readonly [key: string, value: string])[];
}

/** Typical formats of a signature header, the most likely first. */
const FORMATS: readonly ((value: string) => boolean)[] = [
  (value) => /(^|[,\s])t=/.test(value) && /(^|[,\s])v1=/.test(value),
  (value) => /(^|[,\s])v1=/.test(value),
  (value) => /(^|[,\s])t=\d/.test(value),
  (value) => /(^|[^0-9a-f])[0-9a-f]{64}([^0-9a-f]|$)/i.test(value),
];

export function signatureOf({ headers }: Headed): Signature | undefined {
  for (const hasFormat of FORMATS) {
    const found = headers.lines.find(([, value]) => hasFormat(value));
    if (found !== undefined) return { name: found[0], value: found[1], parts: partsOf(found[1]) };
  }
  return undefined;
}

function partsOf(value: string): [string, string][] {
  return value.split(',').map((part) => {
    const [key, ...rest] = part.trim().split('=');
    return [key ?? '', rest.join('=')];
  });
}

export function valuesAt({ parts }: Signature, key: string): string[] {
  return parts.filter(([each]) => each === key).map(([, value]) => value);
}

/** EVT-6: of `t` as in the header, a dot, and the body's bytes; in lower-case hex. */
export function expectedMac(secret: string, t: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}

export function isSignedWith(secret: string, arrival: Headed & Bodied): boolean {
  const signature = signatureOf(arrival);
  if (signature === undefined) return false;
  const expected = expectedMac(secret, valuesAt(signature, 't')[0] ?? '', arrival.body);
  return valuesAt(signature, 'v1').includes(expected);
}

/** Names of the headers whose value is this subscription's id (NS-10). */
export function headersNaming(id: string, { headers }: Headed): string[] {
  return headers.lines
    .filter(([name, value]) => value.trim() === id && !/^content-length$/i.test(name))
    .map(([name]) => name);
}
