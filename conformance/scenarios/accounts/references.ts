// ACC-5 to ACC-7: a reference names one account for ever. ACC, UPD: time alone changes none.

import { not } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { INVALID_STATE, STALE } from '../../spec/errors.ts';
import { DAY_MS, HOUR_MS } from '../../spec/literals.ts';
import { ACCOUNT_MEMBERS, strongTag, tagAfter } from '../support/account-assertions.ts';

/** ACC-5: each member that both answers show is the same; which there are is ACC-18's to judge. */
function expectTheSame(t: ScenarioContext, again: Answer, first: Answer): void {
  const expected = t.expect('ACC-5', again).status(200);
  for (const name of ACCOUNT_MEMBERS) {
    const value = first.at(name);
    if (value !== undefined && again.at(name) !== undefined) expected.field(name, value);
  }
}

const accReferenceKnown: Scenario = {
  id: 'acc-reference-known',
  title: 'A reference that names an account answers 200 with it; nothing is created or changed',
  rules: ['ACC-5', 'IDEM-12'],
  observes: ['NS-56'],
  async run(t) {
    const known = await t.given.account({ phone: t.fresh.phone() });
    const other = t.newAccount({
      ...{ client_reference_id: known.reference, phone: t.fresh.phone() },
      ...{ first_name: 'Another', last_name: 'Name', country: 'FR', language: 'fr' },
    });
    const again = await t.api.createAccount(other);
    expectTheSame(t, again, known.answer);
    t.expect('IDEM-12', again).field('id', known.id);
    // A second look, because the first may have changed what it did not show.
    expectTheSame(t, await t.api.createAccount(known.body), known.answer);
    // Nor is it shown as it is asked for: its reference reads as it is stored.
    const reference = known.reference.toUpperCase();
    const loud = await t.api.createAccount({ ...known.body, client_reference_id: reference });
    // ACC-6 judges whether another case finds it.
    if (loud.isOf(known.id)) expectTheSame(t, loud, known.answer);
    await t.branch('ACC-5', 'the account as it is now, and not as it once was', () =>
      expectPresent(t, known),
    );
    // Nor was another account made of the email and the phone that came with it.
    const { email, phone } = other;
    const free = await t.api.createAccount(t.newAccount({ email: email!, phone: phone! }));
    const made = free.status < 300 && !free.isOf(known.id);
    t.expect('ACC-5', free).is('a new account: email and phone are free', made);
    const odd = await t.api.createAccount({ ...known.body, email: t.fresh.text() });
    t.observe('NS-56', `a known reference with an email that is none: ${odd.summary}`, {
      known_reference: odd.status < 300 ? 'first' : 'last',
    });
  },
};

async function expectPresent(t: ScenarioContext, known: GivenAccount): Promise<void> {
  const update = (country: string, ifMatch: string) =>
    t.control('an update', () => t.api.updateAccount(known.id, { country }, { ifMatch }), 200);
  const tag = strongTag(known.answer);
  const updated = await update('NO', tag);
  if (updated.at('country') !== 'NO') return;
  const now = await t.api.createAccount(known.body);
  // UPD-1 judges whether updates last: this one does, as the next one builds upon it.
  await update('SE', await tagAfter(t, known, updated, tag));
  t.expect('ACC-5', now).status(200).field('country', 'NO');
}

const accReferenceCase: Scenario = {
  id: 'acc-reference-case',
  title: 'References match case-insensitively',
  rules: ['ACC-6'],
  async run(t) {
    const fresh = () => t.fresh.reference();
    for (const [what, stored, sent] of [
      ['a reference in upper case', fresh(), (each: string) => each.toUpperCase()],
      ['one that is stored so', fresh().toUpperCase(), (each: string) => each.toLowerCase()],
      // Letters beyond ASCII have cases too.
      ['one with an umlaut', `${fresh()}-zoë`, (each: string) => each.toUpperCase()],
    ] as const) {
      await t.branch('ACC-6', what, async () => {
        const known = await t.given.account({ client_reference_id: stored });
        // ACC-5 judges what a known reference answers; here only that another case is the same.
        await t.given.reread(known);
        const body = { ...known.body, client_reference_id: sent(stored) };
        expectNamed(t, 'ACC-6', await t.api.createAccount(body), known.id, what);
      });
    }
    const known = await t.given.account();
    const row = { ...known.body, client_reference_id: known.reference.toUpperCase() };
    const batch = await t.api.bulkCreateAccounts([row]);
    if (batch.status !== 200) return;
    const id = String(batch.at('rows.0.id'));
    t.expect('ACC-6', batch).is(`rows.0.id: ${known.id}`, id === known.id, `rows.0.id: ${id}`);
  },
};

function expectNamed(
  t: ScenarioContext,
  rule: RuleId,
  answer: Answer,
  id: string,
  what: string,
): void {
  const seen = `${answer.summary}, id ${answer.at('id')}`;
  t.expect(rule, answer).is(`the account ${id}: ${what}`, answer.isOf(id), seen);
}

const EVERYTHING: RequestBody = {
  ...{ first_name: 'Grace', last_name: 'Renamed', country: 'US', language: 'es' },
  status: 'Active',
};

const accReferencePermanent: Scenario = {
  id: 'acc-reference-permanent',
  title: 'A reference names the same account after any update',
  rules: ['ACC-7'],
  async run(t) {
    const known = await t.given.account();
    await t.given.reread(known);
    const options = { ifMatch: strongTag(known.answer) };
    const update = () => t.api.updateAccount(known.id, EVERYTHING, options);
    const updated = await t.control('an update of every field', update, 200);
    const expectStill = async (words: string) =>
      expectNamed(t, 'ACC-7', await t.api.createAccount(known.body), known.id, words);
    await expectStill('after an update of every field');
    // An update that names another reference is ignored or refused (NS-27), but changes none.
    const reference = t.fresh.reference();
    const renaming = { client_reference_id: reference, language: 'de' };
    const tag = await tagAfter(t, known, updated, options.ifMatch);
    const renamed = await t.api.updateAccount(known.id, renaming, { ifMatch: tag });
    await expectStill('after an update that names another reference');
    if (renamed.status === 200) {
      t.expect('ACC-7', renamed).field('client_reference_id', known.reference);
    }
    const free = await t.api.createAccount(t.newAccount({ client_reference_id: reference }));
    t.expect('ACC-7', free).field('id', not(known.id));
  },
};

/** When records and caches usually end, each a little later. */
const LATER = [
  ['an hour', HOUR_MS],
  ['a day', DAY_MS],
  ['a quarter', 92 * DAY_MS],
] as const;

const accInTime: Scenario = {
  id: 'acc-in-time',
  title: 'An account keeps its reference, its email and its tag, however much time passes',
  rules: ['ACC-7', 'ACC-8', 'UPD-1', 'UPD-7'],
  needs: ['clock'],
  lane: 'own_world',
  async run(t) {
    const account = await t.given.account();
    await t.given.reread(account);
    let tag = strongTag(account.answer);
    for (const [words, ms] of LATER) {
      await t.operator.advance(ms + 5_000);
      await t.given.account();
      const again = await t.api.createAccount(account.body);
      expectNamed(t, 'ACC-7', again, account.id, `after ${words}`);
      const taken = await t.api.createAccount(t.newAccount({ email: account.email }));
      t.expect('ACC-8', taken).refused(...INVALID_STATE);
      // An update under the tag that it had before applies, and the same once more does not.
      const update = (ifMatch: string) =>
        t.api.updateAccount(account.id, { first_name: t.fresh.text() }, { ifMatch });
      const updated = await update(tag);
      const applied = `applied under the tag of ${words} before`;
      if (t.expect('UPD-1', updated).is(applied, updated.status < 300).ok) {
        t.expect('UPD-7', await update(tag)).refused(...STALE);
      }
      tag = strongTag(await t.given.reread(account));
    }
  },
};

export const accountReferenceScenarios: readonly Scenario[] = [
  accReferenceKnown,
  accReferenceCase,
  accReferencePermanent,
  accInTime,
];
