// The expected signatures of EVT-5 and EVT-6, computed independently from the text of the rules, over
// the raw bytes.
import { createHmac } from 'node:crypto';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';

export interface Signature {
  /** NS-10: the name of the header is open. */
  readonly name: string;
  readonly value: string;
  /** Its parts in order, split at the commas. */
  readonly parts: readonly (readonly [key: string, value: string])[];
}

/** Typical formats of a signature header, the most likely first. */
const FORMATS: readonly ((value: string) => boolean)[] = [
  (value) => /(^|[,\s])t=/.test(value) && /(^|[,\s])v1=/.test(value),
  (value) => /(^|[,\s])v1=/.test(value),
  (value) => /(^|[,\s])t=\d/.test(value),
  (value) => /(^|[^0-9a-f])[0-9a-f]{64}([^0-9a-f]|$)/i.test(value),
];

export function signatureOf({ headers }: Pick<ReceivedDelivery, 'headers'>): Signature | undefined {
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

/** Whether one of the `v1` values was made with this secret. */
export function isSignedWith(
  secret: string,
  arrival: Pick<ReceivedDelivery, 'headers' | 'body'>,
): boolean {
  const signature = signatureOf(arrival);
  if (signature === undefined) return false;
  const expected = expectedMac(secret, valuesAt(signature, 't')[0] ?? '', arrival.body);
  return valuesAt(signature, 'v1').includes(expected);
}

/** Names of the headers whose value is this subscription's id (NS-10). */
export function headersNaming(
  id: string,
  { headers }: Pick<ReceivedDelivery, 'headers'>,
): string[] {
  return headers.lines
    .filter(([name, value]) => value.trim() === id && !/^content-length$/i.test(name))
    .map(([name]) => name);
}
