// ACC-8 to ACC-11: there is one person of an email and of a phone at a brand, and how a phone is
// normalised.

import { type Fault, type RefusalRow, refusals, body as withBody } from '../../cases/refusals.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { INVALID_STATE } from '../../spec/errors.ts';
import { digitsOf, lettersOf } from '../support/account-assertions.ts';

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

const EMAILS: readonly TakenRow[] = [
  ['the email of an account', async (t) => ({ email: (await t.given.account()).email })],
  [
    'the email of an account, and a phone that is free',
    async (t) => ({ email: (await t.given.account()).email, phone: t.fresh.phone() }),
  ],
  [
    'the email of the row of a batch',
    async (t) => {
      const row = t.newAccount();
      await t.control('a batch of one', () => t.api.bulkCreateAccounts([row]), 200);
      return { email: row.email! };
    },
  ],
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

const plain = (phone: string) => ({ phone });
const spelt = (phone: string) => ({ phone: spell(phone) });

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
  const rest = answers.filter((each) => each.status >= 300);
  t.claim(
    rule,
    `creates at once with one ${Object.keys(shared)}: one of them 201, the rest 409`,
    created === 1 && rest.every((each) => each.status === 409),
    answers.map((each) => each.summary).join('; '),
    ...answers,
  );
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
    const made = await there({ email: here.email, phone });
    t.expect('ACC-10', made).status(201, 200);
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
    const form = forms[String(seen)] ?? 'other';
    const words = `${printJson(odd)} reads ${printJson(seen)}`;
    t.observe('NS-24', words, isKept ? { phone_form: form } : {});
    for (const write of FORMATS) {
      const format = write(t);
      const answer = await t.api.createAccount(t.newAccount({ phone: format }));
      const expected = t.expect('ACC-11', answer);
      const isTaken = expected.is(`"${format}" accepted`, answer.status < 300).ok;
      if (!isTaken || digitsOf(format) === '') continue;
      const isThere = digitsOf(answer.at('phone')) !== '';
      t.advise('ACC-11', answer).is(`"${format}" kept in some form`, isThere);
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
  accEmailTaken,
  accPhoneTaken,
  accOtherBrand,
  accPhoneAnyFormat,
];
