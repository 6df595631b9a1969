// The rate plans, in requests a second for each credential (LIM-1), and the size of a firm's
// allowance (LIM-3).
import type { PlanName } from '../records.ts';

export const planRates: Readonly<Record<PlanName, number>> = { sandbox: 5, standard: 50, pro: 200 };

/** LIM-3: a firm may send this many times the per-credential rate of its plan. */
export const firmFactor = 4;
