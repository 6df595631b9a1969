// ACC: creating an account, what it looks like, and the reference that names it for good.
import type { Answer } from '../engine/answer.ts';
import type { Body } from '../engine/client.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';
import { integer, not, text, textOrNull } from '../engine/want.ts';
import { lettersOf, strongTag, tagAfter } from './aftermath.ts';
import { demand } from './readback.ts';

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
    t.expect('ACC-1', made).fields({
      client_reference_id: reference!,
      first_name: first!,
      last_name: last!,
    });
    const brandId = String(body.brand_id ?? made.at('brand_id'));
    const seen = String(made.at('brand_id'));
    t.expect('ACC-1', made).is(`brand_id: ${brandId}`, seen === brandId, `brand_id: ${seen}`);
    t.expect('ACC-20', made).field('status', 'New');

    // ACC-20: an account begins as New whatever a request says of it.
    const named = await t.api.createAccount(t.newAccount({ status: 'Active', nickname: 'ada' }));
    const ignored = named.status === 201;
    t.observe('NS-27', `unknown fields: ${named.summary}`, {
      unknown_fields: ignored ? 'ignored' : 'refused',
    });
    if (ignored) t.expect('ACC-20', named).field('status', 'New');
  },
};

type Member =
  | 'id'
  | 'revision'
  | 'client_reference_id'
  | 'first_name'
  | 'last_name'
  | 'phone'
  | 'country'
  | 'language'
  | 'status'
  | 'brand_id'
  | 'firm_id';

type Shape = Readonly<Record<Member, typeof text>>;

/** ACC-18: every member with its type. Whether ids are decimal strings is CONV-1a's to judge. */
const ID: Shape['id'] = {
  words: 'an id',
  test: (value: unknown) => value !== undefined && value !== null,
};

const FULL: Shape = {
  id: ID,
  revision: integer,
  client_reference_id: text,
  first_name: text,
  last_name: text,
  phone: text,
  country: text,
  language: text,
  status: text,
  brand_id: ID,
  firm_id: ID,
};

const OPTIONAL = ['first_name', 'last_name', 'phone', 'country', 'language'] as const;

const SPARSE: Shape = {
  ...FULL,
  first_name: textOrNull,
  last_name: textOrNull,
  phone: textOrNull,
  country: textOrNull,
  language: textOrNull,
};

const accShape: Scenario = {
  id: 'acc-shape',
  title:
    'An account has exactly the listed fields, never the email, and a strong ETag of its revision',
  rules: ['ACC-1', 'ACC-18', 'ACC-19'],
  observes: ['NS-44'],
  async run(t) {
    const known = await t.given.account({ phone: t.fresh.phone() });
    const again = await t.given.reread(known);
    const answers: [answer: Answer, shape: Shape][] = [
      [known.answer, FULL],
      [again, FULL],
    ];
    await t.part(['ACC-18', 'ACC-19'], 'the account after an update', async () => {
      const change = { country: t.fresh.text() };
      const options = { ifMatch: strongTag(again) };
      const update = () => t.api.updateAccount(known.id, change, options);
      // UPD-2 judges what becomes of the fields that it does not name.
      answers.push([await t.control('an update', update, 200), SPARSE]);
    });
    for (const [answer, wanted] of answers) {
      const shape = t.expect('ACC-18', answer);
      expectExactly(answer, shape);
      shape.fields(wanted);
      const bare = !answer.text.toLowerCase().includes(known.email.toLowerCase());
      shape.is('an account without its email', bare, answer.text);
      const tag = `"${answer.at('revision')}"`;
      t.expect('ACC-19', answer).header('ETag', tag, (value) => value === tag);
    }
    await expectSparse(t);
  },
};

function expectExactly(answer: Answer, shape: ReturnType<Trial['expect']>): void {
  const names = Object.keys(Object(answer.json)).sort();
  const wanted = Object.keys(FULL).sort().join(', ');
  shape.is(`exactly the members ${wanted}`, names.join(', ') === wanted, names.join(', '));
}

/** ACC-1, ACC-18: the required fields alone make an account; how others read is open (NS-44). */
async function expectSparse(t: Trial): Promise<void> {
  const body = t.newAccount({ country: undefined, language: undefined, last_name: undefined });
  const sparse = await t.api.createAccount(body);
  if (!t.expect('ACC-1', sparse).status(201, 200).ok) return;
  for (const name of OPTIONAL) {
    const seen = sparse.at(name);
    if (seen !== undefined) t.expect('ACC-18', sparse).field(name, textOrNull);
  }
  const strangers = Object.keys(Object(sparse.json)).filter((name) => !Object.hasOwn(FULL, name));
  t.expect('ACC-18', sparse).is('no other members', strangers.length === 0, strangers.join(', '));
  const seen = sparse.at('country');
  const form = { absent_optionals: seen === '' ? ('empty' as const) : ('null' as const) };
  const words = seen === undefined ? 'left out' : JSON.stringify(seen);
  t.observe('NS-44', `country, never given: ${words}`, seen === undefined ? {} : form);
}

const accReferenceKnown: Scenario = {
  id: 'acc-reference-known',
  title: 'A reference that names an account answers 200 with it; nothing is created or changed',
  rules: ['ACC-5'],
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
    // Nor was anybody made of the email and the phone that came with it.
    const { email, phone } = other;
    const free = await t.api.createAccount(t.newAccount({ email: email!, phone: phone! }));
    const made = free.status < 300 && free.at('id') !== known.id;
    t.expect('ACC-5', free).is('a new account: email and phone are free', made);
  },
};

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
    const expectSame = async (body: Body, id: string) => {
      const answer = await t.api.createAccount(body);
      const seen = `${answer.summary}, id ${answer.at('id')}`;
      t.expect('ACC-6', answer).is(`the account ${id}`, String(answer.at('id')) === id, seen);
    };
    await expectSame(named(known.reference.toUpperCase()), known.id);
    // The other way round: what is stored in upper case is found by lower case.
    const loud = await t.given.account({ client_reference_id: t.fresh.reference().toUpperCase() });
    const quiet = { ...loud.body, client_reference_id: loud.reference.toLowerCase() };
    await expectSame(quiet, loud.id);
    const batch = await t.api.bulkCreateAccounts([named(known.reference.toUpperCase())]);
    if (batch.status !== 200) return;
    const id = String(batch.at('rows.0.id'));
    t.expect('ACC-6', batch).is(`rows.0.id: ${known.id}`, id === known.id, `rows.0.id: ${id}`);
  },
};

/** The control of what follows: the reference as it was given finds its account. */
async function expectFound(t: Trial, reference: string, body: Body, id: string): Promise<void> {
  const found = await t.control(`the reference ${reference}`, () => t.api.createAccount(body));
  demand(String(found.at('id')) === id, `${reference} does not answer its own account (ACC-5)`);
}

/** ACC-5: each member that both answers show is the same; which there are is ACC-18's to judge. */
function expectTheSame(t: Trial, again: Answer, first: Answer): void {
  const expected = t.expect('ACC-5', again).status(200);
  for (const name of Object.keys(FULL)) {
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
    const answers = await t.atOnce(await t.crowd(6), () => t.api.createAccount(body));
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
      status: 'Closed',
    };
    await expectFound(t, known.reference, known.body, known.id);
    const options = { ifMatch: strongTag(known.answer) };
    const update = () => t.api.updateAccount(known.id, everything, options);
    const updated = await t.control('an update of every field', update, 200);
    const expectStill = async (words: string) => {
      const again = await t.api.createAccount(known.body);
      const seen = `${again.summary}, id ${again.at('id')}`;
      t.expect('ACC-7', again).is(`${known.id} ${words}`, again.at('id') === known.id, seen);
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

const accStoredAsSent: Scenario = {
  id: 'acc-stored-as-sent',
  title: 'country and language are stored as sent',
  rules: ['ACC-14'],
  async run(t) {
    const forms = [
      { country: 'uNited kingdoM', language: 'en_gb-Xx' },
      { country: ' Österreich ', language: 'not a language: 42' },
    ];
    for (const form of forms) {
      const made = await t.given.account(form);
      t.expect('ACC-14', made.answer).fields(form);
      t.expect('ACC-14', await t.given.reread(made)).fields(form);
    }
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
    t.expect('ACC-13', made)
      .status(201, 200)
      .is(`a name made of ${email}`, name.toLowerCase().includes(local), `named "${name}"`);
    const form = first === email ? 'whole' : 'local_part';
    const settings = first === email || first === local ? { account_named_after_email: form } : {};
    t.observe('NS-25', `first_name ${JSON.stringify(first)}, last_name ${JSON.stringify(last)}`, {
      ...settings,
    });
    const named = await t.given.account({ first_name: undefined, last_name: 'Lovelace' });
    t.expect('ACC-13', named.answer).field('last_name', 'Lovelace');
  },
};

export const accountScenarios: readonly Scenario[] = [
  accCreated,
  accShape,
  accReferenceKnown,
  accReferenceCase,
  accReferenceAtOnce,
  accReferencePermanent,
  accStoredAsSent,
  accNamedAfterEmail,
];
