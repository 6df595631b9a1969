// TXN: whose account a transaction is for, and who may record one.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { expectUnrecorded } from '../support/transaction-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const txnUnknownPlace: Scenario = {
  id: 'txn-unknown-account',
  title: 'An account or trading account that does not exist is 404',
  rules: ['TXN-10'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const control = await t.given.transaction(place);
    const body = t.newTransaction(place);
    const unknown = [
      { account_id: UNKNOWN_ID },
      { trading_account_id: UNKNOWN_ID },
      { account_id: UNKNOWN_ID, trading_account_id: UNKNOWN_ID },
    ];
    for (const over of unknown) {
      const refused = await t.api.createTransaction({ ...body, ...over });
      t.expect('TXN-10', refused).refused(404, 'not_found');
    }
    await expectUnrecorded(t, 'TXN-10', body, control);
  },
};

const txnOutOfReach: Scenario = {
  id: 'txn-out-of-reach',
  title: 'An account that the credential cannot reach is 404, as if it did not exist',
  rules: ['TXN-10'],
  presumes: { 'TXN-10': ['AUTH-6', 'AUTH-7'] },
  // A place at another brand or firm can only be made.
  needs: ['mint'],
  async run(t) {
    const home = await t.given.freshPlace('brand');
    const control = await t.given.transaction(home, {}, 'brand');
    for (const role of ['other_brand', 'other_firm'] as const) {
      await t.branch('TXN-10', `an account of ${role}`, async () => {
        const abroad = await t.given.freshPlace(role);
        await requireReach(t, abroad);
        const body = t.newTransaction(abroad);
        const refused = await t.as('brand').createTransaction(body);
        t.expect('TXN-10', refused).refused(404, 'not_found');
        const made = await t.as(role).createTransaction(body);
        const truth = made.status === control.answer.status;
        t.expect('TXN-10', made).is('201, because nothing was recorded before', truth);
      });
    }
  },
};

/** Where nothing is out of reach at all, that is AUTH-6's to say and not this operation's. */
async function requireReach(t: ScenarioContext, abroad: Place): Promise<void> {
  const options = { ifMatch: '"1"' };
  const body = { first_name: t.fresh.text() };
  const update = await t.as('brand').updateAccount(abroad.account_id, body, options);
  if (update.status !== 404) {
    throw new Blocked(`an update of an account out of reach is ${update.summary} (AUTH-6, AUTH-7)`);
  }
}

const txnForeignTradingAccount: Scenario = {
  id: 'txn-foreign-trading-account',
  title: 'A trading account of another account is 404',
  rules: ['TXN-11'],
  needs: ['trading_account', 'second_trading_account'],
  async run(t) {
    const place = await t.given.place();
    const other = await t.given.otherPlace();
    const control = await t.given.transaction(place);
    await t.given.transaction(other);
    const body = t.newTransaction(place);
    const { trading_account_id } = other;
    const refused = await t.api.createTransaction({ ...body, trading_account_id });
    if (refused.status !== 404) await requireNotFound(t, place);
    t.expect('TXN-11', refused).refused(404, 'not_found');
    await expectUnrecorded(t, 'TXN-11', body, control);
    const { account_id } = place;
    const reverse = await t.api.createTransaction({ ...t.newTransaction(other), account_id });
    t.expect('TXN-11', reverse).refused(404, 'not_found');
  },
};

/** Where not even a trading account that does not exist is 404, that is TXN-10's to say. */
async function requireNotFound(t: ScenarioContext, place: Place): Promise<void> {
  const body = t.newTransaction(place, { trading_account_id: UNKNOWN_ID });
  const { status, summary } = await t.api.createTransaction(body);
  if (status !== 404) throw new Blocked(`a trading account that does not exist: ${summary}`);
}

/** Much, but neither of the two scopes that serve. */
export const ALL_BUT_FUNDS = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:amend',
  'webhooks:manage',
];

const txnScope: Scenario = {
  id: 'txn-scope',
  title: 'Without a funds scope a transaction is refused and not recorded',
  rules: ['TXN-12'],
  needs: ['trading_account', 'no_scopes'],
  async run(t) {
    const place = await t.given.place();
    const control = await t.given.transaction(place);
    const body = t.newTransaction(place);
    t.expect('TXN-12', await t.as('no_scopes').createTransaction(body)).refused(403, 'forbidden');
    if (t.has('amend_only')) {
      // It only widens what another scope grants.
      const refused = await t.as('amend_only').createTransaction(body);
      t.expect('TXN-12', refused).refused(403, 'forbidden');
    }
    if (t.has('mint')) {
      const others = t.as(await t.operator.mint({ scopes: ALL_BUT_FUNDS }));
      t.expect('TXN-12', await others.createTransaction(body)).refused(403, 'forbidden');
    }
    await expectUnrecorded(t, 'TXN-12', body, control);
  },
};

export const transactionPlaceScenarios: readonly Scenario[] = [
  txnUnknownPlace,
  txnOutOfReach,
  txnForeignTradingAccount,
  txnScope,
];
