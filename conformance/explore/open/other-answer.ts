// The open question whose other answer is what the target has done.
import type { Provider } from '../../providers/target.ts';
import type { Found } from '../findings/investigate.ts';
import type { MakeModel, Model, ModelSettings } from '../model.ts';
import type { Duel } from '../play/arena.ts';
import { explain } from '../play/explain.ts';
import { type ModelCommon, withModel } from '../play/model-worlds.ts';
import type { Sequence } from '../sequence.ts';
import type { Excuse } from './excuses.ts';
import { flipsFor } from './flips.ts';
import { plainFormOf } from './one-answer.ts';

export interface Asked {
  readonly model: Model;
  readonly makeModel: MakeModel;
  readonly settings: ModelSettings;
  readonly common: ModelCommon;
  readonly provider: Provider;
  /** Plays a sequence on the target and on the model as it is. */
  readonly duel: (sequence: Sequence) => Promise<Duel>;
}

export async function otherAnswerFor(
  { sequence, difference, duel }: Found,
  asked: Asked,
): Promise<Excuse | undefined> {
  const { model: asItIs, makeModel, settings, common } = asked;
  const explains = (model: Model) => isExplained(sequence, duel, model, common);
  const flips = flipsFor(difference, settings);
  // What shows only while it is played says nothing when it is looked at afterwards.
  if (flips.length === 0 || (await explains(asItIs))) return undefined;
  for (const { question, setting, value } of flips) {
    const model = await makeModel({ ...settings, [setting]: value });
    try {
      // Twice, because a delivery may be late once.
      const isSo = (await explains(model)) && (await explains(model));
      if (isSo && !(await isAnswered(setting, asked))) {
        return { question, why: `${setting} is ${value}` };
      }
    } finally {
      await model.close();
    }
  }
  return undefined;
}

/** Whether the target, asked plainly, gives the answer that the model gives. */
async function isAnswered(setting: string, { provider, duel }: Asked): Promise<boolean> {
  const { mainRole } = await provider.shared();
  const plain = plainFormOf(setting, provider.offers, mainRole);
  return plain !== undefined && (await duel(plain)).verdict === 'agrees';
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
