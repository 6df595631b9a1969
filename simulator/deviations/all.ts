// The register of deliberate deviations, in the order of the rules they break.
import { accountDeviations } from './accounts.ts';
import type { Deviation } from './deviation.ts';
import { keyDeviations } from './idempotency-keys.ts';
import { replayDeviations } from './idempotency-replays.ts';

export type { Deviation } from './deviation.ts';

export const deviations: readonly Deviation[] = [
  ...accountDeviations,
  ...keyDeviations,
  ...replayDeviations,
];

export function findDeviation(id: string): Deviation | undefined {
  return deviations.find((deviation) => deviation.id === id);
}
