// IDEM-1: the form of an Idempotency-Key, and that it is checked before the rest of a request; IDEM-2b:
// a key belongs to the credential and not to its token.
import { validCall } from '../../cases/calls.ts';
import { observeTwoKeys } from '../../cases/questions.ts';
import { type Expected, type Fault, type RefusalRow, refusals } from '../../cases/refusals.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { Call } from '../../engine/send/call.ts';
import type { Scenario } from '../../engine/types.ts';
import { KEY_REQUIRED } from '../../spec/errors.ts';
import { LONGEST, UNKNOWN_ID } from '../../spec/literals.ts';
import { WRITE_NAMES, type WriteName } from '../../spec/operations.ts';
import { mintDelegated } from '../access/delegated-tokens.ts';
import { anotherToken } from '../support/request-token.ts';

const FUNDS = ['trader:funds'];

/** An empty key and a key of spaces are the same once trimmed; proxies may drop either. */
const under =
  (key: string | null): Fault =>
  () => ({ key });

/** Without a code it is a refusal by the parser (ERR-2). */
const keyFirst: Expected = (t, rules, answer) => {
  const words = KEY_REQUIRED.join(' ');
  t.expect(rules, answer).is(`${words}, before any other fault`, answer.summary === words);
};

/** IDEM-1d: a request with another fault; the missing key must be reported first. */
function faulty(operation: WriteName, what: string, rest: Call): RefusalRow {
  const fault: Fault = () => ({ key: null, call: { operation, ...rest } });
  return ['IDEM-1d', operation, `no key and ${what}`, fault, keyFirst];
}

const broken = { raw: '{"client_reference_id": ' };
const nowhere = { id: UNKNOWN_ID, account_id: UNKNOWN_ID };
const idAsNumber = { body: { trading_account_id: Number(UNKNOWN_ID) } };
const noAt = { body: { client_reference_id: 'x', email: 'x' } };

export const idemKeyRequired = refusals({
  id: 'idem-key-required',
  title: 'Every write requires a key, and checks it before anything else, else 400',
  observes: ['NS-58'],
  rows: [
    ...WRITE_NAMES.map((name): RefusalRow => {
      return ['IDEM-1a', name, 'no key', under(null), KEY_REQUIRED];
    }),
    ['IDEM-1a', 'createAccount', 'an empty key', under(''), KEY_REQUIRED],
    ['IDEM-1a', 'createAccount', 'a key of spaces', under('   '), KEY_REQUIRED],
    faulty('createAccount', 'broken JSON', broken),
    faulty('createAccount', 'no required field', { body: {} }),
    faulty('createAccount', 'an email without @', noAt),
    faulty('updateAccount', 'a stale tag', { id: UNKNOWN_ID, body: {}, ifMatch: '"stale"' }),
    faulty('bulkCreateAccounts', 'an empty batch', { body: { accounts: [] } }),
    faulty('createTransaction', 'an id as a number', idAsNumber),
    faulty('approveTransaction', 'an unknown transaction', nowhere),
    faulty('rejectTransaction', 'no reason', { ...nowhere, body: {} }),
    faulty('cancelTransaction', 'an empty reason', { ...nowhere, body: { reason: '' } }),
    faulty('openPosition', 'broken JSON', broken),
    faulty('closePosition', 'an id as a number', idAsNumber),
  ],
  also: observeTwoKeys,
});

/** Characters with a meaning in URLs, headers and SQL. */
const PUNCTUATION = `%41 100% a,b;c=d 'e' "f" /g\\h`;

export const idemKeyLength: Scenario = {
  id: 'idem-key-length',
  title: 'A trimmed key has 1 to 255 characters, all of which count',
  rules: ['IDEM-1b'],
  async run(t) {
    const create = (key: string) => t.create({}, { key });
    const plain = await t.control('createAccount', { body: t.newAccount() });
    const longest = t.fresh.text(LONGEST);
    // With a new reference a key of one character is new as well, because the subject differs.
    for (const key of ['x', longest, `  ${t.fresh.text(LONGEST)}  `, PUNCTUATION]) {
      t.expect('IDEM-1b', await create(key)).status(plain.status);
    }
    for (const length of [LONGEST + 1, 1000]) {
      t.expect('IDEM-1b', await create(t.fresh.text(length))).refused(...KEY_REQUIRED);
    }
    const [lower, key] = [t.fresh.text(LONGEST), t.fresh.key()];
    for (const [how, one, other] of [
      ['the last character', longest, `${longest.slice(0, -1)}z`],
      ['case', lower, lower.toUpperCase()],
      ['a space within it', key, `${key.slice(0, -1)} ${key.slice(-1)}`],
    ] as const) {
      const body = t.newAccount();
      const first = await t.call('createAccount', { body, key: one });
      if (first.status !== 201) continue;
      // Under a different key it finds the account by its reference: 200 instead of another 201.
      const answer = await t.call('createAccount', { body, key: other });
      const words = `not the answer under another key, which differs in ${how}`;
      t.expect('IDEM-1b', answer).is(words, !isReplayOf(answer, first), answer.summary, first);
    }
  },
};

export const idemOtherToken: Scenario = {
  id: 'idem-other-token',
  title: 'A key belongs to the credential and not to its token: a new token repeats as the old one',
  rules: ['IDEM-2b'],
  needs: ['client'],
  async run(t) {
    const credential = await t.credential('client');
    const brand_id = t.brandId('client') ?? t.brandId(t.mainRole);
    const call = { ...(await validCall(t, 'createAccount')), body: t.newAccount({ brand_id }) };
    const key = t.fresh.key();
    // If no way to request tokens is known, the same token sends the repeat.
    const token = async () => (await anotherToken(t, credential)) ?? credential.token;
    const [one, another] = [await token(), await token()];
    // NS-8: if neither is known, there is no token at all.
    if (one === '' || another === '') return t.notTested('IDEM-2b', 'no token was to be had');
    const under = (bearer: string) => ({ key, authorization: `Bearer ${bearer}` });
    const first = await t.control(call, { as: 'client', ...under(one) });
    const repeat = await t.call(call, { as: 'client', ...under(another) });
    const replayed = isReplayOf(repeat, first);
    t.expect('IDEM-2b', repeat).is('the first answer', replayed, describeAnswer(repeat), first);
  },
};

export const idemCredentialsAlike: Scenario = {
  id: 'idem-credentials-alike',
  title: 'Two credentials of one brand are two, and so are two delegated tokens of one account',
  rules: ['IDEM-2b'],
  needs: ['mint', 'brand', 'trading_account'],
  async run(t) {
    await t.branch('IDEM-2b', 'two credentials of one brand', async () => {
      const call = { body: t.newAccount({}, 'brand'), key: t.fresh.key() };
      const mint = () => t.operator.mint({ scopes: ['accounts:write'], brand: 'brand' });
      const first = await t.control('createAccount', { ...call, as: await mint() });
      const second = await t.call('createAccount', { ...call, as: await mint() });
      t.expect('IDEM-2b', second).is('run by the other one', !isReplayOf(second, first));
    });
    await t.branch('IDEM-2b', 'two delegated tokens of one account', async () => {
      const place = await t.given.place();
      const minter = await t.operator.mint({ scopes: ['transactions:write', ...FUNDS] });
      const options = { accountId: place.account_id, scopes: FUNDS };
      const mint = () => mintDelegated(t, options, minter);
      const mine = await validCall(t, 'cancelTransaction', place);
      const theirs = await validCall(t, 'cancelTransaction', place);
      const key = t.fresh.key();
      const first = await t.control(mine, { key, as: await mint() });
      const second = await t.call(theirs, { key, as: await mint() });
      const ran = second.isOf(theirs.transaction!.id);
      t.expect('IDEM-2b', second).is('run for its own', ran, describeAnswer(second), first);
    });
  },
};
