// The same in other circumstances. What a grid goes through is done beside another grid, is told to
// somebody, is about people who came in a batch or were changed before, is done by two credentials
// in turn, is broken off by a pause; and some of it is sent again when all is over.
import { OPERATIONS } from '../../../engine/operations.ts';
import { type CallStep, rebound, type Step, type Value } from '../../sequence.ts';
import { bulkCall } from '../bulk.ts';
import { call, type Drawing, type Members, newKey } from '../idea.ts';
import { madeBy, mintedBeside } from '../made.ts';
import { person } from '../people.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { CATEGORIES, subscribed } from '../webhooks.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PAUSES_MS = [61_000, 61 * MINUTE_MS, 25 * 60 * MINUTE_MS, 8 * DAY_MS, 32 * DAY_MS];
/** So many of a sequence's calls are sent again at its end. */
const AGAIN = 3;
/** Most grids as they are: what they go through is spoiled by some circumstances. */
const VARIED = 0.5;

interface Variation {
  readonly weight: number;
  readonly isPossible: (steps: readonly Step[], d: Drawing) => boolean;
  readonly of: (steps: readonly Step[], d: Drawing) => readonly Step[];
}

const isCall = (step: Step): step is CallStep => step.do === 'call' && step.pending !== true;

/** They stand by themselves: a fault is for the next call, what is awaited was kept waiting. */
const PLAIN: ReadonlySet<Step['do']> = new Set([
  ...(['call', 'advance', 'open', 'place', 'mint', 'settle', 'ledger', 'hook'] as const),
  ...(['emit', 'rescope', 'permit', 'resolve', 'resume'] as const),
]);

/** Whether other steps may come between any two of these. */
export const isPlain = (steps: readonly Step[]): boolean =>
  steps.every((step) => PLAIN.has(step.do) && !('pending' in step)) && !makesMany(steps);

function makesMany(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return '$rows' in value || Object.values(value).some(makesMany);
}

/** A create that a batch could make as well. */
function isCreate(step: Step): step is CallStep & { readonly body: Members } {
  if (!isCall(step) || step.operation !== 'createAccount' || step.key === undefined) return false;
  const { body } = step;
  return (
    typeof body === 'object' &&
    body !== null &&
    'client_reference_id' in body &&
    'email' in body &&
    'brand_id' in body
  );
}

/** Steps of the first create under each key: what comes under it again is a repeat. */
function firstCreates(steps: readonly Step[]) {
  const seen = new Set<string>();
  return steps.filter(isCreate).filter(({ key }) => {
    const name = JSON.stringify(key);
    return !seen.has(name) && seen.add(name);
  });
}

/** BULK-3, ACC-5: the create finds who a batch has made. */
const bornInBatches: Variation = {
  weight: 3,
  isPossible: (steps) => steps.some(isCreate),
  of: (steps, d) => {
    const born = new Set(firstCreates(steps).slice(0, 2));
    return steps.flatMap((step): Step[] =>
      isCreate(step) && born.has(step)
        ? [bulkCall(d, step.as, [person(d, step.as), step.body]), step]
        : [step],
    );
  },
};

/** UPD-1, ACC-19: what was said of a record that is new holds of one that is not. */
const changedBefore: Variation = {
  weight: 3,
  isPossible: (steps) => steps.some(isCreate),
  of: (steps, d) => {
    const [first] = firstCreates(steps);
    if (first === undefined) return steps;
    const at = steps.indexOf(first);
    const update = updateCall(d, madeBy(first), { status: `v${d.stem()}`, language: 'en' });
    const later = steps.slice(at + 1).map((step) => withTagOf(step, first.n, update.n));
    return [...steps.slice(0, at + 1), update, ...later];
  },
};

/** Under the tag of another step. */
function withTagOf(step: Step, old: number, n: number): Step {
  if (!isCall(step) || step.ifMatch === undefined) return step;
  const { ifMatch } = rebound(step, new Map([[old, n]])) as CallStep;
  return ifMatch === undefined ? step : { ...step, ifMatch };
}

/** AUTH-6, IDEM-2b: what a firm has and has done does not depend on which of its credentials. */
const byTwo: Variation = {
  weight: 2,
  isPossible: (_, d) => d.offers.has('mint') && d.main === 'firm',
  of: (steps, d) => {
    const minted = mintedBeside(d);
    const turned = steps.map((step): Step => {
      const isTurn = isCall(step) && step.as === d.main && d.random.chance(0.5);
      return isTurn ? { ...step, as: minted.name } : step;
    });
    return [minted, ...turned];
  },
};

/** EVT-4: whatever happens is told of; but nobody hears of what is made by the hundred. */
const toldOf: Variation = {
  weight: 3,
  isPossible: (steps, d) =>
    d.offers.has('receiver') &&
    !makesMany(steps) &&
    steps.every(({ do: what }) => what !== 'hook' && what !== 'many'),
  of: (steps, d) => {
    const answers = d.random.pick([[200], [200], [500, 200]]);
    return [...subscribed(d, d.main, answers, CATEGORIES), ...steps];
  },
};

const brokenOff: Variation = {
  weight: 2,
  isPossible: (steps, d) => d.offers.has('clock') && isPlain(steps) && steps.length > 4,
  of: (steps, d) => {
    const at = 2 + d.random.below(steps.length - 2);
    return steps.toSpliced(at, 0, advance(d, d.random.pick(PAUSES_MS)));
  },
};

const isKeyed = (step: Step): step is CallStep =>
  isCall(step) && OPERATIONS[step.operation].keyed && step.key !== undefined;

/** IDEM-4, IDEM-12: much has happened since they were sent first. */
const sentAgain: Variation = {
  weight: 3,
  isPossible: (steps) => steps.some(isKeyed),
  of: (steps, d) => {
    const some = d.random.shuffled(steps.filter(isKeyed)).slice(0, AGAIN);
    const again = some.map((step): Step => {
      const key: Value = d.random.chance(0.3) ? newKey(d) : step.key!;
      return { ...step, n: d.scene.label(), key };
    });
    return [...steps, ...again];
  },
};

/** ACC-10, UPD-2: what is done to one is done to nobody who is called like him elsewhere. */
const besideNamesake: Variation = {
  weight: 2,
  isPossible: (steps, d) =>
    d.offers.has('other_brand') && d.main === 'firm' && firstCreates(steps).some(isPlainCreate),
  of: (steps, d) => {
    const own = firstCreates(steps).find(isPlainCreate)!;
    const brand_id: Value = { $role: 'other_brand', has: 'brand' };
    const namesake = { ...(own.body as Members), brand_id };
    const make = () => call(d, { operation: own.operation, as: 'other_brand', body: namesake });
    const [made, looked] = [make(), make()].map((step) => ({ ...step, key: newKey(d) }));
    return [...steps.flatMap((step) => (step === own ? [step, made!] : [step])), looked!];
  },
};

/** By a role, so that he is there whatever becomes of who makes the others. */
const isPlainCreate = ({ as }: CallStep): boolean => as === 'firm';

const VARIATIONS = [
  ...[bornInBatches, changedBefore, byTwo, toldOf, brokenOff, sentAgain],
  besideNamesake,
];

/** As they are, or in one or two other circumstances. */
export function vary(steps: readonly Step[], d: Drawing): readonly Step[] {
  const { random } = d;
  if (!random.chance(VARIED)) return steps;
  let varied = steps;
  for (let more = random.chance(0.3) ? 2 : 1; more > 0; more -= 1) {
    const possible = VARIATIONS.filter(({ isPossible }) => isPossible(varied, d));
    if (possible.length === 0) return varied;
    varied = random.weighted(possible, ({ weight }) => weight).of(varied, d);
  }
  return varied;
}

/** The steps of both, those of each in their order, now some of one and now of the other. */
export function beside(one: readonly Step[], other: readonly Step[], d: Drawing): readonly Step[] {
  const merged: Step[] = [];
  let [next, waiting] = [[...one], [...other]];
  while (next.length + waiting.length > 0) {
    if (next.length === 0 || d.random.chance(0.4)) [next, waiting] = [waiting, next];
    merged.push(...next.splice(0, 1));
  }
  return merged;
}
