// Tags of accounts: the current one, and one that has gone stale.

import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { strongTag, tagAfter } from '../support/account-assertions.ts';
import { requirePrecondition } from '../support/transaction-assertions.ts';

/** An account that has been updated once: its tags, the first of which is stale. */
export interface Updated extends GivenAccount {
  readonly stale: string;
  readonly current: string;
  /** The answer to the update. */
  readonly updated: Answer;
}

/** The update is the control: the same request under a tag that is current. */
export async function updatedOnce(t: ScenarioContext, role: Role = t.mainRole): Promise<Updated> {
  const account = await t.given.account({}, role);
  const stale = strongTag(account.answer);
  const key = t.fresh.key();
  const update = () =>
    t.as(role).updateAccount(account.id, { first_name: 'Ida' }, { ifMatch: stale, key });
  const after = await t.control('an update under the current tag', update, 200);
  const current = await tagAfter(t, account, after, stale, role);
  requirePrecondition(current !== stale, 'an update left the tag as it was (UPD-1)');
  return { ...account, stale, current, updated: after };
}

/**
 * What the account reads after an update, as far as that can be told: blocked where the reading is
 * not of what the update left, because readings show the past (ACC-5) or updates do not last
 * (UPD-1).
 */
export async function readPresent(
  t: ScenarioContext,
  account: GivenAccount,
  updated: Answer,
  role: Role = t.mainRole,
): Promise<Answer> {
  const now = await t.given.reread(account, role);
  const [seen, left] = [now.at('revision'), updated.at('revision')];
  requirePrecondition(
    seen === left,
    `an update that left revision ${left} reads as revision ${seen}`,
  );
  return now;
}
