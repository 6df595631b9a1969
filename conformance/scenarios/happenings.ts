// Things that happen on the platform, and the deliveries that tell of them. Which operation brings
// which event is open (NS-11): where an operator can make events they are made, else an account is
// created.
import type { Delivered } from '../engine/arrivals.ts';
import type { Body } from '../engine/client.ts';
import type { Role } from '../engine/needs.ts';
import { Blocked, Inconclusive, Wanting } from '../engine/stop.ts';
import type { Trial } from '../engine/trial.ts';
import type { Hook } from '../providers/receiver.ts';
import { type Bodied, type Envelope, envelopeIn, eventIdOf, textOf } from './envelopes.ts';

export type Category = 'account' | 'order' | 'position' | 'transaction';

export const CATEGORIES: readonly Category[] = ['account', 'order', 'position', 'transaction'];

export interface Happening {
  readonly words: string;
  /** What the operator who made it was told that it is. */
  readonly envelope?: Envelope;
  /** Whether a delivery tells of it. */
  isIn(delivered: Bodied): boolean;
}

export interface Wish {
  readonly category?: Category;
  /** At whose brand it happens; that of the main role when left out. */
  readonly role?: Role;
  /** Text to stand in the event. */
  readonly text?: string;
}

/** Makes one event of a category happen. */
export async function happen(t: Trial, wish: Wish = {}): Promise<Happening> {
  const { category = 'account', role = t.mainRole, text } = wish;
  if (!t.has('emit')) {
    if (category !== 'account') throw new Wanting('emit', `no way to cause ${category} events`);
    return accountHappens(t, role, text === undefined ? {} : { last_name: text });
  }
  const mark = t.fresh.reference();
  const brandId = t.brandId(role);
  const brand = brandId === undefined ? {} : { brandId };
  const data = { mark, ...(text === undefined ? {} : { text }) };
  const envelope = await t.operator.emit({ category, data, ...brand });
  const id = eventIdOf(envelope);
  // By its mark first: that a repeat keeps the id is judged elsewhere (EVT-2b).
  return {
    words: `${category} event ${id}`,
    envelope,
    isIn: (each) => textOf(each).includes(mark) || eventIdOf(envelopeIn(each)) === id,
  };
}

/** An account is created by the API itself, which may bring an event, or several, or none. */
export async function accountHappens(t: Trial, role: Role, over: Body = {}): Promise<Happening> {
  const { id, reference, email } = await t.given.account(over, role);
  const names = [`"${id}"`, reference, email];
  return {
    words: `an event about the account ${id}`,
    isIn: (each) => {
      const text = textOf(each);
      return names.some((name) => text.includes(name)) || new RegExp(`:\\s*${id}\\b`).test(text);
    },
  };
}

/**
 * How long a delivery may take where nobody says: at once under our own clock, longer on a live
 * target.
 */
export function patienceMs(t: Trial): number {
  return t.has('clock') ? 5_000 : 30_000;
}

/** The deliveries of one happening at a hook, once there are `count` or the time is up. */
export async function deliveriesOf(
  t: Trial,
  hook: Hook,
  happening: Happening,
  count = 1,
  withinMs = patienceMs(t),
): Promise<Delivered[]> {
  const own = () => hook.arrivals.filter((each) => happening.isIn(each));
  await t.until(() => own().length >= count, withinMs);
  return (await t.arrived(hook, 0, 0)).filter((each) => happening.isIn(each));
}

/** The first delivery of a happening: what follows rests on it. */
export async function mustArrive(t: Trial, hook: Hook, happening: Happening): Promise<Delivered> {
  const [first] = await deliveriesOf(t, hook, happening);
  if (first !== undefined) return first;
  const words = `no delivery of ${happening.words} came within ${patienceMs(t) / 1000} s`;
  // NS-11: without an operator nothing says that there was an event to deliver.
  throw t.has('emit') ? new Blocked(words) : new Inconclusive(words);
}

/** Gives what is on its way the time to arrive: an advance returns when it has been answered. */
export async function letArrive(t: Trial): Promise<void> {
  if (t.has('clock')) await t.operator.advance(1);
  else await t.sleep(2_000);
}
