// The open question whose other answer is what the target has done.
import type { Found } from '../findings/investigate.ts';
import type { MakeModel, Model, ModelSettings } from '../model.ts';
import type { Duel } from '../play/arena.ts';
import { explain } from '../play/explain.ts';
import { type ModelCommon, withModel } from '../play/model-worlds.ts';
import type { Sequence } from '../sequence.ts';
import type { Excuse } from './excuses.ts';
import { flipsFor } from './flips.ts';

export interface Asked {
  readonly model: Model;
  readonly makeModel: MakeModel;
  readonly settings: ModelSettings;
  readonly common: ModelCommon;
}

export interface OtherAnswer extends Excuse {
  readonly setting: string;
}

export async function otherAnswerFor(
  { sequence, difference, duel }: Found,
  { model: asItIs, makeModel, settings, common }: Asked,
): Promise<OtherAnswer | undefined> {
  const explains = (model: Model) => isExplained(sequence, duel, model, common);
  const flips = flipsFor(difference, settings);
  // What shows only while it is played says nothing when it is looked at afterwards.
  if (flips.length === 0 || (await explains(asItIs))) return undefined;
  for (const { question, setting, value } of flips) {
    const model = await makeModel({ ...settings, [setting]: value });
    try {
      // Twice, because a delivery may be late once.
      const isSo = (await explains(model)) && (await explains(model));
      if (isSo) return { question, setting, why: `${setting} is ${value}` };
    } finally {
      await model.close();
    }
  }
  return undefined;
}

async function isExplained(
  sequence: Sequence,
  { target }: Duel,
  model: Model,
  common: ModelCommon,
): Promise<boolean> {
  const again = await withModel(model, common, (arena) => explain(sequence, target, arena));
  return again.verdict === 'agrees';
}
