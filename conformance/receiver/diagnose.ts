// Finds out why a receiver refuses a valid delivery, by sending variants that differ in one thing.
import { createHmac } from 'node:crypto';
import type { Exchange } from '../engine/types.ts';
import { bytesOf, type Delivery, deliveryOf, eventOf, type SigningOptions } from './delivery.ts';
import { isAccepted, isUnreached } from './judge.ts';

type Make = (signing: SigningOptions, body: string) => Delivery;

/** A delivery whose v1 is made of these parts, with this key. */
const signed =
  (
    partsOf: (t: string, body: string) => readonly string[],
    keyOf: (secret: string) => string | Buffer = (secret) => secret,
    print: (digest: string) => string = (digest) => digest,
  ): Make =>
  (signing, body) => {
    const t = String(Date.now());
    const hmac = createHmac('sha256', keyOf(signing.secret));
    for (const part of partsOf(t, body)) hmac.update(part);
    const signature = [`t=${t},v1=${print(hmac.digest('hex'))}`];
    return deliveryOf(signing, { body: bytesOf(body), signature });
  };

const asUsual = (t: string, body: string) => [`${t}.`, body];
const keyed = (keyOf: (secret: string) => string | Buffer) => signed(asUsual, keyOf);
const bare = (secret: string) => secret.replace(/^whsec_/, '');

/** With other names of the two headers. */
const named =
  (rename: (names: SigningOptions['names']) => SigningOptions['names']): Make =>
  (signing, body) =>
    deliveryOf({ ...signing, names: rename(signing.names) }, { body: bytesOf(body) });

/** JSON with a space after each comma and colon. */
function spaced(json: string): string {
  const lines = JSON.stringify(JSON.parse(json), null, 1);
  return lines
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) /g, '$1')
    .replace(/ ([\]}])/g, '$1');
}

/** With a capital letter for each word, as header names are often written. */
function titled(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

const otherNames = [
  ...['X-Signature', 'Webhook-Signature', 'X-Platform-Signature', 'Stripe-Signature', 'Signature'],
];

const otherIds = [
  ...['X-Subscription-Id', 'X-Webhook-Id', 'Webhook-Id', 'Webhook-Subscription-Id'],
  'X-Platform-Subscription-Id',
];

const rawBytes = 'before verifying: verify the bytes as they arrive';

const hypotheses: readonly (readonly [words: string, make: Make])[] = [
  [
    'it expects t in seconds: the platform sends milliseconds',
    (signing, body) =>
      deliveryOf(signing, { body: bytesOf(body), tMs: Math.floor(Date.now() / 1000) }),
  ],
  [
    'it refuses Content-Type: application/json; charset=utf-8',
    (signing, body) =>
      deliveryOf(signing, { body: bytesOf(body), contentType: 'application/json' }),
  ],
  [
    `it prints the body again with spaces ${rawBytes}`,
    signed((t, body) => asUsual(t, JSON.stringify(JSON.parse(body), null, 2))),
  ],
  [
    `it prints the body again as Python does ${rawBytes}`,
    signed((t, body) => asUsual(t, spaced(body))),
  ],
  [
    'it looks for the id of the subscription in another header: give --subscription-header',
    (signing, body) => {
      const { headers, ...rest } = deliveryOf(signing, { body: bytesOf(body) });
      const id = signing.subscriptionId ?? '1';
      return { ...rest, headers: [...headers, ...otherIds.map((name) => [name, id] as const)] };
    },
  ],
  ['it verifies the body alone, without t and the dot before it', signed((_, body) => [body])],
  ['it verifies t and the body without the dot between them', signed((t, body) => [t, body])],
  [
    'it compares with hex in upper case: the platform sends it in lower case',
    signed(asUsual, undefined, (digest) => digest.toUpperCase()),
  ],
  [
    'it looks headers up by the exact letters of their names: header names are case-insensitive',
    named(({ signature, subscription }) => {
      return { signature: titled(signature), subscription: titled(subscription) };
    }),
  ],
  ['it uses the secret without its prefix whsec_', keyed(bare)],
  [
    'it decodes the secret from hex: the key is the text of the secret',
    keyed((secret) => Buffer.from(bare(secret), 'hex')),
  ],
  [
    'it decodes the secret from base64: the key is the text of the secret',
    keyed((secret) => Buffer.from(bare(secret), 'base64')),
  ],
  ...otherNames.map(
    (signature) =>
      [
        `it looks for the signature in ${signature}: give --signature-header`,
        named((names) => ({ ...names, signature })),
      ] as const,
  ),
];

/** Why the receiver refuses the control, by one delivery for each hypothesis. */
export async function diagnose(
  signing: SigningOptions,
  control: Exchange,
  shoot: (delivery: Delivery) => Promise<Exchange>,
): Promise<string> {
  if (control.response === null) {
    const advice = isUnreached(control) ? '; is the receiver running?' : '';
    return `nothing answers there (${control.failure})${advice}`;
  }
  const { status } = control.response;
  if (status === 404 || status === 405)
    return `it answers ${status}: there is no receiver at this path`;
  if (status >= 300 && status < 400) {
    return `it answers ${status}: a redirect, which the platform does not follow`;
  }
  const refused = `it refuses a valid delivery (${status})`;
  for (const [index, [words, make]] of hypotheses.entries()) {
    const body = JSON.stringify(eventOf(signing, `why-${index}`));
    if (isAccepted(await shoot(make(signing, body)))) return `${refused}: ${words}`;
  }
  const likely = 'most likely it has another secret';
  const orElse = 'or it does not know the subscription (--subscription-id)';
  return `${refused}, and every variant of it: ${likely}, ${orElse}`;
}
