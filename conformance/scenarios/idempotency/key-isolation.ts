// IDEM-2b, IDEM-3, IDEM-10: keys of two credentials and of two operations never meet; on approve,
// reject and cancel two transactions of one account do.
import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Credential, CredentialOptions, Place } from '../../providers/target.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { anotherToken } from '../support/request-token.ts';
import { isReplayOf } from './is-replay-of.ts';
import { requireReplays } from './replay-controls.ts';
import { decide } from './subjects.ts';
import { WRITE_OPERATIONS, type WriteOperationName } from './write-commands.ts';

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
    for (const verb of ['approve', 'reject', 'cancel'] as const) {
      await t.branch('IDEM-2b', `${verb}, two transactions of one account`, async () => {
        const where = await t.given.place();
        const [mine, theirs] = [await t.given.transaction(where), await t.given.transaction(where)];
        const key = t.fresh.key();
        const first = await t.control(verb, () => decide(t, verb, mine, key));
        const other = await decide(t, verb, theirs, key, 'no_amend');
        const truth = other.isOf(theirs.id);
        t.expect('IDEM-2b', other).is(`run for ${theirs.id}`, truth, describeAnswer(other), first);
      });
    }
    await expectApart(t, 'openPosition');
    await expectApart(t, 'closePosition');
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
    const theirs = t.newAccount({ client_reference_id: body.client_reference_id! }, 'other_firm');
    const other = await t.as('other_firm').createAccount(theirs, { key });
    const truth = other.status < 300 && other.at('id') !== first.at('id');
    t.expect('IDEM-2b', other).is('an account of its own', truth, describeAnswer(other), first);
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
    if (one === '' || another === '') return t.notTested('IDEM-2b', 'no token was to be had');
    const first = await t.control('a create', () => send(one));
    const repeat = await send(another);
    const truth = isReplayOf(repeat, first);
    if (!truth) await requireReplays(t, 'createAccount');
    t.expect('IDEM-2b', repeat).is('the first answer', truth, describeAnswer(repeat), first);
  },
};

const idemCredentialsAlike: Scenario = {
  id: 'idem-credentials-alike',
  title: 'Two credentials of one brand are two, and so are two delegated tokens of one account',
  rules: ['IDEM-2b'],
  needs: ['mint', 'brand', 'trading_account'],
  async run(t) {
    await t.branch('IDEM-2b', 'two credentials of one brand', async () => {
      const wish = { scopes: ['accounts:write'], brand: 'brand' } as const;
      const [one, other] = [await t.operator.mint(wish), await t.operator.mint(wish)];
      const body = t.newAccount({}, 'brand');
      const key = t.fresh.key();
      const create = (who: Credential) => t.as(who).createAccount(body, { key });
      const first = await t.control('a create', () => create(one));
      const second = await create(other);
      // ACC-5 judges whether a create that runs finds the account: 200, and not 201 as the first.
      const again = () => t.as(one).createAccount(body);
      if (isReplayOf(second, first) && isReplayOf(await again(), first)) return;
      t.expect('IDEM-2b', second).is('run by the other one', !isReplayOf(second, first));
    });
    await t.branch('IDEM-2b', 'two delegated tokens of one account', async () => {
      const where = await t.given.place();
      const minter = await t.operator.mint({ scopes: ['transactions:write', 'trader:funds'] });
      const options: CredentialOptions = {
        kind: 'delegated',
        scopes: ['trader:funds'],
        accountId: where.account_id,
        ...(minter.clientId === undefined ? {} : { mintedBy: minter.clientId }),
      };
      const [one, other] = [await t.operator.mint(options), await t.operator.mint(options)];
      const [mine, theirs] = [await t.given.transaction(where), await t.given.transaction(where)];
      const key = t.fresh.key();
      const cancel = (who: Credential, { id, account_id }: typeof mine) =>
        t.as(who).cancelTransaction(id, account_id, undefined, { key });
      const first = await t.control('a cancellation', () => cancel(one, mine), 200);
      const second = await cancel(other, theirs);
      const ran = second.isOf(theirs.id);
      t.expect('IDEM-2b', second).is(`run for ${theirs.id}`, ran, describeAnswer(second), first);
    });
  },
};

/** Run by the other one, it reads differently; and the first one's answer stays its own. */
async function expectApart(t: ScenarioContext, operation: WriteOperationName): Promise<void> {
  const { words, make } = WRITE_OPERATIONS[operation];
  await t.branch('IDEM-2b', words, async () => {
    const command = await make(t);
    const key = t.fresh.key();
    const first = await t.control(words, () => command.send(key));
    const other = await command.send(key, 'no_amend');
    const ran = !isReplayOf(other, first);
    if (!ran && isReplayOf(await command.send(t.fresh.key()), first)) {
      throw new Blocked('what runs again reads like the first answer: nothing can be told apart');
    }
    t.expect('IDEM-2b', other).is('run, and not the answer that another credential had', ran);
    const again = await command.send(key);
    const kept = !isReplayOf(again, other) || isReplayOf(again, first);
    if (!kept) await requireReplays(t, operation);
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
    // The other way round; its control first, so that no other fault of transactions shows.
    const other = t.newTransaction(where);
    const second = t.fresh.key();
    const before = await t.control('a transaction', () =>
      t.api.createTransaction(other, { key: second }),
    );
    const body = t.newTransaction(where, { client_reference_id: reference });
    const transaction = await t.api.createTransaction(body, { key });
    t.expect('IDEM-3', transaction)
      .is(
        'not the account',
        !isReplayOf(transaction, created),
        describeAnswer(transaction),
        created,
      )
      .is('a transaction', transaction.status < 300 && transaction.at('amount') !== undefined);
    // The other way round, and a batch whose only row is what the account was.
    const late = t.newAccount({ client_reference_id: other.client_reference_id });
    const after = await t.api.createAccount(late, { key: second });
    t.expect('IDEM-3', after)
      .is('not the transaction', !isReplayOf(after, before), describeAnswer(after), before)
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
    const truth = closed.status < 300 && !isReplayOf(closed, opened);
    t.expect('IDEM-3', closed).is(
      'a close, not the open again',
      truth,
      describeAnswer(closed),
      opened,
    );
    const reopened = await t.api.openPosition(one.body, { key });
    const kept = isReplayOf(reopened, opened) || !isReplayOf(reopened, closed);
    t.expect('IDEM-3', reopened).is('not the close', kept, describeAnswer(reopened), closed);
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
      if (!alone.isOf(apart.id)) throw new Blocked(`${verb} shows no transaction`);
      const answer = await decide(t, verb, made, key);
      const met = earlier.find((each) => isReplayOf(answer, each));
      t.expect('IDEM-3', answer).is(
        `${verb} of ${made.id}`,
        met === undefined && answer.isOf(made.id),
        describeAnswer(answer),
        ...earlier,
      );
      earlier.push(answer);
    }
    const ifMatch = account?.etag ?? '"1"';
    const patch = { first_name: 'Grace' };
    const updated = await t.api.updateAccount(where.account_id, patch, { key, ifMatch });
    // Without the tag of the profile's account a 412 shows as well that it was looked at.
    const met = updated.at('amount') !== undefined;
    t.expect('IDEM-3', updated).is('an update', !met, describeAnswer(updated), ...earlier);
  },
};

/** A place whose account has a known tag, where accounts with trading accounts can be made. */
async function placeWithTag(t: ScenarioContext): Promise<[Place, GivenAccount | undefined]> {
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
      await t.branch('IDEM-10', verb, async () => {
        const [one, another] = [await t.given.transaction(where), await t.given.transaction(where)];
        const key = t.fresh.key();
        const first = await t.control(verb, () => decide(t, verb, one, key), 200);
        const second = await decide(t, verb, another, key);
        const met = second.status === first.status && second.isOf(one.id);
        if (!met) await requireReplays(t, `${verb}Transaction`);
        t.expect('IDEM-10', second).is(
          `the result for ${one.id}`,
          met,
          describeAnswer(second),
          first,
        );
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
