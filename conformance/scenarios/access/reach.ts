// AUTH: what a credential reaches, and that the rest looks as if it did not exist.

import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import { Blocked, MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { expectOutOfReach } from '../support/hidden.ts';
import { openPosition } from '../support/orders.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { DelegatedTokens, delegatedPlace, mintDelegated } from './delegated-tokens.ts';
import {
  expectNotListed,
  expectPositionsHidden,
  expectTransactionsHidden,
  pageFrom,
  type View,
} from './out-of-reach.ts';

const authBrand: Scenario = {
  id: 'auth-brand-reach',
  title: 'A brand-bound credential sees its brand alone; the rest is the 404 of unknown ids',
  rules: ['AUTH-6'],
  needs: ['brand', 'other_brand'],
  run: (t) => lookIn(t, 'AUTH-6', 'brand', 'other_brand'),
};

const authFirm: Scenario = {
  id: 'auth-firm-reach',
  title: 'The records of another firm are the 404 of unknown ids',
  rules: ['AUTH-7'],
  observes: ['NS-63'],
  needs: ['other_firm'],
  async run(t) {
    await lookIn(t, 'AUTH-7', 'other_firm', t.mainRole);
    // ACC-16 judges those that are bound to a brand, BULK-10 the rows of a batch.
    if (t.mainRole !== 'firm') return;
    await t.branch('AUTH-7', 'a brand of another firm', () => expectBrandClosed(t));
  },
};

/** NS-63: with which refusal is not said. Nothing is created there, and nothing told of it. */
async function expectBrandClosed(t: ScenarioContext): Promise<void> {
  const plain = await t.given.account({}, 'other_firm');
  const body = t.newAccount({}, 'other_firm');
  const answer = await t.api.createAccount(body);
  const refused = answer.status >= 400 && answer.status < 500;
  const seen = `${answer.summary}, brand_id ${answer.at('brand_id')}`;
  t.expect('AUTH-7', answer).is(`refused: brand ${body.brand_id} is another firm's`, refused, seen);
  if (!refused) return;
  t.observe('NS-63', `a brand of another firm: ${answer.summary}`, {
    foreign_brand_status: answer.status,
  });
  const unknown = await t.api.createAccount({ ...t.newAccount(), brand_id: UNKNOWN_ID });
  t.expect('AUTH-7', answer).is(
    `refused as a brand that nobody has: ${unknown.summary}`,
    answer.status === unknown.status && answer.code === unknown.code,
    answer.summary,
    unknown,
  );
  const theirs = await t.as('other_firm').createAccount(body);
  const first = theirs.status === plain.answer.status;
  t.expect('AUTH-7', theirs).is('201, because nothing was created before', first);
}

async function lookIn(
  t: ScenarioContext,
  rule: 'AUTH-6' | 'AUTH-7',
  outsider: Role,
  insider: Role,
): Promise<void> {
  const view: View = { rule, insider, outsider: async () => t.as(outsider) };
  const own = await t.given.account({}, outsider);
  const update = { first_name: t.fresh.text() };
  const options = { ifMatch: own.etag, key: t.fresh.key() };
  const send = () => t.as(outsider).updateAccount(own.id, update, options);
  await t.control('an update of an account of its own', send, 200);
  const foreign = await t.given.account({}, insider);
  await expectAccountHidden(t, view, own, foreign);
  await expectReferenceApart(t, rule, outsider, own, foreign);
  // An account at another brand or firm with a trading account can only be made.
  if (!t.has('fresh_trading_account')) return;
  const home = await t.operator.openTradingAccount(own.id);
  const abroad = await t.operator.openTradingAccount(foreign.id);
  await expectMoneyHidden(t, { ...view, home }, abroad, outsider);
  await t.branch(rule, 'positions out of reach', () =>
    expectPositionsHidden(t, { ...view, home }, abroad),
  );
}

async function expectAccountHidden(
  t: ScenarioContext,
  view: View,
  own: GivenAccount,
  foreign: GivenAccount,
): Promise<void> {
  const { rule, outsider, insider } = view;
  const update = { last_name: t.fresh.text() };
  const options = { ifMatch: foreign.etag };
  await t.branch(rule, 'updating an account out of reach', async () => {
    const hidden = await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => client.updateAccount(foreign.id, update, options),
      unknown: (client) => client.updateAccount(UNKNOWN_ID, update, options),
      own: (client) => client.updateAccount(own.id, update, options),
    });
    const read = await t.given.reread(foreign, insider);
    const same = read.at('last_name') === foreign.answer.at('last_name');
    t.expect(rule, read).is('the account as it was', same, undefined, hidden);
  });
  await t.branch(rule, 'the status of an account out of reach', async () => {
    const show = (client: ApiClient, id: string) =>
      client.send({ method: 'GET', path: `/api/v1/accounts/${id}/status` });
    // NS-54: where there is such a read at all.
    if ((await show(await outsider(), own.id)).status !== 200) return;
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => show(client, foreign.id),
      unknown: (client) => show(client, UNKNOWN_ID),
      own: (client) => show(client, own.id),
    });
  });
  const list = await (await outsider()).listAccounts({ query: pageFrom(foreign.id) });
  expectNotListed(t, rule, list, foreign.id);
}

/** NS-20: within what a reference is unique is open; what it tells of others' records is not. */
async function expectReferenceApart(
  t: ScenarioContext,
  rule: 'AUTH-6' | 'AUTH-7',
  outsider: Role,
  own: GivenAccount,
  foreign: GivenAccount,
): Promise<void> {
  const body = t.newAccount({ client_reference_id: foreign.reference }, outsider);
  const answer = await t.as(outsider).createAccount(body);
  const shown = answer.isOf(foreign.id);
  t.expect(rule, answer).is('not the account that it cannot reach', !shown, undefined);
  const words = 'an account of its own, as under any new reference';
  t.expect(rule, answer).is(words, answer.status === own.answer.status);
}

async function expectMoneyHidden(
  t: ScenarioContext,
  view: View & { readonly home: Place },
  abroad: Place,
  outsider: Role,
): Promise<void> {
  const { rule, insider, home } = view;
  await t.branch(rule, 'transactions out of reach', async () => {
    const own = await t.given.transaction(home, {}, outsider);
    const pending = await t.given.transaction(abroad, {}, insider);
    await expectTransactionsHidden(t, view, abroad, pending);
    const read = await t.given.rereadTransaction(pending, insider);
    t.expect(rule, read).field('status', 'pending');
    const { client_reference_id } = pending.body;
    const body = t.newTransaction(home, { client_reference_id });
    const answer = await t.as(outsider).createTransaction(body);
    const shown = answer.isOf(pending.id);
    t.expect(rule, answer).is('not the transaction that it cannot reach', !shown);
    const words = 'a transaction of its own, as under any new reference';
    t.expect(rule, answer).is(words, answer.status === own.answer.status);
    const list = await t.as(outsider).listTransactions({ query: pageFrom(pending.id) });
    expectNotListed(t, rule, list, pending.id);
  });
}

const authDelegated: Scenario = {
  id: 'auth-delegated-reach',
  title: 'A delegated token reaches its own account alone, as if there were no other',
  rules: ['AUTH-5'],
  observes: ['NS-64'],
  needs: ['delegated', 'second_trading_account'],
  async run(t) {
    const home = await delegatedPlace(t, 'delegated');
    const abroad = await t.given.otherPlace();
    const traders = new DelegatedTokens(t, home.account_id);
    const view: View = { rule: 'AUTH-5', insider: t.mainRole, outsider: () => traders.next() };
    const body = t.newTransaction(home);
    const trader = await traders.next();
    const options = { key: t.fresh.key() };
    const send = () => trader.createTransaction(body, options);
    await t.control('a transaction of its own account', send, 201);
    const pending = await t.given.transaction(abroad);
    await expectTransactionsHidden(t, { ...view, home }, abroad, pending);
    const read = await t.given.rereadTransaction(pending);
    t.expect('AUTH-5', read).field('status', 'pending');
    const { client_reference_id } = pending.body;
    const same = t.newTransaction(home, { client_reference_id });
    const answer = await (await traders.next()).createTransaction(same);
    const shown = answer.isOf(pending.id);
    t.expect('AUTH-5', answer)
      .is('not the transaction that it cannot reach', !shown)
      .is('a transaction of its own, as under any new reference', answer.status === 201);
    await t.branch('AUTH-5', 'positions of another account', () =>
      expectPositionsHidden(t, { ...view, home }, abroad),
    );
    const list = await (await traders.next()).listTransactions({ query: pageFrom(pending.id) });
    expectNotListed(t, 'AUTH-5', list, pending.id);
    if (!t.has('mint')) return;
    await t.branch('AUTH-5', 'updating another account', () => expectOthersKept(t));
  },
};

/** Whether a delegated token may update even its own account is nowhere said. */
async function expectOthersKept(t: ScenarioContext): Promise<void> {
  const [own, foreign] = [await t.given.account(), await t.given.account()];
  const options = { accountId: own.id, readOnly: false, scopes: ['accounts:write'] };
  const holder = t.as(await mintDelegated(t, options));
  await observeCreate(t, holder, foreign);
  const update = (id: string, ifMatch: string) =>
    holder.updateAccount(id, { first_name: t.fresh.text() }, { ifMatch });
  if ((await update(own.id, own.etag)).status >= 300) return;
  const hidden = await expectOutOfReach(t, 'AUTH-5', {
    outsider: async () => holder,
    hidden: () => update(foreign.id, foreign.etag),
    unknown: () => update(UNKNOWN_ID, foreign.etag),
    own: () => update(own.id, own.etag),
  });
  const read = await t.given.reread(foreign);
  const same = read.at('first_name') === foreign.answer.at('first_name');
  t.expect('AUTH-5', read).is('the account as it was', same, undefined, hidden);
}

/** NS-64: an account that is made is out of the reach of the token that made it. */
async function observeCreate(
  t: ScenarioContext,
  holder: ApiClient,
  foreign: GivenAccount,
): Promise<void> {
  const made = await holder.createAccount(t.newAccount());
  const named = { client_reference_id: foreign.reference };
  const again = await holder.createAccount(t.newAccount(named));
  const words = `another account by a delegated token: ${made.summary}`;
  t.observe('NS-64', `${words}; under a reference out of its reach: ${again.summary}`, {
    delegated_account_create: made.status < 300 ? 'served' : 'refused',
  });
}

const authServerTrader: Scenario = {
  id: 'auth-server-with-trader-scopes',
  title: 'A server credential with trader scopes is not limited to one account',
  rules: ['AUTH-5'],
  // Depth: which credential holds just these scopes only a control plane can say.
  needs: ['mint'],
  async run(t) {
    const scopes = ['trader:trade', 'trader:funds'];
    const server = t.as(await t.operator.mint({ scopes }));
    const places = [await t.given.place(), await t.given.otherPlace()];
    await expectBoth(t, 'recording', places, (place) =>
      server.createTransaction(t.newTransaction(place)),
    );
    await expectBoth(t, 'approving', places, async (place) => {
      const pending = await t.given.transaction(place);
      return server.approveTransaction(pending.id, pending.account_id);
    });
    await expectBoth(t, 'opening', places, async (place) => {
      const { body } = await openPosition(t, place);
      return server.openPosition(body);
    });
  },
};

/**
 * Served for either account. Where it is served for none, it is the scopes that grant too little.
 */
async function expectBoth(
  t: ScenarioContext,
  words: string,
  places: readonly Place[],
  send: (place: Place) => Promise<Answer>,
): Promise<void> {
  await t.branch('AUTH-5', words, async () => {
    const answers: Answer[] = [];
    try {
      for (const place of places) answers.push(await send(place));
    } catch (error) {
      // NS-1: no payload that anybody knows.
      if (error instanceof MissingCapability) return;
      throw error;
    }
    // A 404 is about reach, and nothing else is.
    if (answers.every((each) => each.status >= 300 && each.status !== 404)) {
      throw new Blocked(`trader scopes do not serve ${words}: ${answers[0]?.summary} (AUTH-4)`);
    }
    for (const answer of answers) {
      t.expect('AUTH-5', answer).is(`${words}, whichever the account`, answer.status < 300);
    }
  });
}

export const reachScenarios: readonly Scenario[] = [
  authDelegated,
  authServerTrader,
  authBrand,
  authFirm,
];
