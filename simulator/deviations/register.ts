// The register of deviations, in the order of the rules that they break.
import { accessDeviations } from './access.ts';
import { accountDeviations } from './accounts.ts';
import { bulkDeviations } from './bulk.ts';
import { conventionDeviations } from './conventions.ts';
import { deliveryDeviations } from './delivery.ts';
import type { Deviation } from './deviation.ts';
import { errorDeviations } from './errors.ts';
import { idempotencyDeviations } from './idempotency.ts';
import { limitDeviations } from './limits.ts';
import { transactionDeviations } from './transactions.ts';
import { transitionDeviations } from './transitions.ts';
import { updateDeviations } from './updates.ts';
import { webhookDeviations } from './webhooks.ts';

export type { Deviation } from './deviation.ts';

export const deviations: readonly Deviation[] = [
  conventionDeviations,
  accountDeviations,
  updateDeviations,
  bulkDeviations,
  transactionDeviations,
  transitionDeviations,
  idempotencyDeviations,
  accessDeviations,
  webhookDeviations,
  deliveryDeviations,
  errorDeviations,
  limitDeviations,
].flatMap((family) => Object.entries(family).map(([id, deviation]) => ({ id, ...deviation })));

export const findDeviation = (id: string): Deviation | undefined =>
  deviations.find((deviation) => deviation.id === id);

/** Rules that no deviation can break, each with the reason. */
export const unbreakable: Readonly<Record<string, string>> = {
  'IDEM-1c': 'HTTP removes the spaces around a header value before a service sees it.',
};
