// Compares what reached the endpoints: which events, how often, in which order, under which
// signatures.
import { createHmac } from 'node:crypto';
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import type { Player } from '../play/player.ts';
import type { Difference } from './difference.ts';
import { ACCOUNT, type Shape, TRANSACTION } from './shapes.ts';
import { type Comparing, compareValue, type Mismatch, shown } from './values.ts';

/** NS-1: what stands in the events of orders and positions is as open as their answers. */
const RECORDS: Readonly<Record<string, Shape>> = {
  account: ACCOUNT,
  transaction: TRANSACTION,
};

/** EVT-5b: how far the time of a delivery may be from the clock. */
const TOLERANCE_MS = 5 * 60_000;

/** The first thing in which the deliveries to any endpoint differ, at the step `n`. */
export function compareDeliveries(
  n: number,
  target: Player,
  model: Player,
  comparing: Comparing,
): Difference | null {
  for (const [step, hook] of target.hooks) {
    const other = model.hooks.get(step);
    if (other === undefined) continue;
    const sides = { target, model };
    const found = compareArrivals(hook.deliveries, other.deliveries, sides, comparing);
    if (found !== null) return differenceOf(n, found);
  }
  return null;
}

/** Where the order is a matter of chance: how many, of how many events, under how many numbers. */
export function countDeliveries(
  n: number,
  target: Player,
  model: Player,
  { seqName }: Comparing,
): Difference | null {
  for (const [step, hook] of target.hooks) {
    const other = model.hooks.get(step);
    if (other === undefined) continue;
    const [said, expected] = [hook, other].map(({ deliveries }) => {
      const distinct = (name: string) =>
        new Set(deliveries.map((each) => String(memberAt(jsonOf(each), name)))).size;
      const events = `${distinct('id')} events, ${distinct(seqName)} numbers`;
      return `${deliveries.length} deliveries of ${events}`;
    });
    if (said === expected) continue;
    return differenceOf(n, { at: 'count', target: said!, model: expected! });
  }
  return null;
}

function differenceOf(n: number, { at, target, model }: Mismatch): Difference {
  return {
    n,
    operation: 'delivery',
    at,
    model,
    target,
    modelAnswer: at,
    targetAnswer: at,
    basis: undefined,
  };
}

interface Sides {
  readonly target: Player;
  readonly model: Player;
}

function compareArrivals(
  own: readonly ReceivedDelivery[],
  other: readonly ReceivedDelivery[],
  sides: Sides,
  comparing: Comparing,
): Mismatch | null {
  if (own.length !== other.length) {
    return { at: 'count', target: `${own.length} deliveries`, model: `${other.length} deliveries` };
  }
  for (const [index, arrival] of own.entries()) {
    const counterpart = other[index]!;
    const found =
      compareEnvelope(arrival, counterpart, comparing) ??
      compareSignature(arrival, counterpart, sides) ??
      compareTime(arrival, counterpart, sides.target);
    if (found !== null) return found;
  }
  return null;
}

const jsonOf = ({ body }: ReceivedDelivery): Json | undefined => {
  try {
    return JSON.parse(Buffer.from(body).toString()) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** NS-9: of the envelope its id and number must be there; the rest where both have it. */
function compareEnvelope(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  comparing: Comparing,
): Mismatch | null {
  const [said, expected] = [jsonOf(own), jsonOf(other)];
  if (expected === undefined || expected === null || typeof expected !== 'object') return null;
  for (const [name, value] of Object.entries(expected)) {
    const mine = memberAt(said, name);
    const needed = name === 'id' || name === comparing.seqName;
    if (mine === undefined && !needed) continue;
    const wrong = { at: `envelope.${name}`, target: shown(mine), model: shown(value) };
    if (!isEnvelopeMemberAlike(name, mine, value, comparing)) return wrong;
  }
  const category = memberAt(expected, 'category');
  const shape = typeof category === 'string' ? RECORDS[category] : undefined;
  const data = memberAt(said, 'data');
  const account = String(memberAt(said, 'account_id'));
  if (shape === undefined || data === undefined) return null;
  if (comparing.match.isSetUp('account', account)) return null;
  return compareValue(shape, data, memberAt(expected, 'data'), 'envelope.data', comparing);
}

function isEnvelopeMemberAlike(
  name: string,
  own: Json | undefined,
  other: Json,
  comparing: Comparing,
): boolean {
  const { match, seqName } = comparing;
  if (name === 'id') return own !== undefined && match.pair('event', String(own), String(other));
  if (name === seqName) {
    return typeof own === 'number' && match.pair('event number', String(own), String(other));
  }
  if (name === 'data') return true;
  if (name === 'occurred_at') {
    return compareValue({ kind: 'time' }, own, other, name, comparing) === null;
  }
  const space = /^(account|brand|firm)_id$/.exec(name)?.[1] as 'account' | undefined;
  if (space !== undefined) {
    return compareValue({ kind: 'name', space }, own, other, name, comparing) === null;
  }
  return own === other;
}

/** EVT-5a: the header that carries a signature, whatever its name (NS-10). */
function signatureOf({ headers }: ReceivedDelivery): string | undefined {
  return headers.lines.find(([, value]) => /(^|,)\s*(t|v1)=/.test(value))?.[1];
}

const partsOf = (header: string, name: string): string[] =>
  header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));

/** EVT-6, EVT-7: by which of the secrets it is signed, in the order in which they were issued. */
function compareSignature(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  { target, model }: Sides,
): Mismatch | null {
  const said = signersOf(own, target);
  const expected = signersOf(other, model);
  return said === expected ? null : { at: 'signature', target: said, model: expected };
}

function signersOf(arrival: ReceivedDelivery, player: Player): string {
  const header = signatureOf(arrival);
  if (header === undefined) return 'not signed';
  const [t = ''] = partsOf(header, 't');
  if (partsOf(header, 't').length !== 1) return 'not one time';
  const secrets = secretsOf(player);
  const signers = partsOf(header, 'v1').map((signature) => {
    const at = secrets.findIndex((secret) => hmac(secret, t, arrival.body) === signature);
    return at < 0 ? 'an unknown secret' : `secret ${at + 1}`;
  });
  return `signed by ${signers.sort().join(' and ')}`;
}

function hmac(secret: string, t: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}

function secretsOf(player: Player): readonly string[] {
  const all: string[] = [];
  for (const outcome of player.outcomes.values()) {
    const secret = outcome.kind === 'answer' ? memberAt(outcome.json, 'secret') : undefined;
    if (typeof secret === 'string' && !all.includes(secret)) all.push(secret);
  }
  return all;
}

/** EVT-5b: by the wall's clock or by the target's own. */
function compareTime(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  target: Player,
): Mismatch | null {
  const [header, expected] = [signatureOf(own), signatureOf(other)];
  if (header === undefined || expected === undefined) return null;
  const t = Number(partsOf(header, 't')[0]);
  const byItsClock = target.arrived.get(own) ?? [target.startMs, target.nowMs ?? own.atMs];
  const isWithin = ([fromMs, toMs]: readonly [number, number]) =>
    t >= fromMs - TOLERANCE_MS && t <= toMs + TOLERANCE_MS;
  if (isWithin([own.atMs, own.atMs]) || isWithin(byItsClock)) return null;
  return { at: 'signature.t', target: String(t), model: `about ${own.atMs}` };
}
