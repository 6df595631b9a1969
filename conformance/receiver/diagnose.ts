// Finds out why a receiver refuses a valid delivery, by sending variants that differ in one thing.
import type { Exchange } from '../engine/types.ts';
import {
  type Delivery,
  type Difference,
  type HeaderNames,
  type Parts,
  probesOf,
  type SigningOptions,
} from './delivery.ts';
import { isAccepted, isUnreached } from './judge.ts';

interface Variant extends Difference {
  /** Other names of the two headers. */
  readonly names?: Partial<HeaderNames>;
  /** Headers that carry the id of the subscription too. */
  readonly alsoIn?: readonly string[];
}

/** A delivery with this v1. */
const signed = (v1Of: (parts: Parts) => string): Variant => ({
  headers: [(parts) => `t=${parts.t},v1=${v1Of(parts)}`],
});
/** A v1 over the body in another serialisation. */
const reprinted = (print: (event: unknown) => string): Variant =>
  signed(({ t, body, hmac }) =>
    hmac('sha256', `${t}.`, print(JSON.parse(Buffer.from(body).toString()))),
  );
const keyed = (keyOf: (secret: string) => string | Buffer): Variant =>
  signed(({ t, secret, macFor }) => macFor(t, keyOf(secret)));
const bare = (secret: string) => secret.replace(/^whsec_/, '');

/** JSON with a space after each comma and colon. */
function spaced(event: unknown): string {
  return JSON.stringify(event, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) /g, '$1')
    .replace(/ ([\]}])/g, '$1');
}

/** Each word capitalised, as header names are often written. */
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

const hypotheses: readonly (readonly [words: string, variant: Variant])[] = [
  [
    'it expects t in seconds: the platform sends milliseconds',
    { headers: [({ t, macFor }) => `t=${t.slice(0, -3)},v1=${macFor(t.slice(0, -3))}`] },
  ],
  [
    'it refuses Content-Type: application/json; charset=utf-8',
    { form: () => ({ contentType: 'application/json' }) },
  ],
  [
    `it prints the body again with spaces ${rawBytes}`,
    reprinted((event) => JSON.stringify(event, null, 2)),
  ],
  [`it prints the body again as Python does ${rawBytes}`, reprinted(spaced)],
  [
    'it looks for the id of the subscription in another header: give --subscription-header',
    { alsoIn: otherIds },
  ],
  [
    'it verifies the body alone, without t and the dot before it',
    signed(({ body, hmac }) => hmac('sha256', body)),
  ],
  [
    'it verifies t and the body without the dot between them',
    signed(({ t, body, hmac }) => hmac('sha256', t, body)),
  ],
  [
    'it compares with hex in upper case: the platform sends it in lower case',
    signed(({ mac }) => mac.toUpperCase()),
  ],
  [
    'it looks headers up by the exact letters of their names: header names are case-insensitive',
    { named: titled },
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
        { names: { signature } },
      ] as const,
  ),
];

/** Why the receiver refuses the control, with one delivery for each hypothesis. */
export async function diagnose(
  signing: SigningOptions,
  control: Exchange,
  send: (delivery: Delivery) => Promise<Exchange>,
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
  for (const [index, [words, { names, alsoIn = [], ...difference }]] of hypotheses.entries()) {
    const own = { ...signing, names: { ...signing.names, ...names } };
    const [probe] = probesOf(own, `why-${index}`, { ...difference, isPartly: true });
    const { headers, ...delivery } = probe!.delivery;
    const id = signing.subscriptionId ?? '1';
    const more = alsoIn.map((name) => [name, id] as const);
    if (isAccepted(await send({ ...delivery, headers: [...headers, ...more] }))) {
      return `${refused}: ${words}`;
    }
  }
  const likely = 'most likely it has another secret';
  const orElse = 'or it does not know the subscription (--subscription-id)';
  return `${refused}, and every variant of it: ${likely}, ${orElse}`;
}
