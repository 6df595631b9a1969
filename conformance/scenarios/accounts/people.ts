// ACC: one person a brand, told by email and by phone, and how a phone is normalised.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { digitsOf, expectReferenceFree, lettersOf } from '../support/account-assertions.ts';
import { requirePrecondition } from '../support/transaction-assertions.ts';

const accEmailTaken: Scenario = {
  id: 'acc-email-taken',
  title: 'An email that exists at the brand under another reference is 409 invalid_state',
  rules: ['ACC-8'],
  observes: ['NS-20'],
  async run(t) {
    const known = await t.given.account();
    // Nothing but the email in common: neither reference nor names nor phone.
    const { email } = known;
    const body = t.newAccount({ email, phone: t.fresh.phone(), first_name: 'Someone' });
    t.expect('ACC-8', await t.api.createAccount(body)).refused(409, 'invalid_state');
    await expectReferenceFree(t, 'ACC-8', { ...body, email: t.fresh.email() });

    // Whoever came in a batch is somebody too.
    const batched = t.newAccount();
    await t.control('a batch of one', () => t.api.bulkCreateAccounts([batched]), 200);
    const met = await t.api.createAccount(t.newAccount({ email: batched.email! }));
    t.expect('ACC-8', met).refused(409, 'invalid_state');

    // All of an email counts, however long it is.
    const long = `${t.fresh.text(48)}.${'long'.repeat(8)}`;
    const first = await t.api.createAccount(t.newAccount({ email: `${long}.a@example.com` }));
    const second = await t.api.createAccount(t.newAccount({ email: `${long}.b@example.com` }));
    if (first.status < 300) {
      t.expect('ACC-8', second).is('no conflict: another email', second.status !== 409);
    }

    await observeCaseOf(t, email);
    const shared = t.fresh.email();
    await expectOneOf(t, 'ACC-8', 'email', () => t.newAccount({ email: shared }));
  },
};

/** NS-20. */
async function observeCaseOf(t: ScenarioContext, email: string): Promise<void> {
  const loud = await t.api.createAccount(t.newAccount({ email: email.toUpperCase() }));
  t.observe('NS-20', `an email in upper case: ${loud.summary}`, {
    email_case_sensitive: loud.status === 201,
  });
}

const accPhoneTaken: Scenario = {
  id: 'acc-phone-taken',
  title: 'A phone that exists at the brand is 409 invalid_state, however it is written',
  rules: ['ACC-9'],
  async run(t) {
    const phone = t.fresh.phone();
    await t.given.account({ phone });
    const body = t.newAccount({ phone });
    t.expect('ACC-9', await t.api.createAccount(body)).refused(409, 'invalid_state');
    await expectReferenceFree(t, 'ACC-9', { ...body, phone: t.fresh.phone() });
    // Stored from a spelling and met by the plain form, and the other way round. That a spelling is
    // taken at all is shown first, because ACC-11 judges it.
    await t.branch('ACC-9', 'another spelling', async () => {
      const second = t.fresh.phone();
      await t.given.account({ phone: spell(second) });
      const plain = await t.api.createAccount(t.newAccount({ phone: second }));
      t.expect('ACC-9', plain).refused(409, 'invalid_state');
      const spelt = await t.api.createAccount(t.newAccount({ phone: spell(phone) }));
      t.expect('ACC-9', spelt).refused(409, 'invalid_state');
    });
    await t.branch('ACC-9', 'as people of its country write it', async () => {
      const fourth = t.fresh.phone();
      const national = (each: string) => ({ phone: `0${each.slice(3)}`, phone_region: 'AU' });
      const stored = await t.given.account(national(fourth));
      // ACC-12 judges what becomes of it.
      if (digitsOf(stored.answer.at('phone')) !== digitsOf(fourth)) return;
      for (const over of [{ phone: fourth }, national(phone)]) {
        const met = await t.api.createAccount(t.newAccount(over));
        t.expect('ACC-9', met).refused(409, 'invalid_state');
      }
    });
    const third = t.fresh.phone();
    await expectOneOf(t, 'ACC-9', 'phone', () => t.newAccount({ phone: third }));
  },
};

/** Of several people at once with the same email or phone one is made; the rest hear of it. */
async function expectOneOf(
  t: ScenarioContext,
  rule: RuleId,
  what: string,
  body: () => ReturnType<ScenarioContext['newAccount']>,
): Promise<void> {
  const answers = await t.sendTogether(await t.burstSize(6), () => t.api.createAccount(body()));
  const created = answers.filter((each) => each.status < 300).length;
  const rest = answers.filter((each) => each.status >= 300);
  t.claim(
    rule,
    `creates at once with one ${what}: one of them 201, the rest 409`,
    created === 1 && rest.every((each) => each.status === 409),
    answers.map((each) => each.summary).join('; '),
    ...answers,
  );
}

/** `+44 7400-123.456`: the same number to anyone who reads its digits. */
function spell(phone: string): string {
  return `${phone.slice(0, 3)} ${phone.slice(3, 7)}-${phone.slice(7, 10)}.${phone.slice(10)}`;
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
    const there = t.newAccount({ email: here.email, phone }, 'other_brand');
    const made = await t.as('other_brand').createAccount(there);
    t.expect('ACC-10', made).status(201, 200);
    // ACC-11: whatever the normalised form is (NS-24), one number has one.
    await t.branch('ACC-11', 'one number in two spellings', async () => {
      const second = t.fresh.phone();
      const plain = await t.given.account({ phone: second }, 'brand');
      const spelt = t.newAccount({ phone: spell(second) }, 'other_brand');
      const other = await t.as('other_brand').createAccount(spelt);
      requirePrecondition(
        other.status !== 409,
        'a phone is taken at every brand, which ACC-10 judges',
      );
      const form = plain.answer.at('phone') ?? null;
      t.expect('ACC-11', other).status(201, 200).field('phone', form);
    });

    const same = { client_reference_id: here.reference };
    const again = t.newAccount(same, 'other_brand');
    const found = await t.as(t.has('firm') ? 'firm' : 'other_brand').createAccount(again);
    t.observe('NS-20', `the same reference at another brand: ${found.summary}`, {
      account_reference_scope: found.status === 201 ? 'brand' : 'firm',
    });
  },
};

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
    t.expect('ACC-11', made)
      .is('created', made.status < 300)
      .is(`not the phone as sent: "${odd}"`, seen !== odd, `phone: "${odd}"`)
      .is(`the digits of ${phone}`, digitsOf(seen) === digitsOf(phone), `phone: ${seen}`);
    const said = `${JSON.stringify(odd)} reads ${JSON.stringify(seen)}`;
    const form = new Map<unknown, string>([
      [`+${digitsOf(phone)}`, 'e164'],
      [digitsOf(phone), 'digits'],
    ]).get(seen);
    const isKept = made.status < 300 && seen !== odd && digitsOf(seen) === digitsOf(phone);
    t.observe('NS-24', said, isKept ? { phone_form: form ?? 'other' } : {});
    const digits = digitsOf(t.fresh.phone());
    const formats = [
      `ext. ${digits.slice(-7)}`,
      `(0) ${digits}${digits}${digits}${digits}`,
      `none yet; ${lettersOf(t.fresh.text())}`,
      `Tel: ${t.fresh.phone()} (mobile; evenings)`,
      `${t.fresh.phone()}/#*+`,
    ];
    for (const format of formats) {
      const taken = await t.api.createAccount(t.newAccount({ phone: format }));
      const refused = `"${format}": ${taken.summary}`;
      const accepted = t
        .expect('ACC-11', taken)
        .is(`"${format}" accepted`, taken.status < 300, refused);
      if (!accepted.ok || digitsOf(format) === '') continue;
      const kept = digitsOf(taken.at('phone')) !== '';
      t.advise('ACC-11', taken).is(`"${format}" kept in some form`, kept);
    }
    await observeLetters(t);
  },
};

/** NS-62: a number some of whose digits are given as the letters on their keys. */
async function observeLetters(t: ScenarioContext): Promise<void> {
  const number = t.fresh.phone();
  const onKeys = '01ADGJMPTW';
  // Letters at the end could be cut off and leave a shorter number, so the area code is spelt.
  const area = number.slice(3, 5).replace(/[0-9]/g, (digit) => onKeys[+digit]!);
  const spelt = `${number.slice(0, 3)}${area}${number.slice(5)}`;
  const made = await t.api.createAccount(t.newAccount({ phone: spelt }));
  if (made.status >= 300) return;
  const seen = made.at('phone');
  const isDialled = digitsOf(seen) === digitsOf(number);
  t.observe('NS-62', `${JSON.stringify(spelt)} reads ${JSON.stringify(seen)}`, {
    phone_letters: isDialled ? 'keypad' : 'left_out',
  });
}

const accPhoneRegion: Scenario = {
  id: 'acc-phone-region',
  title: 'phone_region decides how a national number is normalised',
  rules: ['ACC-12'],
  // Where phones are compared or answered as they were typed, both would be the same person.
  presumes: { 'ACC-12': ['ACC-9', 'ACC-11'] },
  async run(t) {
    await t.given.account();
    // 06 39 98 is reserved for fiction in France, not in the Netherlands, which are tried only in a
    // world that is thrown away.
    const rest = `3998${digitsOf(t.fresh.phone()).slice(-4)}`;
    const national = `06 ${rest.slice(0, 4)} ${rest.slice(4)}`;
    const answers: [region: string, code: string, answer: Answer][] = [];
    const regions = [
      ['FR', '33'],
      ['NL', '31'],
    ] as const;
    for (const [region, code] of t.has('mint') ? regions : regions.slice(0, 1)) {
      const body = t.newAccount({ phone: national, phone_region: region });
      answers.push([region, code, await t.api.createAccount(body)]);
    }
    for (const [region, code, answer] of answers) {
      const wanted = `${code}6${rest}`;
      const refused = answer.status >= 400 && answer.status !== 409;
      requirePrecondition(!refused, `a phone as "${national}" is refused, which ACC-11 judges`);
      requirePrecondition(
        answer.at('phone') !== national,
        'phones are not normalised, which ACC-11 judges',
      );
      const seen = JSON.stringify(answer.at('phone') ?? null);
      t.expect('ACC-12', answer)
        .is(`taken: "${national}" of ${region} is nobody else's`, answer.status < 300)
        .is(`${national} of ${region} as ${wanted}`, digitsOf(answer.at('phone')) === wanted, seen);
    }
    await t.branch('ACC-12', 'as the row of a batch', async () => {
      const own = `06 39 98 ${digitsOf(t.fresh.phone()).slice(-4)}`;
      const row = t.newAccount({ phone: own, phone_region: 'FR' });
      await t.control('a batch of one', () => t.api.bulkCreateAccounts([row]), 200);
      const created = await t.control('its account', () => t.api.createAccount(row));
      const found = created.presuming('ACC-5', 'BULK-3');
      const shown = JSON.stringify(created.at('phone') ?? null);
      const wanted = `336${digitsOf(own).slice(1)}`;
      const read = digitsOf(created.at('phone')) === wanted;
      t.expect('ACC-12', found).is(`${own} of FR as ${wanted}`, read, shown);
    });
    // A number that says its country itself needs no hint, so another one does not change it.
    const phone = t.fresh.phone();
    const hinted = await t.api.createAccount(t.newAccount({ phone, phone_region: 'FR' }));
    const kept = digitsOf(hinted.at('phone')) === digitsOf(phone);
    const seen = JSON.stringify(hinted.at('phone') ?? null);
    t.expect('ACC-12', hinted).status(201, 200).is(`${phone}, whatever the hint`, kept, seen);
  },
};

export const accountPeopleScenarios: readonly Scenario[] = [
  accEmailTaken,
  accPhoneTaken,
  accOtherBrand,
  accPhoneAnyFormat,
  accPhoneRegion,
];
