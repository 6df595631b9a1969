// The rate plans, in requests a second for each credential (LIM-1), and the size of a firm's
// allowance (LIM-3).
export const planRates = { sandbox: 5, standard: 50, pro: 200 } as const;

export type PlanName = keyof typeof planRates;

/** LIM-3: a firm may send this many times the per-credential rate of its plan. */
export const firmFactor = 4;
