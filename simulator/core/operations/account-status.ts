// GET /api/v1/accounts/{id}/status, of which the specification tells only that there is one
// (NS-54): the way to the present ETag after a 412.

import type { Decision } from '../call.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import { accountReply } from './create-account.ts';
import { findAccount, parseOtherPathId } from './find-record.ts';
import { refuseReadScope } from './list-records.ts';

export function getAccountStatus(context: RequestContext): Decision {
  const refused = refuseReadScope(context);
  if (refused !== null) return refused;
  const id = parseOtherPathId(context, 'account');
  if (typeof id !== 'string') return id;
  const account = findAccount(context, id, ['NS-54']);
  if ('reply' in account) return account;
  return {
    reply: accountReply(context, account, 200, context.behaviour.serialize.accountStatus(account)),
    changes: [],
    cites: ['NS-54', 'CONV-3', 'ACC-19'],
  };
}
