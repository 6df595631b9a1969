// POST /api/v1/accounts.

import type { Decision } from '../call.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import { createOrFindAccount } from './create-or-find-account.ts';

export function createAccount(context: RequestContext): Decision {
  return createOrFindAccount(context, context.body);
}
