// What is judged over many deliveries: response time, redirects, leaked signatures, side effects.

import type { Check, Probe } from '../check.ts';
import { bytesOf, deliveryOf, eventOf, macOf, type SigningOptions } from '../delivery.ts';
import { shiftDigits } from './draw-probe.ts';

const lost = 'Nothing for an attacker; the event is retried for 21 hours and then lost.';

const body = (signing: SigningOptions, name: string) =>
  bytesOf(JSON.stringify(eventOf(signing, name)));

function forged(signing: SigningOptions, name: string): Probe {
  const t = String(Date.now());
  const bytes = body(signing, name);
  const expectedMac = macOf(signing.secret, t, bytes);
  const signature = [`t=${t},v1=${shiftDigits(expectedMac)}`];
  return { delivery: deliveryOf(signing, { body: bytes, signature }), expectedMac };
}

/** The same valid delivery several times. */
const valid = (name: string, times: number) => (signing: SigningOptions) => {
  const bytes = body(signing, name);
  return Array.from({ length: times }, () => ({ delivery: deliveryOf(signing, { body: bytes }) }));
};

export const answersInTime: Check = {
  id: 'RCV-answers-in-time',
  group: 'behaviour',
  title: 'every valid delivery is answered within 15 s, better within 5 s',
  why: 'EVT-9b: a later response counts as a failure.',
  gains: lost,
  fix: 'Verify, put the event into a queue, answer, and process it afterwards.',
  probes: valid('pace', 1),
};

export const doesNotRedirect: Check = {
  id: 'RCV-does-not-redirect',
  group: 'behaviour',
  title: 'no valid delivery is answered with a redirect',
  why: 'EVT-9a: a delivery needs a 2xx; redirects are not followed.',
  gains: lost,
  fix: 'Subscribe with the URL that answers: https, the right host, and the slash at the end or not.',
  probes: valid('redirect', 1),
};

export const givesNothingAway: Check = {
  id: 'RCV-gives-nothing-away',
  group: 'behaviour',
  title: 'no response to a forged delivery contains the signature that would have been right',
  why: 'EVT-6: an attacker with the right v1 needs no secret.',
  gains:
    'An attacker sends any event, reads the signature in the response, and sends the event again with it.',
  fix: 'Answer 400 and nothing else; the expected signature belongs in no response and in no log.',
  probes: (signing) => [forged(signing, 'leak')],
};

const onceInSequence: Check = {
  id: 'RCV-once-in-sequence',
  group: 'behaviour',
  title: 'an event delivered twice, one after the other, has its side effect once',
  why: 'EVT-4: delivery is at least once.',
  gains: 'One lost response is enough: a deposit is booked twice.',
  fix: 'Keep the ids of events in a table where they are unique, in one transaction with the effect.',
  probes: valid('once', 2),
};

const onceInACrowd: Check = {
  id: 'RCV-once-in-a-crowd',
  group: 'behaviour',
  title: 'an event delivered ten times at once has its side effect once',
  why: 'EVT-4: delivery is at least once, and a repeat may arrive while the first is being processed.',
  gains: 'A deposit is booked twice when two workers look for the id before either writes it.',
  fix: 'Let the database refuse the second: insert the id under a unique key before the effect.',
  probes: valid('many', 10),
  together: true,
};

export const nothingWhenRefused: Check = {
  id: 'RCV-nothing-when-refused',
  group: 'behaviour',
  title: 'a delivery with a wrong signature has no side effect',
  why: 'EVT-6: only a v1 over exactly these bytes and this time passes.',
  gains: 'Anyone who knows the URL can cause the effect, whatever the response says.',
  fix: 'Verify before doing anything else.',
  probes: (signing) => [forged(signing, 'forged')],
};

/** Judged in every run. */
export const mannerChecks: readonly Check[] = [answersInTime, doesNotRedirect, givesNothingAway];

/** Judged if a probe counts the side effects. */
export const effectChecks: readonly Check[] = [onceInSequence, onceInACrowd, nothingWhenRefused];
