// Explores a simulator as a target, deviating or not, and compares it with a model.
import { explore } from '../../../../conformance/explore/explore.ts';
import type { Model } from '../../../../conformance/explore/model.ts';
import type { ExploreOptions } from '../../../../conformance/explore/options.ts';
import type { CallStep, Step, Value } from '../../../../conformance/explore/sequence.ts';
import { defaultSettings, type Settings } from '../../../../fixtures/settings.ts';
import { findDeviation } from '../../../../simulator/deviations/register.ts';
import { simulatorModel, simulatorModels } from '../../../commands/conformance/explore-model.ts';

export interface ExploringOptions extends Partial<Omit<ExploreOptions, 'sequences'>> {
  readonly deviations?: readonly string[];
  /** How the target answers open questions. */
  readonly answers?: Partial<Settings>;
  /** Steps of a single sequence to play instead of drawn sequences. */
  readonly steps?: readonly Step[];
  /** Changes the target before it is explored. */
  readonly bent?: (target: Model) => Partial<Pick<ExploreOptions, 'provider' | 'sender'>>;
}

export async function explored(options: ExploringOptions = {}) {
  const { deviations = [], answers = {}, steps, bent, ...rest } = options;
  const bends = deviations.map((id) => findDeviation(id)!);
  const target = await simulatorModel({ ...defaultSettings, ...answers }, bends);
  try {
    return await explore({
      ...{
        provider: target.provider,
        sender: target.sender,
        models: simulatorModels(defaultSettings),
      },
      ...{ settings: {}, seed: 1, requests: 400, crowd: 8, width: 1, timeoutMs: 10_000 },
      ...{ untilMs: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
      ...(steps === undefined ? {} : { sequences: [{ steps }] }),
      ...rest,
      ...bent?.(target),
    });
  } finally {
    await target.close();
  }
}

export const createAccount = (
  n: number,
  over: { readonly [name: string]: Value } = {},
): CallStep => ({
  ...{ do: 'call', n, operation: 'createAccount', as: 'firm', key: { $fresh: `k${n}` } },
  body: {
    client_reference_id: { $fresh: `a${n}` },
    email: { $join: [{ $fresh: `a${n}` }, '@explore.example.com'] },
    brand_id: { $role: 'firm', has: 'brand' },
    ...over,
  },
});
