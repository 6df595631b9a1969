// The register of subtle deviations: the explorer is proved on them, and no scenario has to notice
// any.
import type { SubtleDeviation } from '../deviation.ts';
import { combinationDeviations } from './combinations.ts';
import { mixtureDeviations } from './mixtures.ts';
import { raceDeviations } from './races.ts';
import { sizeDeviations } from './sizes.ts';
import { timeDeviations } from './times.ts';

export const subtleDeviations: readonly SubtleDeviation[] = [
  ...combinationDeviations,
  ...mixtureDeviations,
  ...sizeDeviations,
  ...timeDeviations,
  ...raceDeviations,
];
