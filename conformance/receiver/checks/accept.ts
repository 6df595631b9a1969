// Deliveries that a correct receiver answers with 2xx: the same event in every form the platform
// may send.

import type { Check } from '../check.ts';
import {
  bytesOf,
  type Delivery,
  deliveryOf,
  eventOf,
  macOf,
  type SigningOptions,
  signatureOf,
} from '../delivery.ts';
import { shiftDigits } from './draw-probe.ts';

const lost = 'Nothing for an attacker; the event is retried for 21 hours and then lost.';
const raw = 'Verify the bytes as they came, before parsing, and parse them afterwards.';
const asTheyCame =
  'EVT-6: what is signed is the body as it came; JSON may be printed in many ways.';

function accept(
  name: string,
  title: string,
  why: string,
  make: (signing: SigningOptions) => Delivery | readonly Delivery[],
  fix = raw,
): Check {
  const id = `RCV-accepts-${name}`;
  const probes: Check['probes'] = (signing) =>
    [make(signing)].flat().map((delivery) => ({ delivery }));
  return { id, group: 'accept', title, why, gains: lost, fix, probes: probes };
}

const compact = (signing: SigningOptions, name: string, change: object = {}) =>
  bytesOf(JSON.stringify({ ...eventOf(signing, name), ...change }));

const minute = 60_000;

export const acceptChecks: readonly Check[] = [
  accept('now', 'a delivery signed now', 'EVT-6: a matching v1 passes.', (signing) =>
    deliveryOf(signing, { body: compact(signing, 'now') }),
  ),
  accept(
    'a-minute-old',
    'a delivery signed a minute ago',
    'EVT-5b: only a difference of more than five minutes is refused.',
    (signing) =>
      deliveryOf(signing, { body: compact(signing, 'minute'), tMs: Date.now() - minute }),
    'Allow five minutes, in milliseconds: t is on that scale.',
  ),
  accept(
    'four-minutes-old',
    'a delivery signed four minutes ago',
    'EVT-5b: only a difference of more than five minutes is refused.',
    (signing) =>
      deliveryOf(signing, { body: compact(signing, 'four'), tMs: Date.now() - 4 * minute }),
    'Allow five minutes, in milliseconds: t is on that scale.',
  ),
  accept(
    'a-minute-ahead',
    'a delivery whose t is a minute ahead of the clock',
    'EVT-5b: only a difference of more than five minutes is refused, and clocks differ.',
    (signing) => deliveryOf(signing, { body: compact(signing, 'ahead'), tMs: Date.now() + minute }),
    'Compare the absolute difference with five minutes.',
  ),
  accept(
    'pretty-body',
    'the event printed with line breaks and indentation',
    asTheyCame,
    (signing) =>
      deliveryOf(signing, { body: bytesOf(JSON.stringify(eventOf(signing, 'pretty'), null, 2)) }),
  ),
  accept('escaped-body', 'the event with its letters as \\u escapes', asTheyCame, (signing) => {
    const text = JSON.stringify({ ...eventOf(signing, 'escaped'), note: '#' });
    return deliveryOf(signing, {
      body: bytesOf(text.replace('"#"', '"Z\\u00fcrich \\u0026 \\/"')),
    });
  }),
  accept('raw-utf-8', 'the event with letters beyond ASCII, unescaped', asTheyCame, (signing) =>
    deliveryOf(signing, { body: compact(signing, 'utf8', { note: 'Zürich – 東京 – 👩‍🚀' }) }),
  ),
  accept('trailing-newline', 'the event with a line break at its end', asTheyCame, (signing) =>
    deliveryOf(signing, { body: bytesOf(`${JSON.stringify(eventOf(signing, 'newline'))}\n`) }),
  ),
  accept(
    'numbers-as-written',
    'the event with numbers that printing anew would change',
    asTheyCame,
    (signing) => {
      const text = JSON.stringify({ ...eventOf(signing, 'numbers'), note: 0 });
      return deliveryOf(signing, { body: bytesOf(text.replace('"note":0', '"note":1.50e3')) });
    },
  ),
  accept(
    'without-charset',
    'Content-Type: application/json, without a charset',
    'The charset is not part of the rules.',
    (signing) =>
      deliveryOf(signing, { body: compact(signing, 'charset'), contentType: 'application/json' }),
    'Take application/json with and without parameters.',
  ),
  accept(
    'chunked',
    'the body in chunks, without Content-Length',
    'HTTP leaves it to the sender.',
    (signing) => deliveryOf(signing, { body: compact(signing, 'chunked'), chunked: true }),
    'Read the body to its end, whatever the headers say of its length.',
  ),
  accept(
    'cut-letters',
    'the body in chunks that end inside a letter of several bytes',
    asTheyCame,
    (signing) => {
      const body = compact(signing, 'letters', { note: '東京のウェブフック 👩‍🚀' });
      return deliveryOf(signing, { body, cutsAt: cutsInside(body, 4) });
    },
    'Collect the chunks as bytes and put them together as bytes; none of them is a text of its own.',
  ),
  accept('large', 'an event of 64 KB', 'Events carry whole records.', (signing) =>
    deliveryOf(signing, { body: compact(signing, 'large', { note: 'x'.repeat(64 * 1024) }) }),
  ),
  accept(
    'bad-v1-then-good',
    'two v1, the first of them wrong',
    'EVT-6: a match on any one v1 passes.',
    (signing) => withTwo(signing, 'first', (bad, good) => `v1=${bad},v1=${good}`),
    'Compare with every v1, not with the first only.',
  ),
  accept(
    'good-v1-then-bad',
    'two v1, the second of them wrong',
    'EVT-6: a match on any one v1 passes.',
    (signing) => withTwo(signing, 'second', (bad, good) => `v1=${good},v1=${bad}`),
    'Compare with every v1, not with the last only.',
  ),
  accept(
    'unknown-kind',
    'an event of a kind that does not exist yet',
    'New kinds are announced, not asked for.',
    (signing) =>
      deliveryOf(signing, { body: compact(signing, 'kind', { kind: 'transaction.reconsidered' }) }),
    'Answer 2xx to what you do not know, and ignore it.',
  ),
  accept(
    'unknown-fields',
    'an event with members that do not exist yet',
    'Envelopes may grow.',
    (signing) =>
      deliveryOf(signing, {
        body: compact(signing, 'fields', { priority: 3, trace: { id: 'x' } }),
      }),
    'Ignore members that you do not know.',
  ),
  accept(
    'redelivery',
    'the same event twice, the second time with a fresh t',
    'EVT-4: delivery is at least once.',
    (signing) => {
      const body = compact(signing, 'again');
      return [deliveryOf(signing, { body, tMs: Date.now() - 1000 }), deliveryOf(signing, { body })];
    },
    'Key side effects on the event id, and answer 2xx to one you have seen.',
  ),
  accept(
    'both-secrets',
    'a rotation: one v1 under the new secret, one under the previous',
    'EVT-7: the header carries both.',
    // A receiver that knows only the new secret has to pass over the v1 under the other.
    (signing) => rotated(signing, 'both', signing.secret, signing.previousSecret ?? 'whsec_before'),
    'Compare every v1 with what your secret gives.',
  ),
  accept(
    'previous-secret-first',
    'a rotation with the v1 under the previous secret first',
    'EVT-6: a match on any one v1 passes.',
    (signing) =>
      rotated(signing, 'before', signing.previousSecret ?? 'whsec_before', signing.secret),
    'Compare every v1 with what your secret gives.',
  ),
];

/** Places between two bytes of one letter, of so many letters. */
function cutsInside(body: Uint8Array, count: number): number[] {
  const isFollowing = (byte: number) => byte >= 0x80 && byte < 0xc0;
  const isLeading = (byte: number) => byte >= 0xc0;
  const places = [...body.keys()].filter(
    (at) => isFollowing(body[at] ?? 0) && isLeading(body[at - 1] ?? 0),
  );
  return places.slice(0, count);
}

function withTwo(
  signing: SigningOptions,
  name: string,
  join: (bad: string, good: string) => string,
): Delivery {
  const body = compact(signing, name);
  const tMs = Date.now();
  const good = macOf(signing.secret, String(tMs), body);
  return deliveryOf(signing, { body, signature: [`t=${tMs},${join(shiftDigits(good), good)}`] });
}

function rotated(signing: SigningOptions, name: string, ...secrets: string[]): Delivery {
  const body = compact(signing, name);
  const tMs = Date.now();
  return deliveryOf(signing, { body, signature: [signatureOf(signing, body, tMs, ...secrets)] });
}
