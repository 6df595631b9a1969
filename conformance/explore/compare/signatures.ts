// Compares the signatures of deliveries: the secrets used, and the time.
import { memberAt } from '../../engine/send/json.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { expectedMac, signatureOf, valuesAt } from '../observe.ts';
import { answersIn } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import type { Mismatch, Sides } from './values.ts';

/** EVT-5b: how far the time of a delivery may be from the clock. */
const TOLERANCE_MS = 5 * 60_000;

/** EVT-6, EVT-7: the secrets that sign a delivery. */
export function compareSignature(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  { target, model }: Sides,
): Mismatch | null {
  const [said, expected] = [signersOf(own, target), signersOf(other, model)];
  if (said.words === expected.words) return null;
  // NS-61: after a second rotation only the newest secret is sure to sign.
  const isOpen = rotationsIn(model) > 1 && said.newest !== 0 && said.newest === expected.newest;
  return isOpen ? null : { at: 'signature', target: said.words, model: expected.words };
}

const rotationsIn = ({ outcomes }: Player): number =>
  answersIn(outcomes).filter(({ sent, status }) => {
    return sent.target.endsWith('/rotate-secret') && status < 300;
  }).length;

/** The secrets that sign, in words, and the step that returned the newest; 0 if one is not known. */
function signersOf(arrival: ReceivedDelivery, player: Player) {
  const header = signatureOf(arrival);
  if (header === undefined) return { words: 'not signed', newest: 0 };
  const [t = '', ...more] = valuesAt(header, 't');
  if (t === '' || more.length > 0) return { words: 'not one time', newest: 0 };
  const secrets = secretsOf(player);
  const steps: number[] = [];
  const signers = valuesAt(header, 'v1').map((signature) => {
    if (!/^[0-9a-f]{64}$/.test(signature)) return 'what is no HMAC-SHA256 in lower-case hex';
    const known = secrets.find(([secret]) => expectedMac(secret, t, arrival.body) === signature);
    if (known === undefined) return 'an unknown secret';
    steps.push(known[1]);
    return `the secret of step ${known[1]}`;
  });
  const newest = steps.length === signers.length ? Math.max(0, ...steps) : 0;
  return { words: `signed by ${signers.sort().join(' and ')}`, newest };
}

/** Each secret with the step that returned it: the order of concurrent calls is open. */
function secretsOf({ outcomes }: Player): readonly (readonly [secret: string, step: number])[] {
  const all = new Map<string, number>();
  for (const { n, json } of answersIn(outcomes)) {
    const secret = memberAt(json, 'secret');
    if (typeof secret === 'string' && !all.has(secret)) all.set(secret, n);
  }
  return [...all];
}

/** EVT-5b: by the wall clock or by the target's own clock. */
export function compareTime(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  target: Player,
): Mismatch | null {
  const [header, expected] = [signatureOf(own), signatureOf(other)];
  if (header === undefined || expected === undefined) return null;
  const t = Number(valuesAt(header, 't')[0]);
  const byItsClock = target.arrived.get(own) ?? [target.startMs, target.nowMs ?? own.atMs];
  const isWithin = ([fromMs, toMs]: readonly [number, number]) =>
    t >= fromMs - TOLERANCE_MS && t <= toMs + TOLERANCE_MS;
  if (isWithin([own.atMs, own.atMs]) || isWithin(byItsClock)) return null;
  return { at: 'signature.t', target: String(t), model: `about ${own.atMs}` };
}
