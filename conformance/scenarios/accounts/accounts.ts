// ACC: creating an account, its members, the values it keeps, and the reasons for which a create is
// refused. A reference names one account permanently; email and phone are unique within a brand.
import { observeUnit } from '../../cases/questions.ts';
import {
  accepted,
  anyRefusal,
  body,
  type Expected,
  type Fault,
  refusals,
  without,
} from '../../cases/refusals.ts';
import { decimalId, integer, text, textOrNull } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import { FORBIDDEN, INVALID, INVALID_STATE, STALE } from '../../spec/errors.ts';
import {
  DAY_MS,
  HOUR_MS,
  LONGEST,
  PROFILE,
  PROFILE_MEMBERS,
  UNKNOWN_ID,
} from '../../spec/literals.ts';
import { digitsOf, lettersOf, strongTag } from '../support/account-assertions.ts';
import { emailInUse, emailWithoutAt, reference, referenceOf } from '../support/faults.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const CREATE = 'createAccount';

export const accCreated: Story = {
  title: 'A valid create with a new reference answers 201 and the account, whose status is New',
  rules: ['ACC-1', 'ACC-20'],
  observes: ['NS-27'],
  async run(t) {
    const sent = t.newAccount();
    const created = await t.call('createAccount', { body: sent });
    t.must('ACC-1', created).status(201);
    for (const name of ['client_reference_id', 'first_name', 'last_name', 'brand_id']) {
      if (sent[name] !== undefined) t.expect('ACC-1', created).field(name, sent[name]);
    }
    t.expect('ACC-20', created).field('status', 'New');
    await t.branch('ACC-20', 'the row of a batch', async () => {
      t.expect('ACC-20', await createInBatch(t, t.newAccount())).field('status', 'New');
    });
    // ACC-20: an account begins as New, even if a request names another status.
    const odd = await t.create({ status: 'Active', nickname: 'ada' });
    const ignored = odd.status === 201;
    const unknown_fields = ignored ? 'ignored' : 'refused';
    t.observe('NS-27', `unknown fields: ${odd.summary}`, { unknown_fields });
    if (ignored) t.expect('ACC-20', odd).field('status', 'New');
  },
};

async function createInBatch(t: ScenarioContext, row: RequestBody): Promise<Answer> {
  await t.control('bulkCreateAccounts', { rows: [row] });
  return t.control('createAccount', { body: row });
}

/** ACC-18: every member with its type. CONV-1a judges whether ids are decimal strings. */
const ID: typeof text = { words: 'an id', test: (value) => value !== undefined && value !== null };
const OPTIONAL = [...PROFILE_MEMBERS, 'phone'];
const eachOptional = (form: typeof text) => Object.fromEntries(OPTIONAL.map((n) => [n, form]));
const FULL = {
  ...{ id: ID, revision: integer, client_reference_id: text, ...eachOptional(text) },
  ...{ status: text, brand_id: ID, firm_id: ID },
};
const SPARSE = { ...FULL, ...eachOptional(textOrNull) };

export const accShape: Story = {
  title: 'An account has the listed fields, never the email, and a strong ETag of its revision',
  rules: ['ACC-1', 'ACC-18', 'ACC-19', 'CONV-1a'],
  observes: ['NS-44'],
  async run(t) {
    const known = await t.given.account({ phone: t.fresh.phone() });
    const again = await t.given.reread(known);
    expectShape(t, known.answer, FULL, known.email);
    expectShape(t, again, FULL, known.email);
    await t.branch(['ACC-18', 'ACC-19', 'CONV-1a'], 'the account after an update', async () => {
      const change = { body: { country: t.fresh.text() }, ifMatch: strongTag(again) };
      const updated = await t.control('updateAccount', { id: known.id, ...change });
      // UPD-2 judges the fields that it does not name.
      expectShape(t, updated, SPARSE, known.email);
      expectShape(t, await t.given.reread(known), SPARSE, known.email);
    });
    // ACC-1, ACC-18: the required fields alone create an account; the values of the others are open (NS-44).
    const minimal = t.newAccount({ country: undefined, language: undefined, last_name: undefined });
    const sparse = await t.call('createAccount', { body: minimal });
    if (!t.expect('ACC-1', sparse).status(201, 200).ok) return;
    for (const name of OPTIONAL.filter((each) => sparse.at(each) !== undefined)) {
      t.expect('ACC-18', sparse).field(name, textOrNull);
    }
    const seen = sparse.at('country');
    const words = seen === undefined ? 'left out' : printJson(seen);
    t.observe('NS-44', `country, never given: ${words}`, {
      absent_optionals: seen === undefined ? 'left_out' : seen === '' ? 'empty' : 'null',
    });
  },
};

function expectShape(t: ScenarioContext, answer: Answer, form: typeof FULL, email: string): void {
  const members = Object.entries(Object(answer.json));
  const isEmail = (value: unknown) => typeof value === 'string' && value.toLowerCase() === email;
  const isNamedEmail = (name: string) => /^e[-_]?mail([-_]?address)?$/i.test(name);
  const emails = members.filter(([name, value]) => isNamedEmail(name) || isEmail(value));
  const names = emails.map(([name]) => name).join(', ');
  t.expect('ACC-18', answer)
    .fields(form)
    .is('an account without its email', names === '', names);
  // ACC-18 judges whether they exist.
  for (const name of ['id', 'brand_id', 'firm_id']) {
    if (ID.test(answer.at(name))) t.expect('CONV-1a', answer).field(name, decimalId);
  }
  // An additional field is not a deviation.
  const others = members.map(([name]) => name).filter((name) => !Object.hasOwn(FULL, name));
  t.advise('ACC-18', answer).is('no other members', others.length === 0, others.join(', '));
  const tag = `"${answer.at('revision')}"`;
  t.expect('ACC-19', answer).header('ETag', tag, (value) => value === tag);
}

/** The values that a create stores: in its answer, and in an account created by a batch row. */
type KeptRow = readonly [what: string, over: (t: ScenarioContext) => RequestBody, 'or refused'?];

function keeps(
  rule: RuleId,
  about: Pick<Story, 'title' | 'observes'>,
  rows: readonly KeptRow[],
  expected: (t: ScenarioContext, answer: Answer, sent: RequestBody) => unknown,
  also?: Story['run'],
): Story {
  return {
    ...about,
    rules: [rule],
    async run(t) {
      await t.given.account();
      for (const [what, over, mayBeRefused] of rows) {
        const sent = t.newAccount(over(t));
        // 06 39 98 is reserved for fiction in France but not in the Netherlands, so Dutch numbers are
        // only used in a disposable world.
        if (sent.phone_region === 'NL' && !t.has('mint')) continue;
        const answer = await t.call('createAccount', { body: sent });
        if (mayBeRefused && answer.isRefused) continue;
        // ACC-1 judges the status.
        if (t.expect(rule, answer).served(`${what}: taken`).ok) {
          expected(t, answer, sent);
          expected(t, await t.call('createAccount', { body: sent }), sent);
        }
        await t.branch(rule, `${what}, in the row of a batch`, async () => {
          const row = t.newAccount(over(t));
          expected(t, await createInBatch(t, row), row);
        });
      }
      await also?.(t);
    },
  };
}

export const accStoredAsSent = keeps(
  'ACC-14',
  { title: 'country and language are stored as sent' },
  [
    ['letters in any case', () => ({ country: 'uNited kingdoM', language: 'en_gb-Xx' })],
    ['symbols', () => ({ country: ' Österreich 🇦🇹 ', language: 'not a language: 42' })],
    // The longest value that is accepted is open, but none may be cut.
    [
      '80 characters',
      () => ({ country: 'AQ'.repeat(40), language: 'x-'.repeat(40) }),
      'or refused',
    ],
  ],
  (t, answer, { country, language }) =>
    t.expect('ACC-14', answer).fields({ country: country!, language: language! }),
);

const localPart = ({ email }: RequestBody) => String(email).split('@')[0]!;

/** Letters only, so that a name derived from it is not split. */
const NAMELESS: KeptRow = [
  'no names',
  (t) => ({
    email: `ada${lettersOf(t.fresh.text()).replaceAll('-', '')}@conformance.example.com`,
    ...{ first_name: undefined, last_name: undefined },
  }),
];

function namesOf(answer: Answer): string {
  return printJson([answer.at('first_name'), answer.at('last_name')]);
}

export const accNamedAfterEmail = keeps(
  'ACC-13',
  {
    title: 'With both names omitted the account is named after the email',
    observes: ['NS-25'],
  },
  [NAMELESS],
  (t, answer, sent) => {
    const truth = namesOf(answer).toLowerCase().includes(localPart(sent));
    t.expect('ACC-13', answer).is(`a name made of ${sent.email}`, truth, namesOf(answer));
  },
  async (t) => {
    const sent = t.newAccount(NAMELESS[1](t));
    const created = await t.call('createAccount', { body: sent });
    const [first, last] = [created.at('first_name'), created.at('last_name')];
    const form =
      first === sent.email ? 'whole' : first === localPart(sent) ? 'local_part' : 'other';
    const isNamed = namesOf(created).toLowerCase().includes(localPart(sent));
    // The simulator's alternative is an empty name, which is neither null nor absent.
    const setting = { account_named_after_email: last === '' ? form : 'other' };
    t.observe('NS-25', `first_name and last_name ${namesOf(created)}`, isNamed ? setting : {});
  },
);

/** The same digits in national form, which depends on the region. */
function national(region: string): KeptRow {
  const phone = (t: ScenarioContext) => `06 3998 ${digitsOf(t.fresh.phone()).slice(-4)}`;
  return [`a national number of ${region}`, (t) => ({ phone: phone(t), phone_region: region })];
}

const HINTED: KeptRow = [
  'an international number with the hint of another region',
  (t) => ({ phone: t.fresh.phone(), phone_region: 'FR' }),
];

const COUNTRY_CODES: Readonly<Record<string, string>> = { FR: '33', NL: '31' };

export const accPhoneRegion = keeps(
  'ACC-12',
  { title: 'phone_region decides how a national number is normalised' },
  [national('FR'), national('NL'), HINTED],
  (t, answer, { phone, phone_region }) => {
    const isNational = String(phone).startsWith('0');
    const wanted = `${isNational ? COUNTRY_CODES[String(phone_region)] : ''}${digitsOf(phone)}`;
    const seen = digitsOf(answer.at('phone'));
    const words = `${phone} of ${phone_region} as ${wanted}`;
    t.expect('ACC-12', answer).is(words, seen === wanted, seen);
  },
);

const adviseAccepted: Expected = (t, rules, answer) =>
  t.advise(rules, answer).served('accepted, whatever else it lacks');

/** ERR-2: a missing field may also make the body unreadable, refused in plain text. */
const invalid: Expected = (t, rules, answer) => {
  if (answer.headers.mediaType() === 'text/plain') t.expect(rules, answer).status(422);
  else t.expect(rules, answer).refused(...INVALID);
};

export const accBrandRequired = refusals({
  title: 'A firm-wide credential that names no brand_id gets 422 validation_failed',
  needs: ['firm'],
  role: 'firm',
  rows: [['ACC-15', CREATE, 'no brand_id', without('brand_id'), invalid]],
});

const otherBrand = body((t) => ({ brand_id: t.brandId('other_brand') ?? UNKNOWN_ID }));

export const accBrandBound = refusals({
  title: 'A brand-bound credential creates at its own brand, and at another it gets 403 forbidden',
  needs: ['brand'],
  role: 'brand',
  rows: [['ACC-16', CREATE, 'another brand', otherBrand, FORBIDDEN]],
  besides: ['ACC-17'],
  async also(t) {
    const create = (brand_id: string | undefined) => t.create({ brand_id }, { as: 'brand' });
    const silent = await create(undefined);
    const own = t.brandId('brand') ?? String(silent.at('brand_id'));
    for (const answer of [silent, await create(own)]) {
      // ACC-1 judges the status.
      t.expect('ACC-17', answer)
        .served('created')
        .is(`brand_id: ${own}`, answer.at('brand_id') === own || !answer.isServed);
    }
  },
});

export const accNothingElse: Story = {
  title: 'The owner cannot be set by the request, and no trading account comes with the account',
  rules: ['ACC-22'],
  lane: 'own_world',
  async run(t) {
    const owner = t.fresh.text();
    const wishes = { owner, owner_id: owner, assigned_to: owner, sales_agent: owner };
    const owned = await t.create(wishes);
    // Ignored or refused (NS-27): in neither case does the account have this value.
    const isShown = owned.isServed && owned.text.includes(owner);
    t.expect('ACC-22', owned).is(`no owner "${owner}" in the account`, !isShown, owned.text);
    // The id may belong to another customer's trading account.
    if (!t.has('mint')) return;
    const place = await t.given.place();
    await t.given.transaction(place);
    const account = await t.given.account();
    // A new trading account would get this id, or the one after the highest known id.
    const last = BigInt(place.trading_account_id);
    const candidates = [account.id, `${last + 1n}`, `${last + 2n}`, `${last + 3n}`];
    for (const trading_account_id of candidates) {
      const placed = { ...place, account_id: account.id, trading_account_id };
      const refused = await t.record(placed);
      const words = `no trading account ${trading_account_id} of the new account ${account.id}`;
      t.expect('ACC-22', refused).is(words, refused.status >= 400);
    }
  },
};

/** A known reference is answered with its account as it was. */
function expectTheSame(t: ScenarioContext, again: Answer, first: Answer): void {
  if (t.expect('ACC-5', again).status(200).ok) expectUnchanged(t, 'ACC-5', first, again);
}

function expectNamed(t: ScenarioContext, rule: RuleId, answer: Answer, id: string, what: string) {
  const seen = `${answer.summary}, id ${answer.at('id')}`;
  t.expect(rule, answer).is(`the account ${id}: ${what}`, answer.isOf(id), seen);
}

export const accReferenceKnown: Story = {
  title: 'A reference names one account for ever, and answers 200 with it; nothing is changed',
  rules: ['ACC-5', 'ACC-7', 'IDEM-12'],
  observes: ['NS-56'],
  async run(t) {
    const known = await t.given.account({ phone: t.fresh.phone() });
    const other = t.newAccount({
      ...{ client_reference_id: known.reference, phone: t.fresh.phone() },
      ...{ first_name: 'Another', last_name: 'Name', country: 'FR', language: 'fr' },
    });
    const again = await t.call('createAccount', { body: other });
    expectTheSame(t, again, known.answer);
    t.expect('IDEM-12', again).field('id', known.id);
    // Read twice, because the first read may have changed something that it did not show.
    expectTheSame(t, await t.call('createAccount', { body: known.body }), known.answer);
    // The reference is returned as stored, not as requested.
    const upper = { ...known.body, client_reference_id: known.reference.toUpperCase() };
    const upperCase = await t.call('createAccount', { body: upper });
    // ACC-6 judges whether a different case finds it.
    if (upperCase.isOf(known.id)) expectTheSame(t, upperCase, known.answer);
    // The current account, not its original state; no update frees the reference.
    const everything = { ...PROFILE, country: 'NO', status: 'Active' };
    const updated = await t.update(known.id, everything, strongTag(known.answer));
    const now = await t.call('createAccount', { body: known.body });
    // ACC-5 judges whether it was found before, and ACC-7 whether it still is.
    if (again.isOf(known.id) && updated.isServed) {
      expectNamed(t, 'ACC-7', now, known.id, 'after an update');
    }
    if (now.isOf(known.id) && updated.at('country') === 'NO') {
      t.expect('ACC-5', now).field('country', 'NO');
    }
    const odd = await t.call('createAccount', { body: { ...known.body, email: t.fresh.text() } });
    t.observe('NS-56', `a known reference with an email that is none: ${odd.summary}`, {
      known_reference: odd.isServed ? 'first' : 'last',
    });
  },
};

export const accReferenceCase: Story = {
  title: 'References match case-insensitively',
  rules: ['ACC-6'],
  async run(t) {
    const fresh = () => t.fresh.reference();
    for (const [what, stored, sent] of [
      ['a reference in upper case', fresh(), (each: string) => each.toUpperCase()],
      ['one that is stored so', fresh().toUpperCase(), (each: string) => each.toLowerCase()],
      // Letters outside ASCII have upper and lower case too.
      ['one with an umlaut', `${fresh()}-zoë`, (each: string) => each.toUpperCase()],
    ] as const) {
      await t.branch('ACC-6', what, async () => {
        const known = await t.given.account({ client_reference_id: stored });
        const body = { ...known.body, client_reference_id: sent(stored) };
        expectNamed(t, 'ACC-6', await t.call('createAccount', { body }), known.id, what);
      });
    }
    const known = await t.given.account();
    const row = { ...known.body, client_reference_id: known.reference.toUpperCase() };
    const batch = await t.call('bulkCreateAccounts', { rows: [row] });
    if (batch.status === 200) t.expect('ACC-6', batch).field('rows.0.id', known.id);
  },
};

/** Typical lifetimes of records and caches, each exceeded slightly. */
const LATER = [
  ['an hour', HOUR_MS],
  ['a day', DAY_MS],
  ['a quarter', 92 * DAY_MS],
] as const;

export const accInTime: Story = {
  title: 'An account keeps its reference, its email and its tag, however much time passes',
  rules: ['ACC-7', 'ACC-8', 'UPD-1', 'UPD-7'],
  needs: ['clock'],
  async run(t) {
    const account = await t.given.account();
    let tag = strongTag(account.answer);
    for (const [words, ms] of LATER) {
      await t.operator.advance(ms + 5_000);
      await t.given.account();
      const again = await t.call('createAccount', { body: account.body });
      expectNamed(t, 'ACC-7', again, account.id, `after ${words}`);
      t.expect('ACC-8', await t.create({ email: account.email })).refused(...INVALID_STATE);
      // An update under the previous tag applies once, and not a second time.
      const update = (ifMatch: string) =>
        t.update(account.id, { first_name: t.fresh.text() }, ifMatch);
      const updated = await update(tag);
      const applied = `applied under the tag of ${words} before`;
      if (t.expect('UPD-1', updated).served(applied).ok) {
        t.expect('UPD-7', await update(tag)).refused(...STALE);
      }
      tag = strongTag(await t.given.reread(account));
    }
  },
};

/** The value that a create shares with an account that exists; undefined if it cannot be tried. */
function sharing(make: (t: ScenarioContext) => Promise<RequestBody | undefined>): Fault {
  return async (t, valid) => {
    const shared = await make(t);
    return shared && body(shared)(t, valid);
  };
}

const withFreePhone = async (t: ScenarioContext) => {
  return { email: (await t.given.account()).email, phone: t.fresh.phone() };
};

async function emailOfRow(t: ScenarioContext): Promise<RequestBody> {
  const { email, ...row } = t.newAccount();
  await t.control('bulkCreateAccounts', { rows: [{ ...row, email }] });
  return { email };
}

/** `+61 255-501.234`: the same digits for every parser. */
function spell(phone: string): string {
  return `${phone.slice(0, 3)} ${phone.slice(3, 7)}-${phone.slice(7, 10)}.${phone.slice(10)}`;
}

const plain = (phone: string) => ({ phone });
const spelt = (phone: string) => ({ phone: spell(phone) });
const local = (phone: string) => ({ phone: `0${phone.slice(3)}`, phone_region: 'AU' });

/** An account with the first spelling of a phone, if that is normalised as expected; then the next. */
function sharingPhone(first: (phone: string) => RequestBody, next: (phone: string) => RequestBody) {
  return sharing(async (t) => {
    const phone = t.fresh.phone();
    const { answer } = await t.given.account(first(phone));
    // ACC-11 and ACC-12 judge the result.
    const isRead = first === plain || digitsOf(answer.at('phone')) === digitsOf(phone);
    return isRead ? next(phone) : undefined;
  });
}

const storedSpelt = sharingPhone(spelt, plain);
const storedLocal = sharingPhone(local, plain);

export const accRefused = refusals({
  title: 'An invalid member is 422, a missing one unreadable, an email or phone that is taken 409',
  observes: ['NS-20', 'NS-40'],
  rows: [
    ['ACC-2', CREATE, 'an empty reference', reference(''), INVALID],
    ['ACC-2', CREATE, 'one space', reference(' '), INVALID],
    ['ACC-2', CREATE, 'three spaces', reference('   '), INVALID],
    ['ACC-2', CREATE, 'a character too many', referenceOf(LONGEST + 1), INVALID],
    ['ACC-2', CREATE, '1000 characters', referenceOf(1000), INVALID],
    // ASCII only, so that the numbers of characters, code points and bytes are equal (NS-40).
    ['ACC-2', CREATE, '255 characters', referenceOf(LONGEST), accepted('client_reference_id')],
    // References are permanent, so an earlier run may have taken a short one.
    ['ACC-2', CREATE, 'one character', reference('Q'), accepted()],
    ['ACC-3', CREATE, 'no client_reference_id', without('client_reference_id'), 'unreadable'],
    ['ACC-3', CREATE, 'no email', without('email'), 'unreadable'],
    ['ACC-4', CREATE, 'a word', emailWithoutAt, INVALID],
    ['ACC-4', CREATE, 'a host', body((t) => ({ email: `${t.fresh.text()}.example` })), INVALID],
    ['ACC-4', CREATE, 'an empty email', body({ email: '' }), anyRefusal],
    ['ACC-4', CREATE, 'x@host', body((t) => ({ email: `${t.fresh.text()}@host` })), adviseAccepted],
    ['ACC-8', CREATE, 'a taken email', emailInUse, INVALID_STATE],
    ['ACC-8', CREATE, 'a taken email and a free phone', sharing(withFreePhone), INVALID_STATE],
    ['ACC-8', CREATE, 'the email of the row of a batch', sharing(emailOfRow), INVALID_STATE],
    ['ACC-9', CREATE, 'the phone of an account', sharingPhone(plain, plain), INVALID_STATE],
    ['ACC-9', CREATE, 'a phone stored from another spelling', storedSpelt, INVALID_STATE],
    ['ACC-9', CREATE, 'another spelling of a phone', sharingPhone(plain, spelt), INVALID_STATE],
    ['ACC-9', CREATE, 'a phone stored from its national form', storedLocal, INVALID_STATE],
    ['ACC-9', CREATE, 'the national form of a phone', sharingPhone(plain, local), INVALID_STATE],
  ],
  async also(t) {
    const { email } = await t.given.account();
    const upperCase = await t.create({ email: email.toUpperCase() });
    t.observe('NS-20', `an email in upper case: ${upperCase.summary}`, {
      email_case_sensitive: upperCase.status === 201,
    });
    await observeUnit(t);
    await expectOneOf(t, 'ACC-8', { email: t.fresh.email() });
    await expectOneOf(t, 'ACC-9', { phone: t.fresh.phone() });
  },
});

async function expectOneOf(t: ScenarioContext, rule: RuleId, shared: RequestBody): Promise<void> {
  const answers = await t.sendTogether(await t.burstSize(6), () => t.create(shared));
  const created = answers.filter((each) => each.isServed).length;
  const isRest = answers.every((each) => each.isServed || each.status === 409);
  const words = `creates at once with one ${Object.keys(shared)}: one of them 201, the rest 409`;
  const seen = answers.map((each) => each.summary).join('; ');
  t.claim(rule, words, created === 1 && isRest, seen, ...answers);
}

export const accOtherBrand: Story = {
  title: 'The same email and phone at another brand of the firm are no conflict',
  rules: ['ACC-10', 'ACC-11'],
  observes: ['NS-20'],
  needs: ['brand', 'other_brand'],
  async run(t) {
    const phone = t.fresh.phone();
    const here = await t.given.account({ phone }, 'brand');
    const there = (over: RequestBody) => t.create(over, { as: 'other_brand' });
    t.expect('ACC-10', await there({ email: here.email, phone })).status(201, 200);
    // ACC-11: each number has exactly one normalised form, whatever it is (NS-24).
    const second = t.fresh.phone();
    const { answer } = await t.given.account({ phone: second }, 'brand');
    const other = await there({ phone: spell(second) });
    t.expect('ACC-11', other)
      .status(201, 200)
      .field('phone', answer.at('phone') ?? null);
    const body = t.newAccount({ client_reference_id: here.reference }, 'other_brand');
    const as = t.has('firm') ? 'firm' : 'other_brand';
    const found = await t.call('createAccount', { as, body });
    t.observe('NS-20', `the same reference at another brand: ${found.summary}`, {
      account_reference_scope: found.status === 201 ? 'brand' : 'firm',
    });
  },
};

/** ACC-11: none of these is refused. */
const FORMATS: readonly ((t: ScenarioContext) => string)[] = [
  (t) => `ext. ${digitsOf(t.fresh.phone()).slice(-7)}`,
  (t) => `(0) ${digitsOf(t.fresh.phone()).repeat(4)}`,
  (t) => `none yet; ${lettersOf(t.fresh.text())}`,
  (t) => `Tel: ${t.fresh.phone()} (mobile; evenings)`,
  (t) => `${t.fresh.phone()}/#*+`,
];

export const accPhoneAnyFormat: Story = {
  title: 'A phone is never refused for its formatting, and is answered in normalised form',
  rules: ['ACC-11'],
  observes: ['NS-24', 'NS-62'],
  async run(t) {
    const phone = t.fresh.phone();
    const odd = ` +${digitsOf(phone).split('').join(' -.')} `;
    const created = await t.create({ phone: odd });
    const seen = created.at('phone');
    // ACC-1 judges the status.
    const isKept = t
      .expect('ACC-11', created)
      .is('created', created.isServed)
      .is(`not the phone as sent: "${odd}"`, seen !== odd, `phone: "${odd}"`)
      .is(`the digits of ${phone}`, digitsOf(seen) === digitsOf(phone), `phone: ${seen}`).ok;
    const forms = { [`+${digitsOf(phone)}`]: 'e164', [digitsOf(phone)]: 'digits' };
    const setting = { phone_form: forms[String(seen)] ?? 'other' };
    t.observe('NS-24', `${printJson(odd)} reads ${printJson(seen)}`, isKept ? setting : {});
    for (const write of FORMATS) {
      const format = write(t);
      t.expect('ACC-11', await t.create({ phone: format })).served(`"${format}" accepted`);
    }
    // NS-62: some digits as the letters on their keys. Trailing letters could be cut off and leave a
    // shorter number, so these are in the area code.
    const number = t.fresh.phone();
    const area = number.slice(3, 5).replace(/[0-9]/g, (digit) => '01ADGJMPTW'[+digit]!);
    const letters = `${number.slice(0, 3)}${area}${number.slice(5)}`;
    const lettered = await t.create({ phone: letters });
    if (!lettered.isServed) return;
    const read = lettered.at('phone');
    const phone_letters = digitsOf(read) === digitsOf(number) ? 'keypad' : 'left_out';
    t.observe('NS-62', `${printJson(letters)} reads ${printJson(read)}`, { phone_letters });
  },
};
