// ACC, UPD: what time alone does to an account: nothing.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import type { Scenario } from '../../engine/types.ts';
import { strongTag } from '../support/account-assertions.ts';
import { requirePrecondition } from '../support/transaction-assertions.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Where records and caches usually end, each a little later. */
const LATER: readonly (readonly [words: string, ms: number])[] = [
  ['an hour', HOUR_MS],
  ['a day', DAY_MS],
  ['a quarter', 92 * DAY_MS],
];

const accInTime: Scenario = {
  id: 'acc-in-time',
  title: 'An account keeps its reference, its email and its tag, however much time passes',
  rules: ['ACC-7', 'ACC-8', 'UPD-1', 'UPD-7'],
  needs: ['clock'],
  lane: 'own_world',
  async run(t) {
    const account = await t.given.account();
    const found = await t.given.reread(account);
    requirePrecondition(found.isOf(account.id), 'a reference does not find its account (ACC-5)');
    let tag = strongTag(account.answer);
    for (const [words, ms] of LATER) {
      await t.operator.advance(ms + 5_000);
      await t.control('a create', () => t.api.createAccount(t.newAccount()));
      const again = await t.api.createAccount(account.body);
      const seen = `${again.summary}, id ${again.at('id')}`;
      t.expect('ACC-7', again).is(`${account.id} after ${words}`, again.isOf(account.id), seen);
      const taken = await t.api.createAccount(t.newAccount({ email: account.email }));
      t.expect('ACC-8', taken).refused(409, 'invalid_state');
      await expectTag(t, account, tag, words);
      tag = strongTag(await t.given.reread(account));
    }
  },
};

/** An update under the tag that it had before applies, and the same once more does not. */
async function expectTag(
  t: ScenarioContext,
  account: GivenAccount,
  tag: string,
  words: string,
): Promise<void> {
  const change = () => ({ first_name: t.fresh.text() });
  const answer = await t.api.updateAccount(account.id, change(), { ifMatch: tag });
  // Whether what was read shows the account of now, and its tag, is judged there, and whether a
  // name can be updated at all by UPD-3.
  const updated = answer.presuming('ACC-5', 'ACC-7', 'ACC-19', 'UPD-3');
  const said = `applied under the tag of ${words} before`;
  if (!t.expect('UPD-1', updated).is(said, updated.status < 300).ok) return;
  const late = await t.api.updateAccount(account.id, change(), { ifMatch: tag });
  // Where an update makes no new tag, the old one is still good.
  t.expect('UPD-7', late.presuming('UPD-1')).refused(412, 'revision_conflict');
}

export const accountTimeScenarios: readonly Scenario[] = [accInTime];
