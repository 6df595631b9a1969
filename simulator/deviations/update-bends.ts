// Bends of updates that their families share.
import type { Attempt } from '../core/attempt.ts';
import type { Account } from '../core/records.ts';
import { type Bend, decision, only } from './bend.ts';

export const update = 'updateAccount';

/** Changes the account as an update leaves it, in the world and in the answer. */
export const left = (
  change: (after: Account, before: Account, attempt: Attempt) => Account,
): Bend =>
  decision(update, (given, attempt) => {
    const [changed] = only(given.changes, 'account-changed');
    const before =
      changed === undefined ? undefined : attempt.world.accounts.get(changed.account.id);
    if (changed === undefined || before === undefined) return given;
    const account = change(changed.account, before, attempt);
    const { print, values } = attempt.behaviour;
    return {
      ...given,
      reply: { ...given.reply, body: print.account(account), etag: values.etag(account) },
      changes: given.changes.map((each) => (each === changed ? { ...changed, account } : each)),
    };
  });
