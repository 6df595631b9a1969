// Deliveries that a correct receiver answers with 2xx: the same event in every form the platform
// may send.
import { unlike } from './chance.ts';
import type { Check } from './check.ts';
import {
  bytesOf,
  type Delivery,
  deliveryOf,
  eventOf,
  macOf,
  signatureOf,
  type Terms,
} from './delivery.ts';

const lost = 'Nothing for an attacker; the event is retried for 21 hours and then lost.';
const raw = 'Verify the bytes as they came, before parsing, and parse them afterwards.';
const asTheyCame =
  'EVT-6: what is signed is the body as it came; JSON may be printed in many ways.';

function accept(
  name: string,
  title: string,
  why: string,
  make: (terms: Terms) => Delivery | readonly Delivery[],
  fix = raw,
): Check {
  const id = `RCV-accepts-${name}`;
  const shots: Check['shots'] = (terms) => [make(terms)].flat().map((delivery) => ({ delivery }));
  return { id, group: 'accept', title, why, gains: lost, fix, shots };
}

const compact = (terms: Terms, name: string, change: object = {}) =>
  bytesOf(JSON.stringify({ ...eventOf(terms, name), ...change }));

const minute = 60_000;

export const acceptChecks: readonly Check[] = [
  accept('now', 'a delivery signed now', 'EVT-6: a matching v1 passes.', (terms) =>
    deliveryOf(terms, { body: compact(terms, 'now') }),
  ),
  accept(
    'a-minute-old',
    'a delivery signed a minute ago',
    'EVT-5b: only a difference of more than five minutes is refused.',
    (terms) => deliveryOf(terms, { body: compact(terms, 'minute'), tMs: Date.now() - minute }),
    'Allow five minutes, in milliseconds: t is on that scale.',
  ),
  accept(
    'four-minutes-old',
    'a delivery signed four minutes ago',
    'EVT-5b: only a difference of more than five minutes is refused.',
    (terms) => deliveryOf(terms, { body: compact(terms, 'four'), tMs: Date.now() - 4 * minute }),
    'Allow five minutes, in milliseconds: t is on that scale.',
  ),
  accept(
    'a-minute-ahead',
    'a delivery whose t is a minute ahead of the clock',
    'EVT-5b: only a difference of more than five minutes is refused, and clocks differ.',
    (terms) => deliveryOf(terms, { body: compact(terms, 'ahead'), tMs: Date.now() + minute }),
    'Compare the absolute difference with five minutes.',
  ),
  accept('pretty-body', 'the event printed with line breaks and indentation', asTheyCame, (terms) =>
    deliveryOf(terms, { body: bytesOf(JSON.stringify(eventOf(terms, 'pretty'), null, 2)) }),
  ),
  accept('escaped-body', 'the event with its letters as \\u escapes', asTheyCame, (terms) => {
    const text = JSON.stringify({ ...eventOf(terms, 'escaped'), note: '#' });
    return deliveryOf(terms, { body: bytesOf(text.replace('"#"', '"Z\\u00fcrich \\u0026 \\/"')) });
  }),
  accept('raw-utf-8', 'the event with letters beyond ASCII, unescaped', asTheyCame, (terms) =>
    deliveryOf(terms, { body: compact(terms, 'utf8', { note: 'Zürich – 東京 – 👩‍🚀' }) }),
  ),
  accept('trailing-newline', 'the event with a line break at its end', asTheyCame, (terms) =>
    deliveryOf(terms, { body: bytesOf(`${JSON.stringify(eventOf(terms, 'newline'))}\n`) }),
  ),
  accept(
    'numbers-as-written',
    'the event with numbers that printing anew would change',
    asTheyCame,
    (terms) => {
      const text = JSON.stringify({ ...eventOf(terms, 'numbers'), note: 0 });
      return deliveryOf(terms, { body: bytesOf(text.replace('"note":0', '"note":1.50e3')) });
    },
  ),
  accept(
    'without-charset',
    'Content-Type: application/json, without a charset',
    'The charset is not part of the rules.',
    (terms) =>
      deliveryOf(terms, { body: compact(terms, 'charset'), contentType: 'application/json' }),
    'Take application/json with and without parameters.',
  ),
  accept(
    'chunked',
    'the body in chunks, without Content-Length',
    'HTTP leaves it to the sender.',
    (terms) => deliveryOf(terms, { body: compact(terms, 'chunked'), chunked: true }),
    'Read the body to its end, whatever the headers say of its length.',
  ),
  accept(
    'cut-letters',
    'the body in chunks that end inside a letter of several bytes',
    asTheyCame,
    (terms) => {
      const body = compact(terms, 'letters', { note: '東京のウェブフック 👩‍🚀' });
      return deliveryOf(terms, { body, cutsAt: cutsInside(body, 4) });
    },
    'Collect the chunks as bytes and put them together as bytes; none of them is a text of its own.',
  ),
  accept('large', 'an event of 64 KB', 'Events carry whole records.', (terms) =>
    deliveryOf(terms, { body: compact(terms, 'large', { note: 'x'.repeat(64 * 1024) }) }),
  ),
  accept(
    'bad-v1-then-good',
    'two v1, the first of them wrong',
    'EVT-6: a match on any one v1 passes.',
    (terms) => withTwo(terms, 'first', (bad, good) => `v1=${bad},v1=${good}`),
    'Compare with every v1, not with the first only.',
  ),
  accept(
    'good-v1-then-bad',
    'two v1, the second of them wrong',
    'EVT-6: a match on any one v1 passes.',
    (terms) => withTwo(terms, 'second', (bad, good) => `v1=${good},v1=${bad}`),
    'Compare with every v1, not with the last only.',
  ),
  accept(
    'unknown-kind',
    'an event of a kind that does not exist yet',
    'New kinds are announced, not asked for.',
    (terms) =>
      deliveryOf(terms, { body: compact(terms, 'kind', { kind: 'transaction.reconsidered' }) }),
    'Answer 2xx to what you do not know, and ignore it.',
  ),
  accept(
    'unknown-fields',
    'an event with members that do not exist yet',
    'Envelopes may grow.',
    (terms) =>
      deliveryOf(terms, { body: compact(terms, 'fields', { priority: 3, trace: { id: 'x' } }) }),
    'Ignore members that you do not know.',
  ),
  accept(
    'redelivery',
    'the same event twice, the second time with a fresh t',
    'EVT-4: delivery is at least once.',
    (terms) => {
      const body = compact(terms, 'again');
      return [deliveryOf(terms, { body, tMs: Date.now() - 1000 }), deliveryOf(terms, { body })];
    },
    'Key side effects on the event id, and answer 2xx to one you have seen.',
  ),
  accept(
    'both-secrets',
    'a rotation: one v1 under the new secret, one under the previous',
    'EVT-7: the header carries both.',
    // A receiver that knows only the new secret has to pass over the v1 under the other.
    (terms) => rotated(terms, 'both', terms.secret, terms.previousSecret ?? 'whsec_before'),
    'Compare every v1 with what your secret gives.',
  ),
  accept(
    'previous-secret-first',
    'a rotation with the v1 under the previous secret first',
    'EVT-6: a match on any one v1 passes.',
    (terms) => rotated(terms, 'before', terms.previousSecret ?? 'whsec_before', terms.secret),
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
  terms: Terms,
  name: string,
  join: (bad: string, good: string) => string,
): Delivery {
  const body = compact(terms, name);
  const tMs = Date.now();
  const good = macOf(terms.secret, String(tMs), body);
  return deliveryOf(terms, { body, signature: [`t=${tMs},${join(unlike(good), good)}`] });
}

function rotated(terms: Terms, name: string, ...secrets: string[]): Delivery {
  const body = compact(terms, name);
  const tMs = Date.now();
  return deliveryOf(terms, { body, signature: [signatureOf(terms, body, tMs, ...secrets)] });
}
