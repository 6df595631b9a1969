// What becomes of a difference: shown again from fresh, and shrunk to the shortest sequence that
// still shows it.

import type { OperationName } from '../../engine/operations.ts';
import { type Difference, isOfAll, likenessOf, signatureOf } from '../compare/difference.ts';
import type { Duel } from '../play/arena.ts';
import { Spent } from '../play/ground.ts';
import { Player } from '../play/player.ts';
import { callsOf, newLabels, renumbered, type Sequence, type Step } from '../sequence.ts';
import { elsewhere } from './elsewhere.ts';
import { shrink, upTo } from './shrink.ts';

export interface Found {
  readonly sequence: Sequence;
  readonly difference: Difference;
  /** The last play of the shrunk sequence. */
  readonly duel: Duel;
  readonly reproduced: string;
  readonly calls: number;
  readonly shrunkFrom: number;
  /** How often it was met, and as what. */
  times: number;
  readonly metAs: Set<string>;
  /** Titles of what is told with it, as the same rule is broken in the same way. */
  readonly also: Set<string>;
  /** ERR-3: another operation that was seen to answer a refusal in the same way. */
  readonly elsewhere?: OperationName;
}

const AGAIN = 2;
/**
 * Which of two comes first is a matter of chance, so that a race is not lost every time; and so is
 * where in a second of the target's an allowance is asked of.
 */
const AGAIN_BY_CHANCE = 4;
const TRIES_AT_ONCE = 3;

const triesFor = ({ steps }: Sequence): number =>
  steps.some((step) => step.do === 'burst') ? TRIES_AT_ONCE : 1;

export type Play = (sequence: Sequence) => Promise<Duel>;

/** Why a difference is not told: who is accused of one must see it again. */
export type NotShown = typeof NOT_AGAIN | typeof NOTHING_LEFT;
const NOT_AGAIN = 'a difference was not met again';
const NOTHING_LEFT = 'a difference was met once, with nothing left to show it again';

/** Where requests or time end half-way, it is told as it was shown last. */
export async function investigate(
  sequence: Sequence,
  first: Difference,
  play: Play,
  left?: () => number,
): Promise<Found | NotShown> {
  const wanted = likenessOf(first);
  const shows = async (each: Sequence, tries = triesFor(each)): Promise<Duel | null> => {
    for (let left = tries; left > 0; left -= 1) {
      const played = await play(each);
      const { difference } = played;
      if (difference === undefined || likenessOf(difference) !== wanted) continue;
      if (!isRefusedOnlyNow(first, difference)) return played;
    }
    return null;
  };
  const cut = upTo(sequence, first.n);
  const { sequence: shrunk, shown } = await shrink(cut, first.n, shows, isOfAll(first), left);
  const alone = await unlessSpent(() => shownAlone(shrunk, play));
  if (alone !== undefined && alone !== null) return alone;
  const plain = renumbered(shrunk);
  const times = isByChance(plain, first) ? AGAIN_BY_CHANCE : AGAIN;
  const again = await showAgain(plain, times, (each) => shows(each, 1));
  const before = again.isSpent ? shown : undefined;
  const last = again.last ?? (before && underNewNumbers(shrunk, before));
  if (last?.difference === undefined) {
    return again.isSpent ? NOTHING_LEFT : NOT_AGAIN;
  }
  const found: Found = {
    sequence: upTo(plain, last.difference.n),
    difference: last.difference,
    duel: last,
    reproduced: again.last === null ? ONCE : `${again.reproduced} of ${again.times}`,
    calls: callsOf(shrunk.steps).length,
    shrunkFrom: callsOf(sequence.steps).length,
    times: 1,
    metAs: new Set([signatureOf(first)]),
    also: new Set(),
  };
  const other = await unlessSpent(() => elsewhere(found, play));
  return other === undefined ? found : { ...found, elsewhere: other };
}

/**
 * A call that is left alone of calls at once is like any other, and step by step more is compared:
 * what differs then comes first.
 */
async function shownAlone({ steps }: Sequence, play: Play): Promise<Found | NotShown | null> {
  const isAlone = (step: Step) => step.do === 'burst' && step.calls.length === 1;
  if (!steps.some(isAlone)) return null;
  const sequence = {
    steps: steps.flatMap<Step>((each) => (isAlone(each) ? callsOf([each]) : each)),
  };
  const { difference } = await play(sequence);
  return difference === undefined ? null : investigate(sequence, difference, play);
}

/** Undefined where no requests are left for it. */
async function unlessSpent<T>(play: () => Promise<T>): Promise<T | undefined> {
  try {
    return await play();
  } catch (error) {
    if (error instanceof Spent) return undefined;
    throw error;
  }
}

const ONCE = 'once more, with no requests or time left for a second time';

/** What was served is not told by a call that is refused for a reason of its own. */
function isRefusedOnlyNow(first: Difference, now: Difference): boolean {
  const isNew = (before: string, after: string) =>
    Number.parseInt(before, 10) < 400 && Number.parseInt(after, 10) >= 400;
  return isNew(first.modelAnswer, now.modelAnswer) || isNew(first.targetAnswer, now.targetAnswer);
}

const isByChance = (sequence: Sequence, { modelAnswer, targetAnswer }: Difference): boolean =>
  triesFor(sequence) > 1 || [modelAnswer, targetAnswer].some((each) => each.startsWith('429'));

async function showAgain(
  shrunk: Sequence,
  times: number,
  show: (each: Sequence) => Promise<Duel | null>,
) {
  let reproduced = 0;
  let last: Duel | null = null;
  for (let time = 0; time < times; time += 1) {
    try {
      const shown = await show(shrunk);
      if (shown === null) continue;
      reproduced += 1;
      last = shown;
    } catch (error) {
      if (!(error instanceof Spent)) throw error;
      return { reproduced, times: time, last, isSpent: true };
    }
  }
  return { reproduced, times, last, isSpent: false };
}

/** A play as if its steps had been numbered anew before it: whoever reads it counts from one. */
function underNewNumbers(sequence: Sequence, duel: Duel): Duel {
  const labels = newLabels(sequence);
  const { target, model, difference } = duel;
  return {
    ...duel,
    ...(difference && {
      difference: { ...difference, n: labels.get(difference.n) ?? difference.n },
    }),
    target: relabelled(target, labels),
    model: relabelled(model, labels),
  };
}

/** Of steps that the sequence has not got any more nothing is told. */
function relabelled(player: Player, labels: ReadonlyMap<number, number>): Player {
  const told = new Player(player.ground, player.nonce);
  // What is explained by it afterwards is compared by the clock that it was played by.
  told.startMs = player.startMs;
  told.nowMs = player.nowMs;
  told.settled.push(...player.settled);
  for (const [name, credential] of player.credentials) told.credentials.set(name, credential);
  for (const [old, n] of labels) {
    const outcome = player.broughtBy(old);
    if (outcome !== undefined) told.outcomes.set(n, { ...outcome, n });
    const hook = player.hooks.get(old);
    if (hook === undefined) continue;
    told.hooks.set(n, hook);
    for (const each of hook.deliveries) {
      const came = player.arrived.get(each);
      if (came !== undefined) told.arrived.set(each, came);
    }
  }
  return told;
}
