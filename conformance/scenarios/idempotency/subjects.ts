// IDEM-2: what a key stands together with. The same key on another subject, or from another
// credential, is another operation.

import type { Role } from '../../engine/capabilities.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { isReplayOf } from './is-replay-of.ts';
import { requireBodyIgnored, requireReplays } from './replay-controls.ts';
import { WRITE_OPERATIONS, type WriteCommand } from './write-commands.ts';

const idemOtherReference: Scenario = {
  id: 'idem-other-reference',
  title: 'Another reference under the same key is another create, and leaves the first one kept',
  rules: ['IDEM-2a', 'IDEM-2c'],
  async run(t) {
    const key = t.fresh.key();
    const body = t.newAccount();
    const first = await t.control('a create', () => t.api.createAccount(body, { key }));
    const second = await t.api.createAccount(t.newAccount(), { key });
    expectRan(t, 'IDEM-2a', second, first);
    const again = await t.api.createAccount(body, { key });
    const kept = isReplayOf(again, first);
    if (!kept) await requireReplays(t, 'createAccount');
    t.expect('IDEM-2a', again).is('the first answer still', kept, describeAnswer(again), first);
    if (first.status !== 201) return;
    const shouted = {
      ...body,
      client_reference_id: String(body.client_reference_id).toUpperCase(),
    };
    const upper = await t.api.createAccount(shouted, { key });
    const same = isReplayOf(upper, first);
    // IDEM-8: the letters are all that differs between the bodies.
    if (!same) await requireBodyIgnored(t, 'createAccount');
    // IDEM-4a: nor is it the letters where the record is used up by now.
    if (!same && !isReplayOf(await t.api.createAccount(body, { key }), first)) {
      throw new Blocked('the same body under the same key is no replay any more');
    }
    t.expect('IDEM-2c', upper).is('one subject in any case of its letters', same, undefined, first);
  },
};

const idemSubjectsOfAccounts: Scenario = {
  id: 'idem-subjects-of-accounts',
  title: 'The subject of a create is its reference and not its email; of an update, the account',
  rules: ['IDEM-2c'],
  async run(t) {
    await t.branch(
      'IDEM-2c',
      'a reference with another email, an email of another reference',
      async () => {
        const key = t.fresh.key();
        const body = t.newAccount();
        const send = (over: RequestBody) => t.api.createAccount({ ...body, ...over }, { key });
        const first = await t.control('a create', () => send({}));
        // Run, it meets the email that is taken; what it must not meet is the first answer.
        const other = await send({ client_reference_id: t.fresh.reference() });
        const apart = !isReplayOf(other, first) && other.at('id') !== first.at('id');
        if (!apart) {
          await requireOtherSubjectRuns(t);
          await requireConflict(t, body, first);
        }
        t.expect('IDEM-2c', other).is(
          'an operation of its own',
          apart,
          describeAnswer(other),
          first,
        );
      },
    );
    await t.branch('IDEM-2c', 'an update of another account', async () => {
      const key = t.fresh.key();
      const [one, another] = [await t.given.account(), await t.given.account()];
      const patch = ({ id, etag: ifMatch }: typeof one) =>
        t.api.updateAccount(id, { first_name: 'Grace' }, { key, ifMatch });
      const updated = await t.control('an update', () => patch(one));
      expectRan(t, 'IDEM-2c', await patch(another), updated);
    });
    for (const operation of ['createAccount', 'updateAccount'] as const) {
      await t.branch('IDEM-2c', `${operation}, the same subject in disguise`, async () => {
        const command: WriteCommand = await WRITE_OPERATIONS[operation].make(t);
        const key = t.fresh.key();
        const first = await t.control(WRITE_OPERATIONS[operation].words, () => command.send(key));
        const disguised = await command.disguised!(key);
        const truth = isReplayOf(disguised, first);
        if (!truth) await requireBodyIgnored(t, operation);
        const words = 'the first answer for this subject';
        t.expect('IDEM-2c', disguised).is(words, truth, describeAnswer(disguised), first);
      });
    }
  },
};

/** ACC-8: whoever is shown the account for its email is shown it under any key. */
async function requireConflict(
  t: ScenarioContext,
  body: RequestBody,
  first: Answer,
): Promise<void> {
  const named = { ...body, client_reference_id: t.fresh.reference() };
  const met = await t.api.createAccount(named, { key: t.fresh.key() });
  if (met.status < 300 && met.at('id') === first.at('id')) {
    throw new Blocked('an email that is taken is answered with its account (ACC-8)');
  }
}

/** IDEM-2a: where no other subject runs under the key, it is not this one that is told wrongly. */
export async function requireOtherSubjectRuns(t: ScenarioContext): Promise<void> {
  const key = t.fresh.key();
  const first = await t.api.createAccount(t.newAccount(), { key });
  const second = await t.api.createAccount(t.newAccount(), { key });
  if (!isReplayOf(second, first)) return;
  throw new Blocked('no other reference runs under the key, whatever its email');
}

const idemSubjectsOfTransactions: Scenario = {
  id: 'idem-subjects-of-transactions',
  title:
    'The subject of a transaction is its reference; of approve, reject and cancel, the account',
  rules: ['IDEM-2c'],
  observes: ['NS-35'],
  needs: ['trading_account', 'second_trading_account'],
  async run(t) {
    const here = await t.given.place();
    const there = await t.given.otherPlace();
    await t.branch('IDEM-2c', 'one reference in two cases', () => observeCase(t, here));
    await t.branch('IDEM-2c', 'two references, all else alike', async () => {
      const key = t.fresh.key();
      const body = t.newTransaction(here);
      const first = await t.control('a create', () => t.api.createTransaction(body, { key }));
      const other = { ...body, client_reference_id: t.fresh.reference() };
      expectRan(t, 'IDEM-2c', await t.api.createTransaction(other, { key }), first);
    });
    await t.branch('IDEM-2c', 'one reference for two accounts', async () => {
      const key = t.fresh.key();
      const body = t.newTransaction(here);
      const first = await t.control('a create', () => t.api.createTransaction(body, { key }));
      const { account_id, trading_account_id } = there;
      const other = await t.api.createTransaction(
        { ...body, account_id, trading_account_id },
        { key },
      );
      const same = isReplayOf(other, first);
      // IDEM-8: the account is all that differs between the bodies.
      if (!same) await requireBodyIgnored(t, 'createTransaction');
      t.expect('IDEM-2c', other).is('the answer of the first', same, undefined, first);
    });
    for (const verb of ['approve', 'reject', 'cancel'] as const) {
      await t.branch('IDEM-2c', `${verb} at two accounts`, async () => {
        const key = t.fresh.key();
        const mine = await t.given.transaction(here);
        const theirs = await t.given.transaction(there);
        const first = await t.control(verb, () => decide(t, verb, mine, key));
        expectRan(t, 'IDEM-2c', await decide(t, verb, theirs, key), first);
      });
    }
  },
};

/** NS-35: of a transaction's reference it is open whether another case is another subject. */
export async function observeCase(t: ScenarioContext, place: Place): Promise<void> {
  const key = t.fresh.key();
  const body = t.newTransaction(place);
  const first = await t.control('a create', () => t.api.createTransaction(body, { key }), 201);
  const client_reference_id = String(body.client_reference_id).toUpperCase();
  const upper = await t.api.createTransaction({ ...body, client_reference_id }, { key });
  const same = isReplayOf(upper, first);
  const words = same ? 'one subject in any case' : 'another subject in another case';
  t.observe('NS-35', words, { transaction_subject_case_sensitive: !same });
}

const idemSubjectsOfPositions: Scenario = {
  id: 'idem-subjects-of-positions',
  title: 'The subject of opening and of closing a position is the trading account',
  rules: ['IDEM-2c'],
  needs: ['trading_account', 'second_trading_account'],
  async run(t) {
    const places = [await t.given.place(), await t.given.otherPlace()] as const;
    const [mine, theirs] = [await openPosition(t, places[0]), await openPosition(t, places[1])];
    const spare = await openPosition(t, places[0]);
    const { body: closing } = await closePosition(t, spare);
    const key = t.fresh.key();
    const opened = await t.control('an open', () => t.api.openPosition(mine.body, { key }));
    expectRan(t, 'IDEM-2c', await t.api.openPosition(theirs.body, { key }), opened);
    const closeKey = t.fresh.key();
    const close = (body: typeof mine) => t.api.closePosition(closing(body), { key: closeKey });
    const closed = await t.control('a close', () => close(mine));
    expectRan(t, 'IDEM-2c', await close(theirs), closed);
  },
};

const idemKeyAcrossBrands: Scenario = {
  id: 'idem-key-across-brands',
  title: 'One key and one reference at two brands is one subject: the first answer is replayed',
  rules: ['IDEM-2c', 'IDEM-4a'],
  needs: ['firm', 'other_brand'],
  async run(t) {
    const key = t.fresh.key();
    const body = t.newAccount({}, 'firm');
    const send = (brand: string | undefined) =>
      t.as('firm').createAccount({ ...body, brand_id: brand }, { key });
    const first = await t.control('a create', () => send(t.brandId('firm')));
    const other = await send(t.brandId('other_brand'));
    const replayed = isReplayOf(other, first);
    // IDEM-8: the brand is all that differs between the bodies.
    if (!replayed) await requireBodyIgnored(t, 'createAccount');
    t.expect('IDEM-2c', other).is('the answer of the first', replayed, undefined, first);
    t.expect('IDEM-4a', await send(t.brandId('firm'))).status(first.status);
  },
};

/** Ran, as shown by an answer of its own about a record of its own. */
function expectRan(t: ScenarioContext, rule: RuleId, answer: Answer, first: Answer): void {
  const id = first.at('id');
  const another = id === undefined || answer.at('id') !== id;
  const truth = answer.status < 300 && !isReplayOf(answer, first) && another;
  const words = `an operation of its own, and not that of exchange ${first.n} (id ${id})`;
  t.expect(rule, answer).is(words, truth, describeAnswer(answer), first);
}

export function decide(
  t: ScenarioContext,
  verb: 'approve' | 'reject' | 'cancel',
  made: Pick<Place, 'account_id'> & { readonly id: string },
  key: string,
  who: Role = t.mainRole,
): Promise<Answer> {
  const [api, options] = [t.as(who), { key }];
  if (verb === 'approve') return api.approveTransaction(made.id, made.account_id, options);
  const body = { reason: 'conformance check' };
  if (verb === 'reject') return api.rejectTransaction(made.id, made.account_id, body, options);
  return api.cancelTransaction(made.id, made.account_id, body, options);
}

export const subjectScenarios: readonly Scenario[] = [
  idemOtherReference,
  idemSubjectsOfAccounts,
  idemSubjectsOfTransactions,
  idemSubjectsOfPositions,
  idemKeyAcrossBrands,
];
