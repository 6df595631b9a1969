// ACC-5 to ACC-11: a reference names one account for ever, and there is one person of an email and of a
// phone at a brand. ACC, UPD: time alone changes none.
import { type Fault, type RefusalRow, refusals, body as withBody } from '../../cases/refusals.ts';
import { not } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { INVALID_STATE, STALE } from '../../spec/errors.ts';
import { DAY_MS, HOUR_MS } from '../../spec/literals.ts';
import {
  ACCOUNT_MEMBERS,
  digitsOf,
  lettersOf,
  strongTag,
  tagAfter,
} from '../support/account-assertions.ts';

/** ACC-5: each member that both answers show is the same; which there are is ACC-18's to judge. */
function expectTheSame(t: ScenarioContext, again: Answer, first: Answer): void {
  const expected = t.expect('ACC-5', again).status(200);
  for (const name of ACCOUNT_MEMBERS) {
    const value = first.at(name);
    if (value !== undefined && again.at(name) !== undefined) expected.field(name, value);
  }
}

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
    // The account as it is now, and not as it once was.
    const options = { ifMatch: strongTag(known.answer) };
    const updated = await t.api.updateAccount(known.id, { country: 'NO' }, options);
    if (updated.at('country') === 'NO') {
      t.expect('ACC-5', await t.api.createAccount(known.body)).field('country', 'NO');
    }
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
        const body = { ...known.body, client_reference_id: sent(stored) };
        expectNamed(t, 'ACC-6', await t.api.createAccount(body), known.id, what);
      });
    }
    const known = await t.given.account();
    const row = { ...known.body, client_reference_id: known.reference.toUpperCase() };
    const batch = await t.api.bulkCreateAccounts([row]);
    if (batch.status === 200) t.expect('ACC-6', batch).field('rows.0.id', known.id);
  },
};

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

/** How an account is made first, and what the next create shares with it. */
type TakenRow = readonly [
  what: string,
  make: (t: ScenarioContext) => Promise<RequestBody | undefined>,
];

/** A create that shares this with an account that exists is 409; undefined: it cannot be tried. */
function taken(rule: RuleId, [what, make]: TakenRow): RefusalRow {
  const sharing: Fault = async (t, valid) => {
    const shared = await make(t);
    return shared && withBody(shared)(t, valid);
  };
  return [rule, 'createAccount', what, sharing, INVALID_STATE];
}

const emailOfAccount = async (t: ScenarioContext) => ({ email: (await t.given.account()).email });

async function emailOfRow(t: ScenarioContext): Promise<RequestBody> {
  const { email, ...row } = t.newAccount();
  await t.control('a batch of one', () => t.api.bulkCreateAccounts([{ ...row, email }]), 200);
  return { email };
}

const EMAILS: readonly TakenRow[] = [
  ['the email of an account', emailOfAccount],
  [
    'the email of an account, and a phone that is free',
    async (t) => ({ ...(await emailOfAccount(t)), phone: t.fresh.phone() }),
  ],
  ['the email of the row of a batch', emailOfRow],
];

const accEmailTaken = refusals({
  id: 'acc-email-taken',
  title: 'An email that exists at the brand under another reference is 409 invalid_state',
  observes: ['NS-20'],
  rows: EMAILS.map((row) => taken('ACC-8', row)),
  async also(t) {
    // All of an email counts, however long it is.
    const long = `${t.fresh.text(48)}.${'long'.repeat(8)}`;
    const first = await t.api.createAccount(t.newAccount({ email: `${long}.a@example.com` }));
    const second = await t.api.createAccount(t.newAccount({ email: `${long}.b@example.com` }));
    if (first.status < 300) {
      t.expect('ACC-8', second).is('no conflict: another email', second.status !== 409);
    }
    const { email } = await t.given.account();
    const loud = await t.api.createAccount(t.newAccount({ email: email.toUpperCase() }));
    t.observe('NS-20', `an email in upper case: ${loud.summary}`, {
      email_case_sensitive: loud.status === 201,
    });
    await expectOneOf(t, 'ACC-8', { email: t.fresh.email() });
  },
});

/** `+61 255-501.234`: the same number to anyone who reads its digits. */
function spell(phone: string): string {
  return `${phone.slice(0, 3)} ${phone.slice(3, 7)}-${phone.slice(7, 10)}.${phone.slice(10)}`;
}

const plain = (phone: string) => ({ phone });
const spelt = (phone: string) => ({ phone: spell(phone) });
const local = (phone: string) => ({ phone: `0${phone.slice(3)}`, phone_region: 'AU' });

/** An account of the first spelling, and the second; if the first one is read as it is meant. */
function stored(
  first: (phone: string) => RequestBody,
  next: (phone: string) => RequestBody,
): TakenRow[1] {
  return async (t) => {
    const phone = t.fresh.phone();
    const { answer } = await t.given.account(first(phone));
    // ACC-11 and ACC-12 judge what becomes of it.
    const isRead = first === plain || digitsOf(answer.at('phone')) === digitsOf(phone);
    return isRead ? next(phone) : undefined;
  };
}

const PHONES: readonly TakenRow[] = [
  ['the phone of an account', stored(plain, plain)],
  ['a phone that is stored from another spelling', stored(spelt, plain)],
  ['another spelling of a phone', stored(plain, spelt)],
  ['a phone that is stored from its national form', stored(local, plain)],
  ['the national form of a phone', stored(plain, local)],
];

const accPhoneTaken = refusals({
  id: 'acc-phone-taken',
  title: 'A phone that exists at the brand is 409 invalid_state, however it is written',
  rows: PHONES.map((row) => taken('ACC-9', row)),
  also: (t) => expectOneOf(t, 'ACC-9', { phone: t.fresh.phone() }),
});

/** Of several creates at once with the same email or phone one is served. */
async function expectOneOf(t: ScenarioContext, rule: RuleId, shared: RequestBody): Promise<void> {
  const answers = await t.sendTogether(await t.burstSize(6), () =>
    t.api.createAccount(t.newAccount(shared)),
  );
  const created = answers.filter((each) => each.status < 300).length;
  const isRest = answers.every((each) => each.status < 300 || each.status === 409);
  const words = `creates at once with one ${Object.keys(shared)}: one of them 201, the rest 409`;
  const seen = answers.map((each) => each.summary).join('; ');
  t.claim(rule, words, created === 1 && isRest, seen, ...answers);
}

const accOtherBrand: Scenario = {
  id: 'acc-other-brand',
  title: 'The same email and phone at another brand of the firm are no conflict',
  rules: ['ACC-10', 'ACC-11'],
  observes: ['NS-20'],
  needs: ['brand', 'other_brand'],
  async run(t) {
    const phone = t.fresh.phone();
    const here = await t.given.account({ phone }, 'brand');
    const there = (over: RequestBody) =>
      t.as('other_brand').createAccount(t.newAccount(over, 'other_brand'));
    t.expect('ACC-10', await there({ email: here.email, phone })).status(201, 200);
    // ACC-11: whatever the normalised form is (NS-24), one number has one.
    const second = t.fresh.phone();
    const { answer } = await t.given.account({ phone: second }, 'brand');
    const other = await there({ phone: spell(second) });
    const form = answer.at('phone') ?? null;
    t.expect('ACC-11', other).status(201, 200).field('phone', form);
    const again = t.newAccount({ client_reference_id: here.reference }, 'other_brand');
    const found = await t.as(t.has('firm') ? 'firm' : 'other_brand').createAccount(again);
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

const accPhoneAnyFormat: Scenario = {
  id: 'acc-phone-any-format',
  title: 'A phone is never refused for its formatting, and is answered in normalised form',
  rules: ['ACC-11'],
  observes: ['NS-24', 'NS-62'],
  async run(t) {
    const phone = t.fresh.phone();
    const odd = ` +${digitsOf(phone).split('').join(' -.')} `;
    const made = await t.api.createAccount(t.newAccount({ phone: odd }));
    const seen = made.at('phone');
    // ACC-1 judges which status says so.
    const isKept = t
      .expect('ACC-11', made)
      .is('created', made.status < 300)
      .is(`not the phone as sent: "${odd}"`, seen !== odd, `phone: "${odd}"`)
      .is(`the digits of ${phone}`, digitsOf(seen) === digitsOf(phone), `phone: ${seen}`).ok;
    const forms = { [`+${digitsOf(phone)}`]: 'e164', [digitsOf(phone)]: 'digits' };
    const setting = { phone_form: forms[String(seen)] ?? 'other' };
    t.observe('NS-24', `${printJson(odd)} reads ${printJson(seen)}`, isKept ? setting : {});
    for (const write of FORMATS) {
      const format = write(t);
      const answer = await t.api.createAccount(t.newAccount({ phone: format }));
      t.expect('ACC-11', answer).is(`"${format}" accepted`, answer.status < 300);
    }
    await observeLetters(t);
  },
};

/** NS-62: a number some of whose digits are given as the letters on their keys. */
async function observeLetters(t: ScenarioContext): Promise<void> {
  const number = t.fresh.phone();
  // Letters at the end could be cut off and leave a shorter number, so the area code is spelt.
  const area = number.slice(3, 5).replace(/[0-9]/g, (digit) => '01ADGJMPTW'[+digit]!);
  const letters = `${number.slice(0, 3)}${area}${number.slice(5)}`;
  const made = await t.api.createAccount(t.newAccount({ phone: letters }));
  if (made.status >= 300) return;
  const seen = made.at('phone');
  const isDialled = digitsOf(seen) === digitsOf(number);
  t.observe('NS-62', `${printJson(letters)} reads ${printJson(seen)}`, {
    phone_letters: isDialled ? 'keypad' : 'left_out',
  });
}

export const accountPeopleScenarios: readonly Scenario[] = [
  accReferenceKnown,
  accReferenceCase,
  accReferencePermanent,
  accInTime,
  accEmailTaken,
  accPhoneTaken,
  accOtherBrand,
  accPhoneAnyFormat,
];
