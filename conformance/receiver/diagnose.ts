// Finds out why a receiver refuses a valid delivery, by sending variants that differ in one thing.
import { createHmac } from 'node:crypto';
import type { Exchange } from '../engine/types.ts';
import {
  bytesOf,
  type Delivery,
  deliveryOf,
  eventOf,
  macOf,
  type SigningOptions,
  signatureOf,
} from './delivery.ts';
import { isAccepted, isUnreached } from './judge.ts';

interface Hypothesis {
  readonly words: string;
  readonly make: (signing: SigningOptions) => Delivery;
}

const body = (signing: SigningOptions, name: string) =>
  bytesOf(JSON.stringify(eventOf(signing, name)));

const otherNames = [
  'X-Signature',
  'Webhook-Signature',
  'X-Platform-Signature',
  'Stripe-Signature',
  'Signature',
];

const otherIds = [
  'X-Subscription-Id',
  'X-Webhook-Id',
  'Webhook-Id',
  'Webhook-Subscription-Id',
  'X-Platform-Subscription-Id',
];

/** JSON with a space after each comma and colon. */
function spaced(json: string): string {
  const lines = JSON.stringify(JSON.parse(json), null, 1);
  return lines
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) /g, '$1')
    .replace(/ ([\]}])/g, '$1');
}

const bare = (secret: string) => secret.replace(/^whsec_/, '');

/** With a capital letter for each word, as header names are often written. */
function titled(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** Signed over another prefix of the body. */
function otherMessage(words: string, before: (t: string) => readonly string[]): Hypothesis {
  return {
    words,
    make: (signing) => {
      const sent = body(signing, 'message');
      const t = String(Date.now());
      const hmac = createHmac('sha256', signing.secret);
      for (const text of before(t)) hmac.update(text);
      const digest = hmac.update(sent).digest('hex');
      return deliveryOf(signing, { body: sent, signature: [`t=${t},v1=${digest}`] });
    },
  };
}

/** Signed with another key derived from the secret. */
function otherKey(words: string, keyOf: (secret: string) => string | Buffer): Hypothesis {
  return {
    words,
    make: (signing) => {
      const sent = body(signing, 'key');
      const t = String(Date.now());
      const hmac = createHmac('sha256', keyOf(signing.secret)).update(`${t}.`);
      const digest = hmac.update(sent).digest('hex');
      return deliveryOf(signing, { body: sent, signature: [`t=${t},v1=${digest}`] });
    },
  };
}

const hypotheses: readonly Hypothesis[] = [
  {
    words: 'it expects t in seconds: the platform sends milliseconds',
    make: (signing) =>
      deliveryOf(signing, { body: body(signing, 'g1'), tMs: Math.floor(Date.now() / 1000) }),
  },
  {
    words: 'it refuses Content-Type: application/json; charset=utf-8',
    make: (signing) =>
      deliveryOf(signing, { body: body(signing, 'g2'), contentType: 'application/json' }),
  },
  {
    words: 'it prints the body again with spaces before verifying: verify the bytes as they arrive',
    make: (signing) => {
      const sent = body(signing, 'g3');
      const printed = bytesOf(JSON.stringify(JSON.parse(Buffer.from(sent).toString()), null, 2));
      return deliveryOf(signing, {
        body: sent,
        signature: [signatureOf(signing, printed, Date.now())],
      });
    },
  },
  {
    words:
      'it prints the body again as Python does before verifying: verify the bytes as they arrive',
    make: (signing) => {
      const sent = body(signing, 'g7');
      const printed = bytesOf(spaced(Buffer.from(sent).toString()));
      return deliveryOf(signing, {
        body: sent,
        signature: [signatureOf(signing, printed, Date.now())],
      });
    },
  },
  {
    words: 'it looks for the id of the subscription in another header: give --subscription-header',
    make: (signing) => {
      const { headers, ...rest } = deliveryOf(signing, { body: body(signing, 'g8') });
      const id = signing.subscriptionId ?? '1';
      return { ...rest, headers: [...headers, ...otherIds.map((name) => [name, id] as const)] };
    },
  },
  otherMessage('it verifies the body without t before the dot', () => ['.']),
  otherMessage('it verifies the body alone, without t and the dot before it', () => []),
  otherMessage('it verifies t and the body without the dot between them', (t) => [t]),
  otherMessage('it verifies the text "t=" before t: the message is t, a dot and the body', (t) => [
    `t=${t}.`,
  ]),
  {
    words: 'it compares with hex in upper case: the platform sends it in lower case',
    make: (signing) => {
      const sent = body(signing, 'upper');
      const t = String(Date.now());
      const digest = macOf(signing.secret, t, sent).toUpperCase();
      return deliveryOf(signing, { body: sent, signature: [`t=${t},v1=${digest}`] });
    },
  },
  {
    words:
      'it looks headers up by the exact letters of their names: header names are case-insensitive',
    make: (signing) => {
      const names = {
        signature: titled(signing.names.signature),
        subscription: titled(signing.names.subscription),
      };
      return deliveryOf({ ...signing, names }, { body: body(signing, 'titled') });
    },
  },
  otherKey('it uses the secret without its prefix whsec_', (secret) => bare(secret)),
  otherKey('it decodes the secret from hex: the key is the text of the secret', (secret) =>
    Buffer.from(bare(secret), 'hex'),
  ),
  otherKey('it decodes the secret from base64: the key is the text of the secret', (secret) =>
    Buffer.from(bare(secret), 'base64'),
  ),
  ...otherNames.map((signature) => ({
    words: `it looks for the signature in ${signature}: give --signature-header`,
    make: (signing: SigningOptions) =>
      deliveryOf(
        { ...signing, names: { ...signing.names, signature } },
        { body: body(signing, 'g6') },
      ),
  })),
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
  for (const { words, make } of hypotheses) {
    if (isAccepted(await shoot(make(signing)))) return `${refused}: ${words}`;
  }
  const likely = 'most likely it has another secret';
  const orElse = 'or it does not know the subscription (--subscription-id)';
  return `${refused}, and every variant of it: ${likely}, ${orElse}`;
}
