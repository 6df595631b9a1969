// IDEM-11 to IDEM-13: what a new key does that an old one does not, for references and for
// refusals.

import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { requireSubjectKept } from './replay-controls.ts';
import type { WriteOperationName } from './write-commands.ts';

const idemCorrectedRequest: Scenario = {
  id: 'idem-corrected-request',
  title: 'After a 4xx the corrected request gets the old refusal, and runs under a new key',
  rules: ['IDEM-11'],
  async run(t) {
    const account = await t.given.account();
    const invalid = t.newAccount({ email: t.fresh.text() });
    const valid = { ...invalid, email: t.fresh.email() };
    const create = (body: RequestBody) => (key: string) => t.api.createAccount(body, { key });
    const operation = 'createAccount';
    await expectOldThenNew(t, { operation, send: create(invalid), corrected: create(valid) });
    // A 412 cannot succeed by replay: its tag stays stale under that key.
    const patch = (ifMatch: string) => (key: string) =>
      t.api.updateAccount(account.id, { first_name: 'Grace' }, { key, ifMatch });
    const send = patch('"no-such-revision"');
    await expectOldThenNew(t, { operation: 'updateAccount', send, corrected: patch(account.etag) });
  },
};

interface Correction {
  readonly operation: WriteOperationName;
  readonly send: (key: string) => Promise<Answer>;
  readonly corrected: (key: string) => Promise<Answer>;
}

/**
 * Which refusal it is, and what a replay reads like, is for other rules: that it is this one again.
 */
async function expectOldThenNew(
  t: ScenarioContext,
  { operation, send, corrected }: Correction,
): Promise<void> {
  await t.branch('IDEM-11', operation, async () => {
    const key = t.fresh.key();
    const refused = await send(key);
    if (refused.status < 400) throw new Blocked(`a fault was served: ${describeAnswer(refused)}`);
    const again = await send(key);
    const old = await corrected(key);
    const kept = sameRefusal(old, refused) || sameRefusal(old, again);
    if (!kept) await requireSubjectKept(t, operation);
    t.expect('IDEM-11', old).is(
      `the old refusal: ${describeAnswer(refused)}`,
      kept,
      undefined,
      refused,
    );
    const renewed = await corrected(t.fresh.key());
    // Where it ran under the old key already, the new one comes too late.
    if (!kept) return;
    if (renewed.status >= 300) await requireSubjectKept(t, operation);
    const words = 'the corrected request run under its new key';
    // UPD-7: a stale update that applied all the same has made the other tag stale as well.
    t.expect('IDEM-11', renewed.presuming('UPD-7')).is(
      words,
      renewed.status < 300,
      undefined,
      refused,
      old,
    );
  });
}

/** The same refusal by what it says, whatever its status is replayed as (IDEM-4a). */
function sameRefusal(answer: Answer, refused: Answer): boolean {
  if (refused.json === undefined) return answer.text === refused.text;
  return ['code', 'detail'].every((name) => answer.at(name) === refused.at(name));
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
    // A key that differs in case alone is another key, if keys are compared as the strings they
    // are.
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

const idemReferenceInACrowd: Scenario = {
  id: 'idem-reference-in-a-crowd',
  title: 'One reference under several keys at the same moment ends as one account',
  rules: ['IDEM-12'],
  run: (t) => expectOneOfMany(t, t.newAccount(), (body) => t.api.createAccount(body)),
};

const idemReferenceInACrowdOfMoney: Scenario = {
  id: 'idem-reference-in-a-crowd-of-money',
  title: 'One reference under several keys at the same moment ends as one transaction',
  rules: ['IDEM-12'],
  needs: ['trading_account'],
  async run(t) {
    const body = t.newTransaction(await t.given.place());
    await expectOneOfMany(t, body, (each) => t.api.createTransaction(each));
  },
};

/** Each under a key of its own: whoever loses the race finds what the winner made. */
async function expectOneOfMany(
  t: ScenarioContext,
  body: RequestBody,
  send: (body: RequestBody) => Promise<Answer>,
): Promise<void> {
  const size = await t.burstSize(16);
  const answers = await t.sendTogether(size, () => send(body));
  const later = await t.control('the reference once more', () => send(body));
  const id = t.pick(later, 'id');
  // A 503 write_contention asks to come again, and has made nothing.
  const told = answers.filter((each) => each.status !== 503 && each.source === 'service');
  const astray = told.filter((each) => !each.isOf(id));
  const expected = `the one record ${id} in every answer`;
  const actual = astray.map(describeAnswer).join(' / ');
  t.claim('IDEM-12', expected, astray.length === 0, actual, ...astray, later);
}

const idemConflictOfPeople: Scenario = {
  id: 'idem-conflict-of-people',
  title: 'The 409 for an email or a phone in use is kept, and replays though it is put right',
  rules: ['IDEM-13'],
  async run(t) {
    const phone = t.fresh.phone();
    const known = await t.given.account({ phone });
    const clashes: readonly [string, RequestBody, RequestBody][] = [
      ['email', { email: known.email }, { email: t.fresh.email() }],
      ['phone', { phone }, { phone: t.fresh.phone() }],
    ];
    for (const [field, taken, free] of clashes) {
      await t.branch('IDEM-13', `an ${field} in use`, async () => {
        const body = t.newAccount(taken);
        const key = t.fresh.key();
        const create = (each: RequestBody) => t.api.createAccount(each, { key });
        const refused = await create(body);
        if (refused.status !== 409) {
          throw new Blocked(`an ${field} in use is no conflict: ${refused.summary}`);
        }
        const again = await create(body);
        const corrected = await create({ ...body, ...free });
        const kept = sameRefusal(corrected, refused) || sameRefusal(corrected, again);
        if (!kept) await requireSubjectKept(t, 'createAccount');
        const words = `the 409 again: ${describeAnswer(refused)}`;
        t.expect('IDEM-13', corrected).is(words, kept, describeAnswer(corrected), refused, again);
      });
    }
  },
};

export const referenceScenarios: readonly Scenario[] = [
  idemCorrectedRequest,
  idemReferenceOfAccount,
  idemReferenceOfTransaction,
  idemReferenceInACrowd,
  idemReferenceInACrowdOfMoney,
  idemConflictOfPeople,
];
