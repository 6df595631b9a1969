// ACC: the reference that names an account for good.

import { not } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { ACCOUNT_MEMBERS, strongTag, tagAfter } from '../support/account-assertions.ts';
import { requirePrecondition } from '../support/transaction-assertions.ts';

const accReferenceKnown: Scenario = {
  id: 'acc-reference-known',
  title: 'A reference that names an account answers 200 with it; nothing is created or changed',
  rules: ['ACC-5'],
  observes: ['NS-56'],
  async run(t) {
    const known = await t.given.account({ phone: t.fresh.phone() });
    const other = t.newAccount({
      client_reference_id: known.reference,
      phone: t.fresh.phone(),
      first_name: 'Somebody',
      last_name: 'Else',
      country: 'FR',
      language: 'fr',
    });
    const again = await t.api.createAccount(other);
    expectTheSame(t, again, known.answer);
    // A second look, because the first may have changed what it did not show.
    expectTheSame(t, await t.api.createAccount(known.body), known.answer);
    // Nor is it shown as it is asked for: its reference reads as it is stored.
    const reference = known.reference.toUpperCase();
    const loud = await t.api.createAccount({ ...known.body, client_reference_id: reference });
    // ACC-6 judges whether another case finds it.
    if (loud.isOf(known.id)) expectTheSame(t, loud, known.answer);
    await t.branch('ACC-5', 'the account as it is now, and not as it once was', async () => {
      const options = { ifMatch: strongTag(known.answer) };
      const update = () => t.api.updateAccount(known.id, { country: 'NO' }, options);
      const updated = await t.control('an update', update, 200);
      if (updated.at('country') !== 'NO') return;
      const now = await t.api.createAccount(known.body);
      // UPD-1 judges whether updates last: here, one that a later one builds upon.
      const onward = { ifMatch: await tagAfter(t, known, updated, options.ifMatch) };
      const build = () => t.api.updateAccount(known.id, { country: 'SE' }, onward);
      await t.control('an update on top of it', build, 200);
      // ACC-7 judges whether the reference is the account's still.
      t.expect('ACC-5', now.presuming('ACC-7')).status(200).field('country', 'NO');
    });
    // Nor was anybody made of the email and the phone that came with it.
    const { email, phone } = other;
    const free = await t.api.createAccount(t.newAccount({ email: email!, phone: phone! }));
    const made = free.status < 300 && !free.isOf(known.id);
    t.expect('ACC-5', free).is('a new account: email and phone are free', made);
    await observeKnown(t, known.body);
  },
};

/** NS-56. */
async function observeKnown(t: ScenarioContext, body: RequestBody): Promise<void> {
  const odd = await t.api.createAccount({ ...body, email: t.fresh.text() });
  t.observe('NS-56', `a known reference with an email that is none: ${odd.summary}`, {
    known_reference: odd.status < 300 ? 'first' : 'last',
  });
}

const accReferenceCase: Scenario = {
  id: 'acc-reference-case',
  title: 'References match case-insensitively',
  rules: ['ACC-6'],
  async run(t) {
    const known = await t.given.account();
    const named = (reference: string) =>
      t.newAccount({ client_reference_id: reference, email: known.email });
    // ACC-5 judges what a known reference answers; here only that another case is the same.
    await expectFound(t, known.reference, named(known.reference), known.id);
    const expectSame = async (body: RequestBody, id: string) => {
      const answer = await t.api.createAccount(body);
      const seen = `${answer.summary}, id ${answer.at('id')}`;
      t.expect('ACC-6', answer).is(`the account ${id}`, answer.isOf(id), seen);
    };
    await expectSame(named(known.reference.toUpperCase()), known.id);
    // The other way round: what is stored in upper case is found by lower case.
    const loud = await t.given.account({ client_reference_id: t.fresh.reference().toUpperCase() });
    const quiet = { ...loud.body, client_reference_id: loud.reference.toLowerCase() };
    await expectSame(quiet, loud.id);
    // Letters beyond ASCII have cases too.
    await t.branch('ACC-6', 'a reference with an umlaut', async () => {
      const odd = await t.given.account({ client_reference_id: `${t.fresh.reference()}-zoë` });
      await expectFound(t, odd.reference, odd.body, odd.id);
      await expectSame({ ...odd.body, client_reference_id: odd.reference.toUpperCase() }, odd.id);
    });
    const batch = await t.api.bulkCreateAccounts([named(known.reference.toUpperCase())]);
    if (batch.status !== 200) return;
    const id = String(batch.at('rows.0.id'));
    const judged = batch.presuming('ACC-5', 'BULK-3', 'BULK-11');
    t.expect('ACC-6', judged).is(`rows.0.id: ${known.id}`, id === known.id, `rows.0.id: ${id}`);
  },
};

/** The control of what follows: the reference as it was given finds its account. */
async function expectFound(
  t: ScenarioContext,
  reference: string,
  body: RequestBody,
  id: string,
): Promise<void> {
  const found = await t.control(`the reference ${reference}`, () => t.api.createAccount(body));
  requirePrecondition(found.isOf(id), `${reference} does not answer its own account (ACC-5)`);
}

/** ACC-5: each member that both answers show is the same; which there are is ACC-18's to judge. */
function expectTheSame(t: ScenarioContext, again: Answer, first: Answer): void {
  const expected = t.expect('ACC-5', again).status(200);
  for (const name of ACCOUNT_MEMBERS) {
    const value = first.at(name);
    if (value !== undefined && again.at(name) !== undefined) expected.field(name, value);
  }
}

const accReferenceAtOnce: Scenario = {
  id: 'acc-reference-at-once',
  title: 'Creates at the same moment under one reference end as one account',
  rules: ['ACC-5'],
  async run(t) {
    await t.given.account();
    const body = t.newAccount();
    // Each has a key of its own, so that only the reference can hold them together.
    const answers = await t.sendTogether(await t.burstSize(6), () => t.api.createAccount(body));
    const landed = answers.filter((each) => each.status < 300);
    const ids = new Set(landed.map((each) => JSON.stringify(each.at('id'))));
    const created = landed.filter((each) => each.status === 201).length;
    t.claim(
      'ACC-5',
      'one 201 at most, and one id in every account answered',
      created <= 1 && ids.size <= 1 && landed.length > 0,
      answers.map((each) => `${each.summary} ${each.at('id') ?? ''}`).join('; '),
      ...answers,
    );
  },
};

const accReferencePermanent: Scenario = {
  id: 'acc-reference-permanent',
  title: 'A reference names the same account after any update',
  rules: ['ACC-7'],
  async run(t) {
    const known = await t.given.account();
    const everything = {
      first_name: 'Grace',
      last_name: 'Renamed',
      country: 'US',
      language: 'es',
      status: 'Active',
    };
    await expectFound(t, known.reference, known.body, known.id);
    const options = { ifMatch: strongTag(known.answer) };
    const update = () => t.api.updateAccount(known.id, everything, options);
    const updated = await t.control('an update of every field', update, 200);
    const expectStill = async (words: string) => {
      const again = await t.api.createAccount(known.body);
      const seen = `${again.summary}, id ${again.at('id')}`;
      t.expect('ACC-7', again).is(`${known.id} ${words}`, again.isOf(known.id), seen);
    };
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

export const accountReferenceScenarios: readonly Scenario[] = [
  accReferenceKnown,
  accReferenceCase,
  accReferenceAtOnce,
  accReferencePermanent,
];
