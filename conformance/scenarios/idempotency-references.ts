// IDEM-11 to IDEM-13: what a new key does that an old one does not, for references and for refusals.
import type { Answer } from '../engine/answer.ts';
import type { Body } from '../engine/client.ts';
import { describe } from '../engine/expect.ts';
import { Blocked } from '../engine/stop.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';

const idemCorrectedRequest: Scenario = {
  id: 'idem-corrected-request',
  title:
    'After a 4xx the corrected request gets the old refusal under the old key and runs under a new one',
  rules: ['IDEM-11'],
  async run(t) {
    const account = await t.given.account();
    const invalid = t.newAccount({ email: t.fresh.text() });
    const corrected = { ...invalid, email: t.fresh.email() };
    const key = t.fresh.key();
    const refused = await t.api.createAccount(invalid, { key });
    const old = await t.api.createAccount(corrected, { key });
    const renewed = await t.api.createAccount(corrected, { key: t.fresh.key() });
    expectOldThenNew(t, { refused, old, renewed });
    // A 412 cannot succeed by replay: its tag stays stale under that key.
    const patch = (ifMatch: string, under: string) =>
      t.api.updateAccount(account.id, { first_name: 'Grace' }, { key: under, ifMatch });
    const stale = t.fresh.key();
    const conflict = await patch('"no-such-revision"', stale);
    const retagged = await patch(account.etag, stale);
    const applied = await patch(account.etag, t.fresh.key());
    expectOldThenNew(t, { refused: conflict, old: retagged, renewed: applied });
  },
};

interface Corrected {
  readonly refused: Answer;
  readonly old: Answer;
  readonly renewed: Answer;
}

/** Which refusal it was is for other rules: what counts is that it is this one that comes again. */
function expectOldThenNew(t: Trial, { refused, old, renewed }: Corrected): void {
  if (refused.status < 400) {
    throw new Blocked(`a request with a fault was served: ${describe(refused)}`);
  }
  const kept = old.status >= 400 && old.code === refused.code;
  t.expect('IDEM-11', old).is(`the old refusal: ${describe(refused)}`, kept, undefined, refused);
  const words = 'the corrected request run under its new key';
  t.expect('IDEM-11', renewed).is(words, renewed.status < 300, undefined, refused, old);
}

const idemReferenceOfAccount: Scenario = {
  id: 'idem-reference-of-account',
  title: 'The same reference under another key converges on the same account',
  rules: ['IDEM-12'],
  async run(t) {
    const account = await t.given.account();
    // Everything but the reference may be different: it is the reference that names the account.
    const other = { ...account.body, first_name: 'Grace', email: t.fresh.email() };
    for (const body of [account.body, other]) {
      const answer = await t.api.createAccount(body, { key: t.fresh.key() });
      t.expect('IDEM-12', answer).field('id', account.id);
    }
    // A key that differs in case alone is another key, if keys are compared as the strings they are.
    const [body, key] = [t.newAccount(), t.fresh.key()];
    const first = await t.control('a create', () => t.api.createAccount(body, { key }));
    const shouted = await t.api.createAccount(body, { key: key.toUpperCase() });
    if (first.status !== 201) return;
    t.advise('IDEM-12', shouted).is('200: another key', shouted.status === 200, undefined, first);
  },
};

const idemReferenceOfTransaction: Scenario = {
  id: 'idem-reference-of-transaction',
  title: 'The same reference under another key converges on the same transaction',
  rules: ['IDEM-12'],
  needs: ['trading_account'],
  async run(t) {
    const made = await t.given.transaction(await t.given.place());
    for (const body of [made.body, { ...made.body, amount: '99.00' }]) {
      const answer = await t.api.createTransaction(body, { key: t.fresh.key() });
      t.expect('IDEM-12', answer).field('id', made.id);
    }
  },
};

const idemConflictOfPeople: Scenario = {
  id: 'idem-conflict-of-people',
  title: 'The 409 for an email or a phone in use is kept, and replays though it is put right',
  rules: ['IDEM-13'],
  async run(t) {
    const phone = t.fresh.phone();
    const known = await t.given.account({ phone });
    const clashes: readonly [string, Body, Body][] = [
      ['email', { email: known.email }, { email: t.fresh.email() }],
      ['phone', { phone }, { phone: t.fresh.phone() }],
    ];
    for (const [field, taken, free] of clashes) {
      await t.part('IDEM-13', `an ${field} in use`, async () => {
        const body = t.newAccount(taken);
        const key = t.fresh.key();
        const create = (each: Body) => t.api.createAccount(each, { key });
        const refused = await create(body);
        if (refused.status !== 409)
          throw new Blocked(`an ${field} in use is no conflict: ${refused.summary}`);
        for (const again of [await create(body), await create({ ...body, ...free })]) {
          const kept = again.code === refused.code && again.at('detail') === refused.at('detail');
          const truth = kept && again.status >= 400;
          t.expect('IDEM-13', again).is(describe(refused), truth, undefined, refused);
        }
      });
    }
  },
};

export const referenceScenarios: readonly Scenario[] = [
  idemCorrectedRequest,
  idemReferenceOfAccount,
  idemReferenceOfTransaction,
  idemConflictOfPeople,
];
