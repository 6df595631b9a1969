// Whether other answers to open questions make the model do what the target has done: then the
// difference is open, and what the target was not asked about before has been learned.

import { type Difference, likenessOf } from '../compare/difference.ts';
import { type CompareOptions, compareRun } from '../compare/run.ts';
import type { Shown } from '../findings/found.ts';
import type { Model, ModelSettings, Models } from '../model.ts';
import { type Flip, flipsFor, isShown } from './flips.ts';
import type { Excuse } from './pair.ts';

export interface Asked {
  readonly models: Models;
  /** Of the model as it is. */
  readonly settings: ModelSettings;
  /** Settings that the target was not asked about. */
  readonly unasked: ReadonlySet<string>;
  readonly compareWith: (
    model: Model,
    settings: ModelSettings,
  ) => CompareOptions & { readonly close: () => Promise<void> };
}

export interface OtherAnswer {
  readonly excuse: Excuse;
  readonly learned: ModelSettings;
}

/** So many answers that the target was not asked for may meet in one difference. */
const MOST_TOGETHER = 6;

export async function otherAnswerFor(shown: Shown, asked: Asked): Promise<OtherAnswer | undefined> {
  const { settings, unasked } = asked;
  const flips: Flip[] = [];
  let reached: Difference | undefined = shown.difference;
  while (reached !== undefined && flips.length < MOST_TOGETHER) {
    const chosen = Object.fromEntries(flips.map(({ setting, value }) => [setting, value]));
    const next = await nextAnswer(shown, asked, chosen, reached);
    if (next === undefined) return undefined;
    flips.push(next.flip);
    reached = next.reached;
  }
  if (reached !== undefined) return undefined;
  const why = flips.map(({ setting, value }) => `${setting} is ${String(value)}`).join(', ');
  const learned = flips.filter((flip) => unasked.has(flip.setting) && isShown(flip));
  // A setting that was answered before says nothing new: the difference is open all the same.
  const values = Object.fromEntries(learned.map(({ setting, value }) => [setting, value]));
  const isNew = Object.entries(values).some(([name, value]) => settings[name] !== value);
  return { excuse: { question: flips[0]!.question, why }, learned: isNew ? values : {} };
}

interface Reaching {
  readonly flip: Flip;
  /** What differs next; undefined where nothing new does. */
  readonly reached: Difference | undefined;
}

/** The answer with which nothing differs, or else the one that leads to another, later difference. */
async function nextAnswer(
  shown: Shown,
  asked: Asked,
  chosen: ModelSettings,
  before: Difference,
): Promise<Reaching | undefined> {
  let best: Reaching | undefined;
  for (const flip of flipsFor(before, { ...asked.settings, ...chosen }, asked.unasked)) {
    const { setting, value } = flip;
    if (setting in chosen) continue;
    const found = await differenceWith(shown, asked, { ...chosen, [setting]: value });
    if (found === undefined) return { flip, reached: undefined };
    if (found === 'nothing can be said' || !asked.unasked.has(setting) || !isShown(flip)) continue;
    // In which order calls at the same time came may be another now: it need not be later.
    const isOther = likenessOf(found) !== likenessOf(before) && found.n >= before.n;
    if (isOther && (best?.reached === undefined || found.n > best.reached.n)) {
      best = { flip, reached: found };
    }
  }
  return best;
}

/** What still differs, or differs only now, beside a model that answers so. */
async function differenceWith(
  shown: Shown,
  { models, settings, compareWith }: Asked,
  chosen: ModelSettings,
): Promise<Difference | undefined | 'nothing can be said'> {
  const answers = { ...settings, ...chosen };
  const model = await models.open(answers);
  const { close, ...options } = compareWith(model, answers);
  try {
    const { differences, why } = await compareRun(shown.recorded, options);
    const wanted = likenessOf(shown.difference);
    const others = new Set(shown.compared.differences.map(likenessOf));
    others.delete(wanted);
    const found = differences.find((each) => !others.has(likenessOf(each)));
    return found ?? (why === undefined ? undefined : 'nothing can be said');
  } finally {
    await close();
    await model.close();
  }
}
