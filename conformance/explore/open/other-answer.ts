// The open question whose other answer is what the target has done.
import type { Provider } from '../../providers/target.ts';
import { type Difference, likenessOf } from '../compare/difference.ts';
import type { Found } from '../findings/investigate.ts';
import type { MakeModel, Model, ModelSettings } from '../model.ts';
import type { Duel } from '../play/arena.ts';
import { explain } from '../play/explain.ts';
import { type ModelCommon, withModel } from '../play/model-worlds.ts';
import { callsOf, type Sequence, type Step } from '../sequence.ts';
import type { Excuse } from './case.ts';
import { type Flip, flipsFor, isShown } from './flips.ts';
import { plainFormOf } from './one-answer.ts';

export interface Asked {
  readonly model: Model;
  readonly makeModel: MakeModel;
  readonly settings: ModelSettings;
  /** Settings that nobody has asked the target about. */
  readonly unasked: ReadonlySet<string>;
  readonly commonFor: (settings: ModelSettings) => ModelCommon;
  readonly provider: Provider;
  /** Plays a sequence on the target and on the model as it is. */
  readonly duel: (sequence: Sequence) => Promise<Duel>;
}

export interface OtherAnswer {
  readonly excuse: Excuse;
  /** What the target has shown of settings that nobody had asked it about. */
  readonly learned: ModelSettings;
}

/** So many answers that nobody has asked for may meet in one difference. */
const MOST_TOGETHER = 8;

export async function otherAnswerFor(found: Found, asked: Asked): Promise<OtherAnswer | undefined> {
  const { difference } = found;
  const { settings, unasked } = asked;
  // Who has answered how long something takes by itself has said that it comes about.
  const isOpen = ({ setting, value }: Flip) => value !== null || unasked.has(setting);
  const flips = flipsFor(difference, settings, unasked).filter(isOpen);
  // What shows only while it is played says nothing when it is looked at afterwards.
  if (flips.length === 0 || (await explained(found, asked, {})).verdict === 'agrees') {
    return undefined;
  }
  for (const flip of flips) {
    const chosen = { [flip.setting]: flip.value };
    // Twice, because a delivery may be late once.
    for (let tries = 2; tries > 0; tries -= 1) {
      const { verdict } = await explained(found, asked, chosen);
      if (verdict !== 'agrees') break;
      if (tries > 1 || (await isAnswered(flip.setting, asked))) continue;
      return {
        excuse: excuseOf([flip]),
        learned: unasked.has(flip.setting) && isShown(flip) ? chosen : {},
      };
    }
  }
  return unasked.size === 0 ? undefined : severalAnswersFor(found, asked);
}

/**
 * Answers that nobody has asked for, one after the other: with each the target is followed further,
 * until there is nothing left in which it differs.
 */
async function severalAnswersFor(found: Found, asked: Asked): Promise<OtherAnswer | undefined> {
  const flips: Flip[] = [];
  let reached: Difference | undefined = found.difference;
  while (reached !== undefined) {
    const chosen = Object.fromEntries(flips.map(({ setting, value }) => [setting, value]));
    const next = await nextAnswer(found, asked, chosen, reached);
    if (next === undefined || flips.length === MOST_TOGETHER) return undefined;
    flips.push(next.flip);
    reached = next.reached;
  }
  for (const { setting } of flips) if (await isAnswered(setting, asked)) return undefined;
  const learned = Object.fromEntries(flips.map(({ setting, value }) => [setting, value]));
  return { excuse: excuseOf(flips), learned };
}

interface Reaching {
  readonly flip: Flip;
  /** What differs next; undefined where nothing does. */
  readonly reached: Difference | undefined;
}

/** The answer with which the target is followed furthest, with another difference than before. */
async function nextAnswer(
  found: Found,
  asked: Asked,
  chosen: ModelSettings,
  before: Difference,
): Promise<Reaching | undefined> {
  const placeOf = ({ n }: Difference) => found.sequence.steps.findIndex((each) => holds(each, n));
  let best: Reaching | undefined;
  for (const flip of flipsFor(before, { ...asked.settings, ...chosen }, asked.unasked)) {
    const { setting, value } = flip;
    if (!asked.unasked.has(setting) || setting in chosen || !isShown(flip)) continue;
    const { verdict, difference } = await explained(found, asked, { ...chosen, [setting]: value });
    if (verdict === 'agrees') return { flip, reached: undefined };
    if (verdict !== 'differs' || difference === undefined) continue;
    // In which order calls at once came may be told otherwise now: it need not be later.
    const isOther = likenessOf(difference) !== likenessOf(before);
    const isBest = best?.reached === undefined || placeOf(difference) > placeOf(best.reached);
    if (isOther && isBest) best = { flip, reached: difference };
  }
  return best;
}

const holds = (step: Step, n: number): boolean =>
  step.n === n || callsOf([step]).some((each) => each.n === n);

function excuseOf(flips: readonly Flip[]): Excuse {
  const why = flips.map(({ setting, value }) => `${setting} is ${value}`).join(', ');
  return { question: flips[0]!.question, why };
}

/** Whether the target, asked plainly, gives the answer that the model gives. */
async function isAnswered(setting: string, { provider, duel }: Asked): Promise<boolean> {
  const { mainRole } = await provider.shared();
  const plain = plainFormOf(setting, provider.offers, mainRole);
  return plain !== undefined && (await duel(plain)).verdict === 'agrees';
}

/** What the play of the target comes to, beside a model that answers so. */
async function explained(
  { sequence, duel: { target } }: Found,
  { model: asItIs, makeModel, settings, unasked, commonFor }: Asked,
  chosen: ModelSettings,
): Promise<Duel> {
  const isOwn = Object.keys(chosen).length === 0;
  const answers = isOwn ? settings : { ...settings, ...chosen };
  const model = isOwn ? asItIs : await makeModel(answers);
  try {
    // What an answer leaves uncompared is compared where the target was asked, and gave another.
    const open = Object.entries(chosen).filter(([setting]) => unasked.has(setting));
    const common = commonFor({ ...settings, ...Object.fromEntries(open) });
    return await withModel(model, common, (arena) => explain(sequence, target, arena));
  } finally {
    if (!isOwn) await model.close();
  }
}
