// AUTH: what a credential reaches, and that the rest looks as if it did not exist.
import type { Answer } from '../engine/answer.ts';
import type { Client } from '../engine/client.ts';
import type { GivenAccount } from '../engine/given.ts';
import type { Role } from '../engine/needs.ts';
import { Blocked, Wanting } from '../engine/stop.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';
import type { Place } from '../providers/target.ts';
import { expectOutOfReach, valuesOf } from './hidden.ts';
import { closePosition, openPosition } from './orders.ts';
import { Traders, tradersPlace } from './traders.ts';
import { UNKNOWN_ID } from './unknown.ts';

type ReachRule = 'AUTH-5' | 'AUTH-6' | 'AUTH-7';

/** Where a scenario looks from, and at what: `outsider` must not see what `insider` owns. */
interface View {
  readonly rule: ReachRule;
  /** A client for the next call of the outsider. */
  readonly outsider: () => Promise<Client>;
  readonly insider: Role;
}

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
  needs: ['other_firm'],
  run: (t) => lookIn(t, 'AUTH-7', 'other_firm', t.mainRole),
};

async function lookIn(
  t: Trial,
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
  await expectAccountHidden(t, view, foreign);
  await expectReferenceApart(t, rule, outsider, foreign);
  // An account at another brand or firm with a trading account can only be made.
  if (!t.has('fresh_trading_account')) return;
  const home = await t.operator.openTradingAccount(own.id);
  const abroad = await t.operator.openTradingAccount(foreign.id);
  await expectMoneyHidden(t, view, home, abroad, outsider);
  await expectPositionsHidden(t, view, abroad);
}

async function expectAccountHidden(t: Trial, view: View, foreign: GivenAccount): Promise<void> {
  const { rule, outsider, insider } = view;
  const update = { last_name: t.fresh.text() };
  const options = { ifMatch: foreign.etag };
  await t.part(rule, 'updating an account out of reach', async () => {
    const hidden = await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => client.updateAccount(foreign.id, update, options),
      unknown: (client) => client.updateAccount(UNKNOWN_ID, update, options),
    });
    const read = await t.given.reread(foreign, insider);
    const same = read.at('last_name') === foreign.answer.at('last_name');
    t.expect(rule, read).is('the account as it was', same, undefined, hidden);
  });
  const list = await (await outsider()).listAccounts({ query: pageFrom(foreign.id) });
  expectNotListed(t, rule, list, foreign.id);
}

/** NS-20: within what a reference is unique is open; that it opens no door is not. */
async function expectReferenceApart(
  t: Trial,
  rule: 'AUTH-6' | 'AUTH-7',
  outsider: Role,
  foreign: GivenAccount,
): Promise<void> {
  const body = t.newAccount({ client_reference_id: foreign.reference }, outsider);
  const answer = await t.as(outsider).createAccount(body);
  const shown = answer.at('id') === foreign.id;
  t.expect(rule, answer).is('not the account that it cannot reach', !shown, undefined);
}

async function expectMoneyHidden(
  t: Trial,
  view: View,
  home: Place,
  abroad: Place,
  outsider: Role,
): Promise<void> {
  const { rule, insider } = view;
  await t.part(rule, 'recording and deciding a transaction out of reach', async () => {
    await t.given.transaction(home, {}, outsider);
    const pending = await t.given.transaction(abroad, {}, insider);
    await expectTransactionsHidden(t, view, abroad, pending);
    const read = await t.given.rereadTransaction(pending, insider);
    t.expect(rule, read).field('status', 'pending');
    const { client_reference_id } = pending.body;
    const body = t.newTransaction(home, { client_reference_id });
    const answer = await t.as(outsider).createTransaction(body);
    const shown = answer.at('id') === pending.id;
    t.expect(rule, answer).is('not the transaction that it cannot reach', !shown);
    const list = await t.as(outsider).listTransactions({ query: pageFrom(pending.id) });
    expectNotListed(t, rule, list, pending.id);
  });
}

async function expectTransactionsHidden(
  t: Trial,
  { rule, outsider }: View,
  abroad: Place,
  pending: { id: string; account_id: string },
): Promise<void> {
  const nowhere = { ...abroad, account_id: UNKNOWN_ID, trading_account_id: UNKNOWN_ID };
  await expectOutOfReach(t, rule, {
    outsider,
    hidden: (client) => client.createTransaction(t.newTransaction(abroad)),
    unknown: (client) => client.createTransaction(t.newTransaction(nowhere)),
  });
  const { id, account_id } = pending;
  for (const verb of ['approve', 'reject', 'cancel'] as const) {
    const reason = { reason: 'conformance check' };
    const decide = (client: Client, ...named: [string, string]) =>
      verb === 'approve'
        ? client.approveTransaction(...named)
        : client[`${verb}Transaction`](...named, reason);
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => decide(client, id, account_id),
      unknown: (client) => decide(client, UNKNOWN_ID, UNKNOWN_ID),
    });
  }
}

async function expectPositionsHidden(t: Trial, view: View, abroad: Place): Promise<void> {
  const { rule, outsider } = view;
  try {
    const opened = await openPosition(t, await t.given.place());
    const { body: closing } = await closePosition(t, opened);
    const at = (trading_account_id: string) => ({ ...opened.body, trading_account_id });
    const target = at(abroad.trading_account_id);
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => client.openPosition(target),
      unknown: (client) => client.openPosition(at(UNKNOWN_ID)),
    });
    const theirs = await t.as(view.insider).openPosition(target);
    if (theirs.status >= 300) return;
    const positionId = String(theirs.at('position_id') ?? theirs.at('id'));
    const close = closing({ body: target, answer: theirs, positionId });
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => client.closePosition(close),
      unknown: (client) => client.closePosition({ ...close, trading_account_id: UNKNOWN_ID }),
    });
  } catch (error) {
    // NS-1: no payload that anybody knows; the rest has been looked at.
    if (!(error instanceof Wanting)) throw error;
  }
}

/** NS-2: a page that begins with this record, in the form that the simulator takes. */
function pageFrom(id: string) {
  const after = /^[0-9]+$/.test(id) ? String(BigInt(id) - 1n) : '0';
  return { after, limit: '1' };
}

/** Where there is a list at all, it holds nothing out of reach. */
function expectNotListed(t: Trial, rule: ReachRule, list: Answer, id: string): void {
  if (list.status !== 200) return;
  const ids = [...valuesOf(list.json, 'id'), ...valuesOf(list.json, 'record_id')].map(String);
  t.expect(rule, list).is(`no record ${id} in the list`, !ids.includes(id));
}

const authDelegated: Scenario = {
  id: 'auth-delegated-reach',
  title: 'A delegated token reaches its own account alone, as if there were no other',
  rules: ['AUTH-5'],
  needs: ['delegated', 'second_trading_account'],
  async run(t) {
    const home = await tradersPlace(t, 'delegated');
    const abroad = await t.given.otherPlace();
    const traders = new Traders(t, home.account_id);
    const view: View = { rule: 'AUTH-5', insider: t.mainRole, outsider: () => traders.next() };
    const body = t.newTransaction(home);
    const trader = await traders.next();
    const options = { key: t.fresh.key() };
    const send = () => trader.createTransaction(body, options);
    await t.control('a transaction of its own account', send, 201);
    const pending = await t.given.transaction(abroad);
    await expectTransactionsHidden(t, view, abroad, pending);
    const read = await t.given.rereadTransaction(pending);
    t.expect('AUTH-5', read).field('status', 'pending');
    const { client_reference_id } = pending.body;
    const same = t.newTransaction(home, { client_reference_id });
    const answer = await (await traders.next()).createTransaction(same);
    const shown = answer.at('id') === pending.id;
    t.expect('AUTH-5', answer).is('not the transaction that it cannot reach', !shown);
    await t.part('AUTH-5', 'positions of another account', () =>
      expectPositionsHidden(t, view, abroad),
    );
    const list = await (await traders.next()).listTransactions({ query: pageFrom(pending.id) });
    expectNotListed(t, 'AUTH-5', list, pending.id);
  },
};

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
  t: Trial,
  words: string,
  places: readonly Place[],
  send: (place: Place) => Promise<Answer>,
): Promise<void> {
  await t.part('AUTH-5', words, async () => {
    const answers: Answer[] = [];
    try {
      for (const place of places) answers.push(await send(place));
    } catch (error) {
      // NS-1: no payload that anybody knows.
      if (error instanceof Wanting) return;
      throw error;
    }
    if (answers.every((each) => each.status >= 300)) {
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
