// Bends of updates that their families share.
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import type { Account } from '../../core/records.ts';
import { type Bend, decision, only } from '../bend.ts';

export const update = 'updateAccount';

/** Changes the account as an update leaves it, in the world and in the answer. */
export const left = (
  change: (after: Account, before: Account, context: RequestContext) => Account,
): Bend =>
  decision(update, (given, context) => {
    const [changed] = only(given.changes, 'account-changed');
    const before =
      changed === undefined ? undefined : context.world.accounts.get(changed.account.id);
    if (changed === undefined || before === undefined) return given;
    const account = change(changed.account, before, context);
    const { serialize, values } = context.behaviour;
    return {
      ...given,
      reply: { ...given.reply, body: serialize.account(account), etag: values.etag(account) },
      changes: given.changes.map((each) => (each === changed ? { ...changed, account } : each)),
    };
  });
