// IDEM-2b, IDEM-3, IDEM-10: keys of two credentials and of two operations never meet; on approve,
// reject and cancel two transactions of one account do.
import type { Answer } from '../engine/answer.ts';
import { describe } from '../engine/expect.ts';
import type { GivenAccount } from '../engine/given.ts';
import { Blocked } from '../engine/stop.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';
import type { Credential, CredentialWish, Place } from '../providers/target.ts';
import { echoes } from './echoes.ts';
import { ACTS, demandRepeats, type Write } from './idempotency-acts.ts';
import { decide } from './idempotency-subjects.ts';
import { closePosition, openPosition } from './orders.ts';
import { anotherToken } from './tokens.ts';

/** Operations that show by their answer that they ran again: a second approval would not. */
const TELLING = ['createAccount', 'updateAccount', 'bulkCreateAccounts'] as const;

const idemOtherCredential: Scenario = {
  id: 'idem-other-credential',
  title: 'The same request under the same key from another credential of the firm runs',
  rules: ['IDEM-2b'],
  needs: ['firm', 'no_amend'],
  async run(t) {
    for (const operation of TELLING) {
      await expectApart(t, operation);
    }
  },
};

const idemOtherCredentialOfMoney: Scenario = {
  id: 'idem-other-credential-of-money',
  title: 'Transactions and positions under the same key from another credential of the firm run',
  rules: ['IDEM-2b'],
  needs: ['firm', 'no_amend', 'trading_account'],
  async run(t) {
    await expectApart(t, 'createTransaction');
    await t.part('IDEM-2b', 'two transactions of one account', async () => {
      const where = await t.given.place();
      const [mine, theirs] = [await t.given.transaction(where), await t.given.transaction(where)];
      const key = t.fresh.key();
      const first = await t.control('a rejection', () => decide(t, 'reject', mine, key));
      const { id, account_id } = theirs;
      const other = await t.as('no_amend').rejectTransaction(id, account_id, undefined, { key });
      const truth = other.at('id') === id;
      t.expect('IDEM-2b', other).is(`run for ${id}`, truth, describe(other), first);
    });
    await expectApart(t, 'openPosition');
  },
};

const idemOtherFirm: Scenario = {
  id: 'idem-other-firm',
  title: 'The same key and reference at another firm is an account of its own there',
  rules: ['IDEM-2b'],
  needs: ['other_firm'],
  async run(t) {
    const key = t.fresh.key();
    const body = t.newAccount();
    const first = await t.control('a create', () => t.api.createAccount(body, { key }));
    const theirs = t.newAccount({ ...body, brand_id: t.brandId('other_firm') }, 'other_firm');
    const other = await t.as('other_firm').createAccount(theirs, { key });
    const truth = other.status < 300 && other.at('id') !== first.at('id');
    t.expect('IDEM-2b', other).is('an account of its own', truth, describe(other), first);
  },
};

const idemOtherToken: Scenario = {
  id: 'idem-other-token',
  title: 'A key belongs to the credential and not to its token: a new token repeats as the old one',
  rules: ['IDEM-2b'],
  needs: ['client'],
  async run(t) {
    const credential = await t.credential('client');
    const brand = t.brandId('client') ?? t.brandId(t.mainRole);
    const body = t.newAccount({ brand_id: brand }, 'client');
    const key = t.fresh.key();
    // Where tokens are asked for in another way, the one that there is repeats for itself.
    const [one, another] = [
      (await anotherToken(t, credential)) ?? credential.token,
      (await anotherToken(t, credential)) ?? credential.token,
    ];
    const send = (token: string) =>
      t.as('client').createAccount(body, { key, authorization: `Bearer ${token}` });
    // NS-8: where neither is known, there is no token at all.
    if (one === '' || another === '') return t.untested('IDEM-2b', 'no token was to be had');
    const first = await t.control('a create', () => send(one));
    const repeat = await send(another);
    const truth = echoes(repeat, first);
    if (!truth) await demandRepeats(t, 'createAccount');
    t.expect('IDEM-2b', repeat).is('the first answer', truth, describe(repeat), first);
  },
};

const idemCredentialsAlike: Scenario = {
  id: 'idem-credentials-alike',
  title: 'Two credentials of one brand are two, and so are two delegated tokens of one account',
  rules: ['IDEM-2b'],
  needs: ['mint', 'brand', 'trading_account'],
  async run(t) {
    await t.part('IDEM-2b', 'two credentials of one brand', async () => {
      const wish = { scopes: ['accounts:write'], brand: 'brand' } as const;
      const [one, other] = [await t.operator.mint(wish), await t.operator.mint(wish)];
      const body = t.newAccount({}, 'brand');
      const key = t.fresh.key();
      const create = (who: Credential) => t.as(who).createAccount(body, { key });
      const first = await t.control('a create', () => create(one));
      const second = await create(other);
      // ACC-5 judges whether a create that runs finds the account: 200, and not the 201 of the
      // first.
      const again = () => t.as(one).createAccount(body);
      if (echoes(second, first) && echoes(await again(), first)) return;
      t.expect('IDEM-2b', second).is('run by the other one', !echoes(second, first));
    });
    await t.part('IDEM-2b', 'two delegated tokens of one account', async () => {
      const where = await t.given.place();
      const minter = await t.operator.mint({ scopes: ['transactions:write', 'trader:funds'] });
      const wish: CredentialWish = {
        kind: 'delegated',
        scopes: ['trader:funds'],
        accountId: where.account_id,
        ...(minter.clientId === undefined ? {} : { mintedBy: minter.clientId }),
      };
      const [one, other] = [await t.operator.mint(wish), await t.operator.mint(wish)];
      const [mine, theirs] = [await t.given.transaction(where), await t.given.transaction(where)];
      const key = t.fresh.key();
      const cancel = (who: Credential, { id, account_id }: typeof mine) =>
        t.as(who).cancelTransaction(id, account_id, undefined, { key });
      const first = await t.control('a cancellation', () => cancel(one, mine), 200);
      const second = await cancel(other, theirs);
      const ran = second.at('id') === theirs.id;
      t.expect('IDEM-2b', second).is(`run for ${theirs.id}`, ran, describe(second), first);
    });
  },
};

/** Run by the other one, it reads differently; and the first one's answer stays its own. */
async function expectApart(t: Trial, operation: Write): Promise<void> {
  const { words, make } = ACTS[operation];
  await t.part('IDEM-2b', words, async () => {
    const act = await make(t);
    const key = t.fresh.key();
    const first = await t.control(words, () => act.send(key));
    const other = await act.send(key, 'no_amend');
    const ran = !echoes(other, first);
    if (!ran && echoes(await act.send(t.fresh.key()), first)) {
      throw new Blocked('what runs again reads like the first answer: nothing can be told apart');
    }
    t.expect('IDEM-2b', other).is('run, and not the answer that another credential had', ran);
    const again = await act.send(key);
    const kept = !echoes(again, other) || echoes(again, first);
    if (!kept) await demandRepeats(t, operation);
    t.expect('IDEM-2b', again).is('not the answer of the other credential', kept);
  });
}

const idemReferencesApart: Scenario = {
  id: 'idem-references-apart',
  title: 'One key and one reference serve an account and a transaction without the two meeting',
  rules: ['IDEM-3'],
  needs: ['trading_account'],
  async run(t) {
    const where = await t.given.place();
    const key = t.fresh.key();
    const account = t.newAccount();
    const reference = account.client_reference_id;
    const created = await t.control('an account', () => t.api.createAccount(account, { key }));
    // The other way round: its control comes first, so that no other fault of transactions shows
    // here.
    const other = t.newTransaction(where);
    const second = t.fresh.key();
    const before = await t.control('a transaction', () =>
      t.api.createTransaction(other, { key: second }),
    );
    const body = t.newTransaction(where, { client_reference_id: reference });
    const transaction = await t.api.createTransaction(body, { key });
    t.expect('IDEM-3', transaction)
      .is('not the account', !echoes(transaction, created), describe(transaction), created)
      .is('a transaction', transaction.status < 300 && transaction.at('amount') !== undefined);
    // The other way round, and a batch whose only row is what the account was.
    const late = t.newAccount({ client_reference_id: other.client_reference_id });
    const after = await t.api.createAccount(late, { key: second });
    t.expect('IDEM-3', after)
      .is('not the transaction', !echoes(after, before), describe(after), before)
      .is('an account', after.status < 300 && after.at('amount') === undefined);
    const batch = await t.api.bulkCreateAccounts([account], { key });
    const rows = batch.at('rows');
    t.expect('IDEM-3', batch).is('a batch answered by rows', Array.isArray(rows));
  },
};

const idemPositionsApart: Scenario = {
  id: 'idem-positions-apart',
  title: 'One key serves an open and a close of one trading account without the two meeting',
  rules: ['IDEM-3'],
  needs: ['trading_account'],
  async run(t) {
    const where = await t.given.place();
    const [one, another] = [await openPosition(t, where), await openPosition(t, where)];
    const { body: closing } = await closePosition(t, one);
    const key = t.fresh.key();
    const opened = await t.control('an open', () => t.api.openPosition(one.body, { key }));
    const closed = await t.api.closePosition(closing(another), { key });
    const truth = closed.status < 300 && !echoes(closed, opened);
    t.expect('IDEM-3', closed).is('a close, not the open again', truth, describe(closed), opened);
    const reopened = await t.api.openPosition(one.body, { key });
    const kept = echoes(reopened, opened) || !echoes(reopened, closed);
    t.expect('IDEM-3', reopened).is('not the close', kept, describe(reopened), closed);
  },
};

const idemDecisionsApart: Scenario = {
  id: 'idem-decisions-apart',
  title: 'One key serves approve, reject, cancel and update of one account, each for itself',
  rules: ['IDEM-3'],
  needs: ['trading_account'],
  async run(t) {
    const [where, account] = await placeWithTag(t);
    const key = t.fresh.key();
    const earlier: Answer[] = [];
    for (const verb of ['approve', 'reject', 'cancel'] as const) {
      const [apart, made] = [await t.given.transaction(where), await t.given.transaction(where)];
      const alone = await t.control(verb, () => decide(t, verb, apart, t.fresh.key()), 200);
      if (alone.at('id') !== apart.id) throw new Blocked(`${verb} shows no transaction`);
      const answer = await decide(t, verb, made, key);
      const met = earlier.find((each) => echoes(answer, each));
      t.expect('IDEM-3', answer).is(
        `${verb} of ${made.id}`,
        met === undefined && answer.at('id') === made.id,
        describe(answer),
        ...earlier,
      );
      earlier.push(answer);
    }
    const ifMatch = account?.etag ?? '"1"';
    const patch = { first_name: 'Grace' };
    const updated = await t.api.updateAccount(where.account_id, patch, { key, ifMatch });
    // Without the tag of the profile's account a 412 shows as well that it was looked at.
    const met = updated.at('amount') !== undefined;
    t.expect('IDEM-3', updated).is('an update', !met, describe(updated), ...earlier);
  },
};

/** A place whose account has a known tag, where accounts with trading accounts can be made. */
async function placeWithTag(t: Trial): Promise<[Place, GivenAccount | undefined]> {
  if (!t.has('fresh_trading_account')) return [await t.given.place(), undefined];
  const account = await t.given.account();
  return [await t.operator.openTradingAccount(account.id), account];
}

const idemOneKeyTwoTransactions: Scenario = {
  id: 'idem-one-key-two-transactions',
  title: 'One key on two transactions of an account gets the first result for both',
  rules: ['IDEM-10'],
  needs: ['trading_account'],
  async run(t) {
    const where = await t.given.place();
    for (const verb of ['approve', 'reject', 'cancel'] as const) {
      await t.part('IDEM-10', verb, async () => {
        const [one, another] = [await t.given.transaction(where), await t.given.transaction(where)];
        const key = t.fresh.key();
        const first = await t.control(verb, () => decide(t, verb, one, key), 200);
        const second = await decide(t, verb, another, key);
        const met = second.status === first.status && second.at('id') === one.id;
        if (!met) await demandRepeats(t, `${verb}Transaction`);
        t.expect('IDEM-10', second).is(`the result for ${one.id}`, met, describe(second), first);
        const read = await t.given.rereadTransaction(another);
        t.expect('IDEM-10', read).field('status', 'pending');
      });
    }
  },
};

export const apartScenarios: readonly Scenario[] = [
  idemOtherCredential,
  idemOtherCredentialOfMoney,
  idemOtherFirm,
  idemOtherToken,
  idemCredentialsAlike,
  idemReferencesApart,
  idemPositionsApart,
  idemDecisionsApart,
  idemOneKeyTwoTransactions,
];
