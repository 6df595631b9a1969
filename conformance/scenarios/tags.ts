// Tags of accounts: the current one, and one that has gone stale.
import type { GivenAccount } from '../engine/given.ts';
import type { Role } from '../engine/needs.ts';
import type { Trial } from '../engine/trial.ts';
import { strongTag, tagAfter } from './aftermath.ts';
import { demand } from './readback.ts';

/** An account that has been updated once: its tags, the first of which is stale. */
export interface Updated extends GivenAccount {
  readonly stale: string;
  readonly current: string;
}

/** The update is the control: the same request under a tag that is current. */
export async function updatedOnce(t: Trial, role: Role = t.mainRole): Promise<Updated> {
  const account = await t.given.account({}, role);
  const stale = strongTag(account.answer);
  const key = t.fresh.key();
  const update = () =>
    t.as(role).updateAccount(account.id, { first_name: 'Ida' }, { ifMatch: stale, key });
  const after = await t.control('an update under the current tag', update, 200);
  const current = await tagAfter(t, account, after, stale, role);
  demand(current !== stale, 'an update left the tag as it was (UPD-1)');
  return { ...account, stale, current };
}
