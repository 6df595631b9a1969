// Every check of a client, in the order in which reports show them.
import { brokenChecks } from './broken.ts';
import type { Check } from './check.ts';
import { habitChecks } from './habits.ts';
import { lostChecks } from './lost.ts';
import { refusedChecks } from './refused.ts';
import { shapeChecks } from './shapes.ts';
import { tokenChecks } from './tokens.ts';
import { waitingChecks } from './waiting.ts';

const order = [
  'CLT-key-sent',
  'CLT-key-one-intent',
  'CLT-answer-lost',
  'CLT-request-lost',
  'CLT-no-answer',
  'CLT-500',
  'CLT-503',
  'CLT-gives-up',
  'CLT-429',
  'CLT-in-flight',
  'CLT-refused',
  'CLT-stale-tag',
  'CLT-token-expires',
  'CLT-token-kept',
  'CLT-large-ids',
  'CLT-amounts',
  'CLT-unknown-fields',
  'CLT-converged',
  'CLT-plain-text',
  'CLT-secret-places',
];

const known: readonly Check[] = [
  ...habitChecks,
  ...lostChecks,
  ...brokenChecks,
  ...waitingChecks,
  ...refusedChecks,
  ...tokenChecks,
  ...shapeChecks,
];

export const checks: readonly Check[] = order.flatMap((id) =>
  known.filter((each) => each.id === id),
);
