// POST /api/v1/accounts.
import type { Attempt } from '../attempt.ts';
import type { Decision } from '../call.ts';
import { createAccountRow } from './account-row.ts';

export function createAccount(attempt: Attempt): Decision {
  return createAccountRow(attempt, attempt.body);
}
