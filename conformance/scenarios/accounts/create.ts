// ACC: creating an account, what it looks like, and what it keeps as sent.

import { PROFILE_MEMBERS } from '../../engine/account-members.ts';
import { integer, text, textOrNull } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { digitsOf, lettersOf, strongTag } from '../support/account-assertions.ts';

/** As valid as any others. */
const ODD: readonly ((t: ScenarioContext) => RequestBody)[] = [
  (t) => ({ email: `ada+${t.fresh.email()}` }),
  (t) => ({ client_reference_id: `${t.fresh.reference()}/constructor?a=1&b` }),
  (t) => (t.has('mint') ? { client_reference_id: 'constructor' } : {}),
];

const accCreated: Scenario = {
  id: 'acc-created',
  title: 'A valid create with a new reference answers 201 and the account, whose status is New',
  rules: ['ACC-1', 'ACC-20'],
  observes: ['NS-27'],
  async run(t) {
    const body = t.newAccount();
    const made = await t.api.createAccount(body);
    t.must('ACC-1', made).status(201);
    for (const name of ['client_reference_id', 'first_name', 'last_name']) {
      t.expect('ACC-1', made).field(name, body[name]!);
    }
    const brandId = String(body.brand_id ?? made.at('brand_id'));
    const seen = String(made.at('brand_id'));
    t.expect('ACC-1', made).is(`brand_id: ${brandId}`, seen === brandId, `brand_id: ${seen}`);
    t.expect('ACC-20', made).field('status', 'New');
    for (const over of ODD) {
      const odd = await t.api.createAccount(t.newAccount(over(t)));
      t.expect('ACC-1', odd).status(201, 200);
    }
    await t.branch('ACC-20', 'the row of a batch', async () => {
      t.expect('ACC-20', await createInBatch(t, t.newAccount())).field('status', 'New');
    });
    // ACC-20: an account begins as New, even if a request names another status.
    const odd = await t.api.createAccount(t.newAccount({ status: 'Active', nickname: 'ada' }));
    const ignored = odd.status === 201;
    t.observe('NS-27', `unknown fields: ${odd.summary}`, {
      unknown_fields: ignored ? 'ignored' : 'refused',
    });
    if (ignored) t.expect('ACC-20', odd).field('status', 'New');
  },
};

/** What comes of the row of a batch, as a create by its reference shows it. */
async function createInBatch(t: ScenarioContext, row: RequestBody): Promise<Answer> {
  await t.control('a batch of one', () => t.api.bulkCreateAccounts([row]), 200);
  return t.control('its account', () => t.api.createAccount(row));
}

/** ACC-18: every member with its type. Whether ids are decimal strings is CONV-1a's to judge. */
const ID: typeof text = {
  words: 'an id',
  test: (value) => value !== undefined && value !== null,
};
const OPTIONAL = [...PROFILE_MEMBERS, 'phone'];
const eachOptional = (form: typeof text) => Object.fromEntries(OPTIONAL.map((n) => [n, form]));
const FULL = {
  ...{ id: ID, revision: integer, client_reference_id: text, ...eachOptional(text) },
  ...{ status: text, brand_id: ID, firm_id: ID },
};
const SPARSE = { ...FULL, ...eachOptional(textOrNull) };

const accShape: Scenario = {
  id: 'acc-shape',
  title: 'An account has the listed fields, never the email, and a strong ETag of its revision',
  rules: ['ACC-1', 'ACC-18', 'ACC-19'],
  observes: ['NS-44'],
  async run(t) {
    const known = await t.given.account({ phone: t.fresh.phone() });
    const again = await t.given.reread(known);
    expectShape(t, known.answer, FULL, known.email);
    expectShape(t, again, FULL, known.email);
    await t.branch(['ACC-18', 'ACC-19'], 'the account after an update', async () => {
      const change = { country: t.fresh.text() };
      const options = { ifMatch: strongTag(again) };
      const update = () => t.api.updateAccount(known.id, change, options);
      // UPD-2 judges what becomes of the fields that it does not name.
      expectShape(t, await t.control('an update', update, 200), SPARSE, known.email);
      expectShape(t, await t.given.reread(known), SPARSE, known.email);
    });
    await expectSparse(t);
  },
};

function expectShape(t: ScenarioContext, answer: Answer, form: typeof FULL, email: string): void {
  const shape = t.expect('ACC-18', answer).fields(form);
  const names = Object.entries(Object(answer.json))
    .filter(([name, value]) => /e.?mail/i.test(name) || isText(value, email))
    .map(([name]) => name);
  shape.is('an account without its email', names.length === 0, names.join(', '));
  adviseNoOthers(t, answer);
  const tag = `"${answer.at('revision')}"`;
  t.expect('ACC-19', answer).header('ETag', tag, (value) => value === tag);
}

function isText(value: unknown, expected: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === expected.toLowerCase();
}

/** A field that the list does not have is more than was promised, and no deviation. */
function adviseNoOthers(t: ScenarioContext, answer: Answer): void {
  const others = Object.keys(Object(answer.json)).filter((name) => !Object.hasOwn(FULL, name));
  t.advise('ACC-18', answer).is('no other members', others.length === 0, others.join(', '));
}

/** ACC-1, ACC-18: the required fields alone make an account; how others read is open (NS-44). */
async function expectSparse(t: ScenarioContext): Promise<void> {
  const body = t.newAccount({ country: undefined, language: undefined, last_name: undefined });
  const sparse = await t.api.createAccount(body);
  if (!t.expect('ACC-1', sparse).status(201, 200).ok) return;
  for (const name of OPTIONAL.filter((each) => sparse.at(each) !== undefined)) {
    t.expect('ACC-18', sparse).field(name, textOrNull);
  }
  adviseNoOthers(t, sparse);
  const seen = sparse.at('country');
  const form = seen === undefined ? 'left_out' : seen === '' ? 'empty' : 'null';
  const words = seen === undefined ? 'left out' : printJson(seen);
  t.observe('NS-44', `country, never given: ${words}`, { absent_optionals: form });
}

/**
 * What an account keeps of a create: the answer shows it, and so does the account that the row of a
 * batch has made.
 */
type KeptRow = readonly [what: string, over: (t: ScenarioContext) => RequestBody, Kept];
type Kept = (t: ScenarioContext, answer: Answer, body: RequestBody) => void;

async function expectKept(t: ScenarioContext, rule: RuleId, row: KeptRow): Promise<void> {
  const [what, over, expected] = row;
  const body = t.newAccount(over(t));
  const answer = await t.api.createAccount(body);
  // ACC-1 judges which status says so.
  const isTaken = t.expect(rule, answer).is(`${what}: taken`, answer.status < 300).ok;
  if (isTaken) expected(t, answer, body);
  if (isTaken) expected(t, await t.api.createAccount(body), body);
  await t.branch(rule, `${what}, in the row of a batch`, async () => {
    const inRow = t.newAccount(over(t));
    expected(t, await createInBatch(t, inRow), inRow);
  });
}

const asSent: Kept = (t, answer, { country, language }) =>
  t.expect('ACC-14', answer).fields({ country: country!, language: language! });

const STORED_AS_SENT: readonly KeptRow[] = [
  ['letters in any case', () => ({ country: 'uNited kingdoM', language: 'en_gb-Xx' }), asSent],
  [
    'spaces and symbols',
    () => ({ country: ' Österreich 🇦🇹 ', language: 'not a language: 42' }),
    asSent,
  ],
  ['80 characters', () => ({ country: 'AQ'.repeat(40), language: 'x-'.repeat(40) }), asSent],
];

const accStoredAsSent: Scenario = {
  id: 'acc-stored-as-sent',
  title: 'country and language are stored as sent',
  rules: ['ACC-14'],
  async run(t) {
    await t.given.account({ country: 'NO', language: 'en' });
    for (const row of STORED_AS_SENT) await expectKept(t, 'ACC-14', row);
  },
};

const localPart = ({ email }: RequestBody) => String(email).split('@')[0]!;

const namedAfterEmail: Kept = (t, answer, body) => {
  const names = printJson([answer.at('first_name'), answer.at('last_name')]);
  const truth = names.toLowerCase().includes(localPart(body));
  t.expect('ACC-13', answer).is(`a name made of ${body.email}`, truth, `named ${names}`);
};

/** Letters only, so that no way of making a name of it takes it apart. */
const NAMELESS: KeptRow = [
  'no names',
  (t) => ({
    email: `ada${lettersOf(t.fresh.text()).replaceAll('-', '')}@conformance.example.com`,
    ...{ first_name: undefined, last_name: undefined },
  }),
  namedAfterEmail,
];

/** One name is a name; whether names are answered as they were given is ACC-1's to judge. */
const ONE_NAME = [
  ['last_name', 'first_name'],
  ['first_name', 'last_name'],
] as const;

const accNamedAfterEmail: Scenario = {
  id: 'acc-named-after-email',
  title: 'With both names omitted the account is named after the email',
  rules: ['ACC-13'],
  observes: ['NS-25'],
  async run(t) {
    await expectKept(t, 'ACC-13', NAMELESS);
    await observeName(t, t.newAccount(NAMELESS[1](t)));
    for (const [given, left] of ONE_NAME) {
      const { answer, email } = await t.given.account({ [given]: 'Lovelace', [left]: undefined });
      t.expect('ACC-13', answer).field(given, 'Lovelace');
      const other = String(answer.at(left) ?? '').toLowerCase();
      const isMade = other !== '' && (other.includes('@') || other.includes(localPart({ email })));
      const words = `${left} not made of the email`;
      t.expect('ACC-13', answer).is(words, !isMade, `${left}: "${other}"`);
    }
  },
};

async function observeName(t: ScenarioContext, body: RequestBody): Promise<void> {
  const made = await t.api.createAccount(body);
  const [first, last] = [made.at('first_name'), made.at('last_name')];
  const forms = new Map<unknown, string>([
    [body.email, 'whole'],
    [localPart(body), 'local_part'],
  ]);
  const isNamed = printJson([first, last]).toLowerCase().includes(localPart(body));
  // The simulator's other name is an empty one, which is neither null nor left out.
  const form = last === '' ? (forms.get(first) ?? 'other') : 'other';
  const words = `first_name ${printJson(first)}, last_name ${printJson(last)}`;
  t.observe('NS-25', words, isNamed ? { account_named_after_email: form } : {});
}

/** ACC-12: the same digits in national form, which the region reads; and one that needs no hint. */
function national(region: string, code: string): KeptRow {
  return [
    `a national number of ${region}`,
    (t) => ({ phone: `06 3998 ${digitsOf(t.fresh.phone()).slice(-4)}`, phone_region: region }),
    (t, answer, { phone }) => {
      const wanted = `${code}${digitsOf(phone)}`;
      const seen = digitsOf(answer.at('phone'));
      t.expect('ACC-12', answer).is(`${phone} of ${region} as ${wanted}`, seen === wanted, seen);
    },
  ];
}

const HINTED: KeptRow = [
  'an international number with the hint of another region',
  (t) => ({ phone: t.fresh.phone(), phone_region: 'FR' }),
  (t, answer, { phone }) => {
    const seen = digitsOf(answer.at('phone'));
    t.expect('ACC-12', answer).is(`${phone}, whatever the hint`, seen === digitsOf(phone), seen);
  },
];

const accPhoneRegion: Scenario = {
  id: 'acc-phone-region',
  title: 'phone_region decides how a national number is normalised',
  rules: ['ACC-12'],
  async run(t) {
    await t.given.account();
    // 06 39 98 is reserved for fiction in France, not in the Netherlands, which are tried only in a
    // world that is thrown away.
    const rows = [national('FR', '33'), ...(t.has('mint') ? [national('NL', '31')] : []), HINTED];
    for (const row of rows) await expectKept(t, 'ACC-12', row);
  },
};

export const accountScenarios: readonly Scenario[] = [
  accCreated,
  accShape,
  accStoredAsSent,
  accNamedAfterEmail,
  accPhoneRegion,
];
