// The register of deliberate deviations, in the order of the rules they break.
import { accountPeopleDeviations } from './account-people.ts';
import { accountShapeDeviations } from './account-shapes.ts';
import { accountDeviations } from './accounts.ts';
import type { Deviation } from './deviation.ts';
import { keyDeviations } from './idempotency-keys.ts';
import { recordDeviations } from './idempotency-records.ts';
import { replayDeviations } from './idempotency-replays.ts';
import { subjectDeviations } from './idempotency-subjects.ts';
import { updateTagDeviations } from './update-tags.ts';
import { updateDeviations } from './updates.ts';

export type { Deviation } from './deviation.ts';

export const deviations: readonly Deviation[] = [
  ...accountDeviations,
  ...accountPeopleDeviations,
  ...accountShapeDeviations,
  ...updateDeviations,
  ...updateTagDeviations,
  ...keyDeviations,
  ...subjectDeviations,
  ...replayDeviations,
  ...recordDeviations,
];

export function findDeviation(id: string): Deviation | undefined {
  return deviations.find((deviation) => deviation.id === id);
}
