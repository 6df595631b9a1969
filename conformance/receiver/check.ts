// The parts of a check of a receiver: the deliveries, the required response, the reason, and how to fix
// a failure.
import type { Difference, Probe, SigningOptions } from './delivery.ts';

export type Group = 'accept' | 'refuse' | 'advice' | 'behaviour';

/** Mistakes that several checks show, the most general first: a description, the rule, and the fix. */
export const CAUSES = {
  age: [
    'no age check',
    'EVT-5b, EVT-6: t more than five minutes off is refused.',
    'Refuse when t is more than five minutes from your clock, in both directions; t is in milliseconds.',
  ],
  time: [
    'a t that is not a time is accepted',
    'EVT-5a, EVT-6: t is the time in epoch milliseconds, and is signed.',
    'Take exactly one t of digits alone, and refuse everything else before you compare times.',
  ],
  digest: [
    'only part of the signature is compared',
    'EVT-6: only a v1 over exactly these bytes and this time passes.',
    'Compare whole digests of equal length, every character of them, in constant time.',
  ],
  bytes: [
    'something other than the raw body is verified',
    'EVT-6: what is signed is the body as sent; JSON may be printed in many ways.',
    'Verify the bytes as they arrive, before parsing, and parse them afterwards.',
  ],
  secret: [
    'a signature made without the secret is accepted',
    'EVT-6: the key of the HMAC is the secret of the subscription.',
    'Compute the HMAC with the configured secret only, and stop if no secret is configured.',
  ],
  unsigned: [
    'a header without a signature is accepted',
    'EVT-5a, EVT-6: a delivery needs a t and a matching v1.',
    'Refuse a delivery without t and v1; compare the HMAC of t, a dot and the raw body with each v1.',
  ],
  impatient: [
    'the age limit is too strict',
    'EVT-5b: only a difference of more than five minutes is refused. Clocks differ.',
    'Allow a difference of five minutes in both directions, in milliseconds.',
  ],
  oneV1: [
    'not every v1 is compared',
    'EVT-6, EVT-7: a match on any one v1 passes; in a rotation there are two.',
    'Compare every v1 of the header with the digest; one match is enough.',
  ],
  transport: [
    'a valid form of HTTP is refused',
    'HTTP leaves charset, length and chunks to the sender.',
    'Accept application/json with and without parameters, and read the body to its end as bytes.',
  ],
  chunks: [
    'chunked bodies are not read',
    'HTTP leaves chunks to the sender; what is signed (EVT-6) is the whole body.',
    'Read the body to its end, also if there is no Content-Length, before you verify it.',
  ],
  growth: [
    'what may be added later is refused',
    'EVT-4: kinds and members may be added, and an event may be delivered twice.',
    'Answer 2xx to events, kinds and members that you do not know or have seen, and ignore them.',
  ],
  form: [
    'signatures that the platform never makes are accepted',
    'EVT-5a, EVT-6: t in milliseconds, and the lower-case hex of the HMAC-SHA256 of t, a dot and the body.',
    'Accept one form of signature only. These deliveries need the secret, so this is advice.',
  ],
  tolerance: [
    'a harmless form of the header is refused',
    'EVT-5a says that the parts are key=value separated by commas, and nothing about order or more keys.',
    'Split at commas, trim, read t and every v1, ignore the rest, and look headers up without case.',
  ],
} as const satisfies Readonly<Record<string, readonly [title: string, why: string, mend: string]>>;

export type Cause = keyof typeof CAUSES;

export interface Check {
  /** `RCV-` and words; never changes once released. */
  readonly id: string;
  readonly group: Group;
  /** A description of the delivery, in one sentence. */
  readonly title: string;
  /** Absent if it is judged over many deliveries. */
  readonly cause?: Cause;
  readonly why: string;
  /** What an attacker, or an accident, can do to a receiver that fails it. */
  readonly gains: string;
  readonly fix: string;
  readonly probes: (signing: SigningOptions) => readonly Probe[];
  /** How its deliveries differ from a valid one, if they can be described in this form. */
  readonly difference?: Difference;
  /** Sent concurrently, instead of one after the other. */
  readonly together?: true;
}

/** What is at stake if a valid delivery is refused. */
export const LOST = 'Nothing for an attacker; the event is retried for 21 hours and then lost.';

export const groupWords: Readonly<Record<Group, string>> = {
  accept: 'Must accept',
  refuse: 'Must refuse',
  advice: 'Advice',
  behaviour: 'Behaviour',
};

/** Advice to accept, instead of to refuse. */
export function isTolerance({ id }: Check): boolean {
  return id.startsWith('RCV-tolerates-');
}

/** The response of a receiver that passes. */
export function expectedOf(check: Check): string {
  if (check.group === 'accept') return 'a 2xx response';
  if (check.group === 'refuse') return 'a response other than 2xx';
  if (check.group === 'behaviour') return check.title;
  return isTolerance(check)
    ? 'a 2xx response, to be safe with later versions'
    : 'a response other than 2xx, to be exact';
}
