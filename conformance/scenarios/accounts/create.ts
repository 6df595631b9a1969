// ACC: creating an account, what it looks like, and what it keeps as sent.

import { PROFILE_MEMBERS } from '../../engine/account-members.ts';
import { integer, text, textOrNull } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import {
  type ACCOUNT_MEMBERS,
  lettersOf,
  strongTag,
  withMembers,
} from '../support/account-assertions.ts';

const accCreated: Scenario = {
  id: 'acc-created',
  title: 'A valid create with a new reference answers 201 and the account, whose status is New',
  rules: ['ACC-1', 'ACC-20'],
  observes: ['NS-27'],
  async run(t) {
    const body = t.newAccount();
    const made = await t.api.createAccount(body);
    t.must('ACC-1', made).status(201);
    const { client_reference_id: reference, first_name: first, last_name: last } = body;
    const named = withMembers(made, 'client_reference_id', 'first_name', 'last_name', 'brand_id');
    t.expect('ACC-1', named).fields({
      client_reference_id: reference!,
      first_name: first!,
      last_name: last!,
    });
    const brandId = String(body.brand_id ?? made.at('brand_id'));
    const seen = String(made.at('brand_id'));
    t.expect('ACC-1', named).is(`brand_id: ${brandId}`, seen === brandId, `brand_id: ${seen}`);
    t.expect('ACC-20', made).field('status', 'New');

    const row = t.newAccount();
    await t.control('a batch of one', () => t.api.bulkCreateAccounts([row]), 200);
    const batched = await t.api.createAccount(row);
    if (batched.status < 300) {
      t.expect('ACC-20', batched.presuming('ACC-5')).field('status', 'New');
    }

    // ACC-20: an account begins as New whatever a request says of it.
    const odd = await t.api.createAccount(t.newAccount({ status: 'Active', nickname: 'ada' }));
    const ignored = odd.status === 201;
    t.observe('NS-27', `unknown fields: ${odd.summary}`, {
      unknown_fields: ignored ? 'ignored' : 'refused',
    });
    if (ignored) t.expect('ACC-20', odd).field('status', 'New');
  },
};

type Shape = Readonly<Record<(typeof ACCOUNT_MEMBERS)[number], typeof text>>;

/** ACC-18: every member with its type. Whether ids are decimal strings is CONV-1a's to judge. */
const ID: Shape['id'] = {
  words: 'an id',
  test: (value: unknown) => value !== undefined && value !== null,
};

const OPTIONAL = [...PROFILE_MEMBERS, 'phone'] as const;
const eachOptional = (form: typeof text) =>
  Object.fromEntries(OPTIONAL.map((name) => [name, form])) as Pick<
    Shape,
    (typeof OPTIONAL)[number]
  >;

const FULL: Shape = {
  id: ID,
  revision: integer,
  client_reference_id: text,
  ...eachOptional(text),
  status: text,
  brand_id: ID,
  firm_id: ID,
};

const SPARSE: Shape = { ...FULL, ...eachOptional(textOrNull) };

const accShape: Scenario = {
  id: 'acc-shape',
  title: 'An account has the listed fields, never the email, and a strong ETag of its revision',
  rules: ['ACC-1', 'ACC-18', 'ACC-19'],
  observes: ['NS-44'],
  async run(t) {
    const known = await t.given.account({ phone: t.fresh.phone() });
    const again = await t.given.reread(known);
    const answers: [answer: Answer, shape: Shape][] = [
      [known.answer, FULL],
      [again, FULL],
    ];
    await t.branch(['ACC-18', 'ACC-19'], 'the account after an update', async () => {
      const change = { country: t.fresh.text() };
      const options = { ifMatch: strongTag(again) };
      const update = () => t.api.updateAccount(known.id, change, options);
      // UPD-2 judges what becomes of the fields that it does not name.
      answers.push([await t.control('an update', update, 200), SPARSE]);
      answers.push([await t.given.reread(known), SPARSE]);
    });
    for (const [answer, wanted] of answers) {
      const shape = t.expect('ACC-18', answer);
      shape.fields(wanted);
      const telling = Object.entries(Object(answer.json)).filter(
        ([name, value]) => /e.?mail/i.test(name) || sameText(value, known.email),
      );
      const seen = telling.map(([name]) => name).join(', ');
      shape.is('an account without its email', telling.length === 0, seen);
      adviseNoOthers(t, answer);
      const tag = `"${answer.at('revision')}"`;
      t.expect('ACC-19', answer).header('ETag', tag, (value) => value === tag);
    }
    await expectSparse(t);
  },
};

function sameText(value: unknown, text: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === text.toLowerCase();
}

/** A field that the list does not have is more than was promised, and no deviation. */
function adviseNoOthers(t: ScenarioContext, answer: Answer): void {
  const strangers = Object.keys(Object(answer.json)).filter((name) => !Object.hasOwn(FULL, name));
  t.advise('ACC-18', answer).is('no other members', strangers.length === 0, strangers.join(', '));
}

/** ACC-1, ACC-18: the required fields alone make an account; how others read is open (NS-44). */
async function expectSparse(t: ScenarioContext): Promise<void> {
  const body = t.newAccount({ country: undefined, language: undefined, last_name: undefined });
  const sparse = await t.api.createAccount(body);
  if (!t.expect('ACC-1', sparse).status(201, 200).ok) return;
  for (const name of OPTIONAL) {
    const seen = sparse.at(name);
    if (seen !== undefined) t.expect('ACC-18', sparse).field(name, textOrNull);
  }
  adviseNoOthers(t, sparse);
  const seen = sparse.at('country');
  const form = seen === undefined ? 'left_out' : seen === '' ? 'empty' : 'null';
  const words = seen === undefined ? 'left out' : JSON.stringify(seen);
  t.observe('NS-44', `country, never given: ${words}`, { absent_optionals: form });
}

const accStoredAsSent: Scenario = {
  id: 'acc-stored-as-sent',
  title: 'country and language are stored as sent',
  rules: ['ACC-14'],
  async run(t) {
    const forms = [
      { country: 'uNited kingdoM', language: 'en_gb-Xx' },
      { country: ' Österreich 🇦🇹 ', language: 'not a language: 42' },
      { country: 'AQ'.repeat(40), language: 'x-'.repeat(40) },
    ];
    await t.given.account({ country: 'NO', language: 'en' });
    for (const form of forms) {
      const body = t.newAccount(form);
      const answer = await t.api.createAccount(body);
      const taken = t
        .expect('ACC-14', withMembers(answer, 'country', 'language'))
        .is('taken as sent', answer.status < 300)
        .fields(form);
      if (answer.status >= 300) continue;
      if (!taken.ok) continue;
      const read = await t.api.createAccount(body);
      const shown = withMembers(read.presuming('ACC-5'), 'country', 'language');
      t.expect('ACC-14', shown).fields(form);
    }
    // The row of a batch is such a body as well; what came of it shows when it is created again.
    const [form] = forms;
    await t.branch('ACC-14', 'as the row of a batch', async () => {
      const row = t.newAccount(form);
      await t.control('a batch of one', () => t.api.bulkCreateAccounts([row]), 200);
      const created = await t.control('its account', () => t.api.createAccount(row));
      const shown = withMembers(created.presuming('ACC-5'), 'country', 'language');
      t.expect('ACC-14', shown).fields({ ...form });
    });
  },
};

const accNamedAfterEmail: Scenario = {
  id: 'acc-named-after-email',
  title: 'With both names omitted the account is named after the email',
  rules: ['ACC-13'],
  observes: ['NS-25'],
  async run(t) {
    // Letters only, so that no way of making a name of it takes it apart.
    const local = `ada${lettersOf(t.fresh.text()).replaceAll('-', '')}`;
    const email = `${local}@conformance.example.com`;
    const nameless = { email, first_name: undefined, last_name: undefined };
    const made = await t.api.createAccount(t.newAccount(nameless));
    const first = made.at('first_name');
    const last = made.at('last_name');
    const name = [first, last].filter((each) => typeof each === 'string').join(' ');
    // ACC-1 judges which status says so.
    t.expect('ACC-13', withMembers(made, 'first_name', 'last_name'))
      .is('created', made.status < 300)
      .is(`a name made of ${email}`, name.toLowerCase().includes(local), `named "${name}"`);
    const said = `first_name ${JSON.stringify(first)}, last_name ${JSON.stringify(last)}`;
    if (made.status < 300 && name.toLowerCase().includes(local)) {
      const form = first === email ? 'whole' : first === local ? 'local_part' : 'other';
      // The simulator's other name is an empty one, which is neither null nor left out.
      const isAlone = last === '';
      t.observe('NS-25', said, { account_named_after_email: isAlone ? form : 'other' });
    } else t.observe('NS-25', said);
    await t.branch('ACC-13', 'as the row of a batch', async () => {
      const other = `eva${lettersOf(t.fresh.text()).replaceAll('-', '')}`;
      const row = t.newAccount({ ...nameless, email: `${other}@conformance.example.com` });
      await t.control('a batch of one', () => t.api.bulkCreateAccounts([row]), 200);
      const created = await t.control('its account', () => t.api.createAccount(row));
      const names = JSON.stringify([created.at('first_name'), created.at('last_name')]);
      const named = names.toLowerCase().includes(other);
      const whole = withMembers(created.presuming('ACC-5'), 'first_name', 'last_name');
      t.expect('ACC-13', whole).is(`a name made of ${row.email}`, named, `named ${names}`);
    });
    // One name is a name; whether names are answered as they were given is ACC-1's to judge.
    for (const [given, left] of [
      ['last_name', 'first_name'],
      ['first_name', 'last_name'],
    ] as const) {
      const named = await t.given.account({ [given]: 'Lovelace', [left]: undefined });
      const whole = withMembers(named.answer.presuming('ACC-1'), given);
      t.expect('ACC-13', whole).field(given, 'Lovelace');
      const other = String(named.answer.at(left) ?? '');
      const words = `${left} not made of the email`;
      t.expect('ACC-13', whole).is(words, !isMadeOf(named.email, other), `${left}: "${other}"`);
    }
  },
};

function isMadeOf(email: string, name: string): boolean {
  const [local = ''] = email.toLowerCase().split('@');
  return name !== '' && (name.includes('@') || name.toLowerCase().includes(local));
}

export const accountScenarios: readonly Scenario[] = [
  accCreated,
  accShape,
  accStoredAsSent,
  accNamedAfterEmail,
];
