// One delivery of an attacker, from what is wrong with it: how its header, its body and its time
// differ from the right ones.

import type { Check, Probe } from '../check.ts';
import {
  bytesOf,
  deliveryOf,
  eventOf,
  macOf,
  type SigningOptions,
  signatureOf,
} from '../delivery.ts';
import { drawProbe } from './draw-probe.ts';

const forged = 'Anybody who knows the URL can make the receiver act on an invented event.';
export const replayed = 'Whoever has seen one delivery can repeat it, today and next year.';
const compare =
  'Compute the HMAC of t, a dot and the raw body, and compare it in constant time with each v1.';

interface Attack {
  readonly title: string;
  readonly gains?: string;
  readonly fix?: string;
  readonly why?: string;
  /** The signature header, from the right one of this body and time; several are several lines. */
  readonly header?: (right: string, parts: Parts) => readonly string[];
  /** Several signature headers, each sent with a delivery of its own. */
  readonly headers?: readonly ((parts: Parts) => string)[];
  /** The body that is signed, from the event. */
  readonly print?: (event: object) => string;
  /** The body that is really sent, from the one that was signed. */
  readonly body?: (signed: Uint8Array, signing: SigningOptions) => Uint8Array;
  /** Age of the signature. */
  readonly ageMs?: number;
  /** Some of the signature is right on purpose. */
  readonly partly?: true;
}

export interface Parts {
  readonly t: string;
  readonly mac: string;
  readonly body: Uint8Array;
  /** The right v1 of this body if this text were its t. */
  readonly macFor: (t: string) => string;
}

export function refuse(name: string, attack: Attack): Check {
  return {
    id: `RCV-refuses-${name}`,
    group: 'refuse',
    title: attack.title,
    why: attack.why ?? 'EVT-6: only a v1 over exactly these bytes and this time passes.',
    gains: attack.gains ?? forged,
    fix: attack.fix ?? compare,
    probes: (signing) => {
      const { headers = [], ...rest } = attack;
      const attacks =
        headers.length === 0
          ? [rest]
          : headers.map((print) => ({
              ...rest,
              header: (_: string, parts: Parts) => [print(parts)],
            }));
      return attacks.map((each, at) => {
        const event = at === 0 ? name : `${name}-part-${at + 1}`;
        const draw = (turn: number) =>
          shoot(signing, turn === 0 ? event : `${event}-${turn}`, each);
        return attack.partly ? draw(0) : drawProbe(signing, draw);
      });
    },
  };
}

function shoot(signing: SigningOptions, name: string, attack: Attack): Probe {
  const { header, print = JSON.stringify, body: change, ageMs = 0 } = attack;
  const tMs = Date.now() - ageMs;
  const signed = bytesOf(print(eventOf(signing, name)));
  const right = signatureOf(signing, signed, tMs);
  const macFor = (t: string) => macOf(signing.secret, t, signed);
  const parts = { t: String(tMs), mac: macFor(String(tMs)), body: signed, macFor };
  const signature = header === undefined ? [right] : header(right, parts);
  const body = change === undefined ? signed : change(signed, signing);
  const expectedMac = macOf(signing.secret, String(tMs), body);
  // The right signature itself is in some of these; only one that was not sent can be given away.
  const leaks = signature.some((line) => line.includes(expectedMac)) ? {} : { expectedMac };
  const delivery = deliveryOf(signing, { body, signature });
  return { delivery, signed: { body: signed, t: parts.t }, ...leaks };
}
