// ACC: what a create is refused for, and that a refused one makes nothing.

import { not } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { ALL_BUT_ACCOUNTS, expectReferenceFree } from '../support/account-assertions.ts';
import { expectUnreadable, sendBrokenJson } from '../support/unreadable-bodies.ts';

const accReferenceLength: Scenario = {
  id: 'acc-reference-length',
  title: 'A reference has 1 to 255 characters; blank or longer is 422 validation_failed',
  rules: ['ACC-2'],
  observes: ['NS-40'],
  async run(t) {
    await t.given.account();
    const under = (reference: string) =>
      t.api.createAccount(t.newAccount({ client_reference_id: reference }));
    // ASCII only, so that characters, code points and bytes are as many (NS-40).
    const whole = t.fresh.text(255);
    const long = await under(whole);
    t.expect('ACC-2', long).status(201, 200).field('client_reference_id', whole);
    for (const blank of ['', ' ', '   ']) {
      t.expect('ACC-2', await under(blank)).refused(422, 'validation_failed');
    }
    for (const length of [256, 1000]) {
      const tooLong = await under(t.fresh.text(length));
      t.expect('ACC-2', tooLong).refused(422, 'validation_failed');
    }
    // All 255 count: one that differs in the last names somebody else.
    const beside = await under(`${whole.slice(0, -1)}y`);
    t.expect('ACC-2', beside)
      .status(201, 200)
      .field('id', not(long.at('id') as string));
    // References are for good, so that a short one may be taken by an earlier run.
    const short = await under('Q');
    const taken = short.status < 300;
    t.expect('ACC-2', short).is('a reference of one character accepted', taken);

    await observeUnit(t);
  },
};

/** NS-40. */
export async function observeUnit(t: ScenarioContext): Promise<void> {
  const under = (reference: string) =>
    t.api.createAccount(t.newAccount({ client_reference_id: reference }));
  const wide = `${t.fresh.text()}${'𝒳'.repeat(255)}`;
  const inCodePoints = await under([...wide].slice(0, 255).join(''));
  const accented = `${t.fresh.text()}${'é'.repeat(255)}`.slice(0, 255);
  const inUnits = inCodePoints.status < 300 || (await under(accented)).status < 300;
  const unit = inCodePoints.status < 300 ? 'code_points' : inUnits ? 'utf16' : 'bytes';
  t.observe('NS-40', `255 is counted in ${unit}`, { length_unit: unit });
}

const accUnreadable: Scenario = {
  id: 'acc-unreadable',
  title: 'A missing client_reference_id or email makes the body unreadable',
  rules: ['ACC-3'],
  async run(t) {
    await t.given.account();
    const broken = await sendBrokenJson(t);
    for (const name of ['client_reference_id', 'email'] as const) {
      const body = t.newAccount();
      const refused = await t.api.createAccount({ ...body, [name]: undefined });
      expectUnreadable(t, 'ACC-3', refused, broken);
      await expectReferenceFree(t, 'ACC-3', body);
    }
  },
};

const accEmailWithoutAt: Scenario = {
  id: 'acc-email-without-at',
  title: 'An email without @ is 422 validation_failed',
  rules: ['ACC-4'],
  async run(t) {
    await t.given.account();
    for (const email of [t.fresh.text(), `${t.fresh.text()}.example.com`]) {
      const body = t.newAccount({ email });
      t.expect('ACC-4', await t.api.createAccount(body)).refused(422, 'validation_failed');
      await expectReferenceFree(t, 'ACC-4', { ...body, email: t.fresh.email() });
    }
    const short = await t.api.createAccount(t.newAccount({ email: `${t.fresh.text()}@host` }));
    t.advise('ACC-4', short).is(
      'an email with an @ accepted, whatever else it lacks',
      short.status < 300,
    );
    const empty = await t.api.createAccount(t.newAccount({ email: '' }));
    const refused = empty.status >= 400 && empty.status < 500;
    t.expect('ACC-4', empty).is('an empty email refused with a 4xx', refused);
  },
};

const accBrandRequired: Scenario = {
  id: 'acc-brand-required',
  title: 'A firm-wide credential that names no brand_id gets 422 validation_failed',
  rules: ['ACC-15'],
  needs: ['firm'],
  async run(t) {
    await t.given.account({}, 'firm');
    const body = t.newAccount({}, 'firm');
    const refused = await t.as('firm').createAccount({ ...body, brand_id: undefined });
    const expected = t.expect('ACC-15', refused).status(422);
    // ERR-2: as a missing field it may also make the body unreadable, which plain text says.
    const isUnreadable = refused.headers.mediaType() === 'text/plain';
    if (!isUnreadable) expected.refused(422, 'validation_failed');
    await expectReferenceFree(t, 'ACC-15', body, 'firm');
  },
};

const accBrandBound: Scenario = {
  id: 'acc-brand-bound',
  title: 'A brand-bound credential creates at its own brand, and at another it gets 403 forbidden',
  rules: ['ACC-16', 'ACC-17'],
  needs: ['brand'],
  async run(t) {
    const brand = t.as('brand');
    const expectOwn = (answer: Answer, own: string) => {
      const seen = String(answer.at('brand_id'));
      // ACC-1 judges which status says so.
      t.expect('ACC-17', answer)
        .is('created', answer.status < 300)
        .is(`brand_id: ${own}`, seen === own, `brand_id: ${seen}`);
    };
    const silent = await brand.createAccount(t.newAccount({ brand_id: undefined }, 'brand'));
    const own = t.brandId('brand') ?? String(silent.at('brand_id'));
    expectOwn(silent, own);
    expectOwn(await brand.createAccount(t.newAccount({ brand_id: own }, 'brand')), own);
    await t.given.account({}, 'brand');
    const other = t.brandId('other_brand') ?? '999999999';
    const refuse = async () => {
      const body = t.newAccount({}, 'brand');
      const refused = await brand.createAccount({ ...body, brand_id: other });
      t.expect('ACC-16', refused).refused(403, 'forbidden');
      return body;
    };
    // Neither at its own brand, as if the other had not been named, nor at the one named.
    await expectReferenceFree(t, 'ACC-16', await refuse(), 'brand');
    if (t.has('other_brand')) {
      const body = { ...(await refuse()), brand_id: other };
      await expectReferenceFree(t, 'ACC-16', body, 'other_brand');
    }
  },
};

const accScope: Scenario = {
  id: 'acc-scope',
  title: 'Without accounts:write a create is 403 forbidden and makes nothing',
  rules: ['ACC-21'],
  needs: ['no_scopes'],
  async run(t) {
    await t.given.account();
    const body = t.newAccount();
    const refused = await t.as('no_scopes').createAccount(body);
    t.expect('ACC-21', refused).refused(403, 'forbidden');
    await expectReferenceFree(t, 'ACC-21', body);
    // Nor does it converge: what there is, is not shown either.
    const again = await t.as('no_scopes').createAccount(body);
    t.expect('ACC-21', again).refused(403, 'forbidden');
    if (!t.has('mint')) return;
    const others = await t.operator.mint({ scopes: ALL_BUT_ACCOUNTS });
    t.expect('ACC-21', await t.as(others).createAccount(t.newAccount())).refused(403, 'forbidden');
  },
};

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

    // The trading account of somebody else may have the id that is tried.
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
      t.expect('ACC-22', refused).is(
        `no trading account ${trading_account_id} of the new account ${account.id}`,
        refused.status >= 400,
      );
    }
  },
};

export const accountRefusalScenarios: readonly Scenario[] = [
  accReferenceLength,
  accUnreadable,
  accEmailWithoutAt,
  accBrandRequired,
  accBrandBound,
  accScope,
  accNothingElse,
];
