// ACC: creating an account: what it looks like, what it keeps as sent, and what a create is refused for.
import { observeUnit } from '../../cases/questions.ts';
import {
  accepted,
  anyRefusal,
  body,
  type Expected,
  refusals,
  without,
} from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import { integer, text, textOrNull } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { FORBIDDEN, INVALID } from '../../spec/errors.ts';
import { LONGEST, PROFILE_MEMBERS } from '../../spec/literals.ts';
import { digitsOf, lettersOf, strongTag } from '../support/account-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const CREATE = 'createAccount';

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
    const sent = t.newAccount();
    const made = await t.api.createAccount(sent);
    t.must('ACC-1', made).status(201);
    for (const name of ['client_reference_id', 'first_name', 'last_name', 'brand_id']) {
      if (sent[name] !== undefined) t.expect('ACC-1', made).field(name, sent[name]);
    }
    t.expect('ACC-20', made).field('status', 'New');
    for (const over of ODD) {
      t.expect('ACC-1', await t.api.createAccount(t.newAccount(over(t)))).status(201, 200);
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
    // ACC-1, ACC-18: the required fields alone make an account; how others read is open (NS-44).
    const few = t.newAccount({ country: undefined, language: undefined, last_name: undefined });
    const sparse = await t.api.createAccount(few);
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
  const shown = members.filter(([name, value]) => /e.?mail/i.test(name) || isEmail(value));
  const names = shown.map(([name]) => name).join(', ');
  t.expect('ACC-18', answer)
    .fields(form)
    .is('an account without its email', names === '', names);
  // A field that the list does not have is more than was promised, and no deviation.
  const others = members.map(([name]) => name).filter((name) => !Object.hasOwn(FULL, name));
  t.advise('ACC-18', answer).is('no other members', others.length === 0, others.join(', '));
  const tag = `"${answer.at('revision')}"`;
  t.expect('ACC-19', answer).header('ETag', tag, (value) => value === tag);
}

/**
 * What an account keeps of a create: the answer shows it, and so does the account that the row of a
 * batch has made.
 */
type KeptRow = readonly [what: string, over: (t: ScenarioContext) => RequestBody];
type Kept = (t: ScenarioContext, answer: Answer, body: RequestBody) => void;

function keeps(
  rule: RuleId,
  about: Pick<Scenario, 'id' | 'title' | 'observes'>,
  rows: (t: ScenarioContext) => readonly KeptRow[],
  expected: Kept,
  also?: Scenario['run'],
): Scenario {
  return {
    ...about,
    rules: [rule],
    async run(t) {
      await t.given.account();
      for (const [what, over] of rows(t)) {
        const sent = t.newAccount(over(t));
        const answer = await t.api.createAccount(sent);
        // ACC-1 judges which status says so.
        if (t.expect(rule, answer).is(`${what}: taken`, answer.status < 300).ok) {
          expected(t, answer, sent);
          expected(t, await t.api.createAccount(sent), sent);
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

const accStoredAsSent = keeps(
  'ACC-14',
  { id: 'acc-stored-as-sent', title: 'country and language are stored as sent' },
  () => [
    ['letters in any case', () => ({ country: 'uNited kingdoM', language: 'en_gb-Xx' })],
    ['symbols', () => ({ country: ' Österreich 🇦🇹 ', language: 'not a language: 42' })],
    ['80 characters', () => ({ country: 'AQ'.repeat(40), language: 'x-'.repeat(40) })],
  ],
  (t, answer, { country, language }) =>
    t.expect('ACC-14', answer).fields({ country: country!, language: language! }),
);

const localPart = ({ email }: RequestBody) => String(email).split('@')[0]!;

/** Letters only, so that no way of making a name of it takes it apart. */
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

const accNamedAfterEmail = keeps(
  'ACC-13',
  {
    id: 'acc-named-after-email',
    title: 'With both names omitted the account is named after the email',
    observes: ['NS-25'],
  },
  () => [NAMELESS],
  (t, answer, sent) => {
    const truth = namesOf(answer).toLowerCase().includes(localPart(sent));
    t.expect('ACC-13', answer).is(`a name made of ${sent.email}`, truth, namesOf(answer));
  },
  async (t) => {
    await observeName(t, t.newAccount(NAMELESS[1](t)));
    // One name is a name; whether names are answered as they were given is ACC-1's to judge.
    for (const left of ['first_name', 'last_name']) {
      const { answer, email } = await t.given.account({ [left]: undefined });
      const other = String(answer.at(left) ?? '').toLowerCase();
      const isMade = other !== '' && (other.includes('@') || other.includes(localPart({ email })));
      t.expect('ACC-13', answer).is(`${left} not made of the email`, !isMade, other);
    }
  },
);

async function observeName(t: ScenarioContext, sent: RequestBody): Promise<void> {
  const made = await t.api.createAccount(sent);
  const [first, last] = [made.at('first_name'), made.at('last_name')];
  const form = first === sent.email ? 'whole' : first === localPart(sent) ? 'local_part' : 'other';
  const isNamed = namesOf(made).toLowerCase().includes(localPart(sent));
  // The simulator's other name is an empty one, which is neither null nor left out.
  const setting = { account_named_after_email: last === '' ? form : 'other' };
  t.observe('NS-25', `first_name and last_name ${namesOf(made)}`, isNamed ? setting : {});
}

/** The same digits in national form, which the region reads. */
function national(region: string): KeptRow {
  const phone = (t: ScenarioContext) => `06 3998 ${digitsOf(t.fresh.phone()).slice(-4)}`;
  return [`a national number of ${region}`, (t) => ({ phone: phone(t), phone_region: region })];
}

const HINTED: KeptRow = [
  'an international number with the hint of another region',
  (t) => ({ phone: t.fresh.phone(), phone_region: 'FR' }),
];

const COUNTRY_CODES: Readonly<Record<string, string>> = { FR: '33', NL: '31' };

const accPhoneRegion = keeps(
  'ACC-12',
  {
    id: 'acc-phone-region',
    title: 'phone_region decides how a national number is normalised',
  },
  // 06 39 98 is reserved for fiction in France, not in the Netherlands, which are tried only in a
  // world that is thrown away.
  (t) => [national('FR'), ...(t.has('mint') ? [national('NL')] : []), HINTED],
  (t, answer, { phone, phone_region }) => {
    const isNational = String(phone).startsWith('0');
    const wanted = `${isNational ? COUNTRY_CODES[String(phone_region)] : ''}${digitsOf(phone)}`;
    const seen = digitsOf(answer.at('phone'));
    const words = `${phone} of ${phone_region} as ${wanted}`;
    t.expect('ACC-12', answer).is(words, seen === wanted, seen);
  },
);

const reference = (client_reference_id: string) => body({ client_reference_id });
const referenceOf = (length: number) =>
  body((t) => ({ client_reference_id: t.fresh.text(length) }));

const accReferenceLength = refusals({
  id: 'acc-reference-length',
  title: 'A reference has 1 to 255 characters; blank or longer is 422 validation_failed',
  observes: ['NS-40'],
  rows: [
    ['ACC-2', CREATE, 'an empty reference', reference(''), INVALID],
    ['ACC-2', CREATE, 'one space', reference(' '), INVALID],
    ['ACC-2', CREATE, 'three spaces', reference('   '), INVALID],
    ['ACC-2', CREATE, 'a character too many', referenceOf(LONGEST + 1), INVALID],
    ['ACC-2', CREATE, '1000 characters', referenceOf(1000), INVALID],
    // ASCII only, so that characters, code points and bytes are as many (NS-40).
    ['ACC-2', CREATE, '255 characters', referenceOf(LONGEST), accepted('client_reference_id')],
    // References are permanent, so that a short one may be taken by an earlier run.
    ['ACC-2', CREATE, 'one character', reference('Q'), accepted()],
  ],
  also: observeUnit,
});

const accUnreadable = refusals({
  id: 'acc-unreadable',
  title: 'A missing client_reference_id or email makes the body unreadable',
  rows: [
    ['ACC-3', CREATE, 'no client_reference_id', without('client_reference_id'), 'unreadable'],
    ['ACC-3', CREATE, 'no email', without('email'), 'unreadable'],
  ],
});

const adviseAccepted: Expected = (t, rules, answer) =>
  t.advise(rules, answer).is('accepted, whatever else it lacks', answer.status < 300);

const accEmailWithoutAt = refusals({
  id: 'acc-email-without-at',
  title: 'An email without @ is 422 validation_failed',
  rows: [
    ['ACC-4', CREATE, 'a word', body((t) => ({ email: t.fresh.text() })), INVALID],
    ['ACC-4', CREATE, 'a host', body((t) => ({ email: `${t.fresh.text()}.example` })), INVALID],
    ['ACC-4', CREATE, 'an empty email', body({ email: '' }), anyRefusal],
    ['ACC-4', CREATE, 'x@host', body((t) => ({ email: `${t.fresh.text()}@host` })), adviseAccepted],
  ],
});

/** ERR-2: as a missing field it may also make the body unreadable, which plain text says. */
const invalid: Expected = (t, rules, answer) => {
  if (answer.headers.mediaType() === 'text/plain') t.expect(rules, answer).status(422);
  else t.expect(rules, answer).refused(...INVALID);
};

const accBrandRequired = refusals({
  id: 'acc-brand-required',
  title: 'A firm-wide credential that names no brand_id gets 422 validation_failed',
  needs: ['firm'],
  role: 'firm',
  rows: [['ACC-15', CREATE, 'no brand_id', without('brand_id'), invalid]],
});

const otherBrand = body((t) => ({ brand_id: t.brandId('other_brand') ?? UNKNOWN_ID }));

const accBrandBound = refusals({
  id: 'acc-brand-bound',
  title: 'A brand-bound credential creates at its own brand, and at another it gets 403 forbidden',
  needs: ['brand'],
  role: 'brand',
  rows: [['ACC-16', CREATE, 'another brand', otherBrand, FORBIDDEN]],
  besides: ['ACC-17'],
  async also(t) {
    const create = (brand_id: string | undefined) =>
      t.as('brand').createAccount(t.newAccount({ brand_id }, 'brand'));
    const silent = await create(undefined);
    const own = t.brandId('brand') ?? String(silent.at('brand_id'));
    for (const answer of [silent, await create(own)]) {
      // ACC-1 judges which status says so.
      t.expect('ACC-17', answer)
        .is('created', answer.status < 300)
        .is(`brand_id: ${own}`, answer.at('brand_id') === own || answer.status >= 300);
    }
    // Nor is anything left at the brand that was named.
    if (!t.has('other_brand') || !t.findings.controlled) return;
    const theirs = t.newAccount({}, 'other_brand');
    t.expect('ACC-16', await t.as('brand').createAccount(theirs)).refused(...FORBIDDEN);
    const first_name = t.fresh.text();
    const made = await t.as('other_brand').createAccount({ ...theirs, first_name });
    const isNew = made.status === 201 || made.at('first_name') === first_name;
    t.expect('ACC-16', made).is('a new account: nothing was left behind', isNew);
  },
});

const accScope = refusals({
  id: 'acc-scope',
  title: 'Without accounts:write a create is 403 forbidden and makes nothing',
  needs: ['no_scopes'],
  rows: scopeRows('ACC-21', CREATE),
  async also(t) {
    // Nor does it converge: what there is, is not shown either.
    const { body: known } = await t.given.account();
    t.expect('ACC-21', await t.as('no_scopes').createAccount(known)).refused(...FORBIDDEN);
  },
});

const accNothingElse: Scenario = {
  id: 'acc-nothing-else',
  title: 'The owner cannot be set by the request, and no trading account comes with the account',
  rules: ['ACC-22'],
  lane: 'own_world',
  async run(t) {
    const owner = t.fresh.text();
    const wishes = { owner, owner_id: owner, assigned_to: owner, sales_agent: owner };
    const owned = await t.api.createAccount(t.newAccount(wishes));
    // Ignored or refused (NS-27): in neither case does the answer show it as the account's.
    const shown = owned.status < 300 && owned.text.includes(owner);
    t.expect('ACC-22', owned).is(`no owner "${owner}" in the account`, !shown, owned.text);
    // The trading account of another customer may have the id that is tried.
    if (!t.has('mint')) return;
    const place = await t.given.place();
    await t.given.transaction(place);
    const account = await t.given.account();
    // What would have come with it has its own id, or one given out after the last that is known.
    const last = BigInt(place.trading_account_id);
    const candidates = [account.id, `${last + 1n}`, `${last + 2n}`, `${last + 3n}`];
    for (const trading_account_id of candidates) {
      const placed = { ...place, account_id: account.id, trading_account_id };
      const refused = await t.api.createTransaction(t.newTransaction(placed));
      const words = `no trading account ${trading_account_id} of the new account ${account.id}`;
      t.expect('ACC-22', refused).is(words, refused.status >= 400);
    }
  },
};

export const accountScenarios: readonly Scenario[] = [
  accCreated,
  accShape,
  accStoredAsSent,
  accNamedAfterEmail,
  accPhoneRegion,
  accReferenceLength,
  accUnreadable,
  accEmailWithoutAt,
  accBrandRequired,
  accBrandBound,
  accScope,
  accNothingElse,
];
