// The arithmetic of delivery signatures (EVT-5a, EVT-6), as a receiver does it.

export interface SignatureParts {
  readonly t: string | null;
  readonly v1: readonly string[];
}

export function parseSignature(header: string): SignatureParts {
  const pairs = header.split(',').map((pair) => pair.trim().split('='));
  const valuesOf = (name: string) =>
    pairs.flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
  return { t: valuesOf('t')[0] ?? null, v1: valuesOf('v1') };
}

/** The one envelope of a list, byte for byte: parsing and printing it might change it. */
export function rawEnvelope(list: string): string | null {
  return (
    /^\{"events":\[(.+)\],"next_after_seq":(?:null|\d+),"last_seq":\d+\}$/s.exec(list)?.[1] ?? null
  );
}

/** null where the browser lends no cryptography: on pages that are not of this machine. */
export async function hexHmac(secret: string, text: string): Promise<string | null> {
  if (!isSecureContext) return null;
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, [
    'sign',
  ]);
  const digest = await crypto.subtle.sign('HMAC', key, bytes.encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
