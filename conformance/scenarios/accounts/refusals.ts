// ACC: what a create is refused for, and that a refused one makes nothing.
import { observeUnit } from '../../cases/questions.ts';
import { anyRefusal, body, type Expected, refusals, without } from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import { not } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import { FORBIDDEN, INVALID } from '../../spec/errors.ts';
import { LONGEST } from '../../spec/literals.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const CREATE = 'createAccount';

const accReferenceLength = refusals({
  id: 'acc-reference-length',
  title: 'A reference has 1 to 255 characters; blank or longer is 422 validation_failed',
  observes: ['NS-40'],
  rows: [
    ['ACC-2', CREATE, 'an empty reference', body({ client_reference_id: '' }), INVALID],
    ['ACC-2', CREATE, 'one space', body({ client_reference_id: ' ' }), INVALID],
    ['ACC-2', CREATE, 'three spaces', body({ client_reference_id: '   ' }), INVALID],
    ['ACC-2', CREATE, 'a character too many', referenceOf(LONGEST + 1), INVALID],
    ['ACC-2', CREATE, '1000 characters', referenceOf(1000), INVALID],
  ],
  async also(t) {
    const under = (reference: string) =>
      t.api.createAccount(t.newAccount({ client_reference_id: reference }));
    // ASCII only, so that characters, code points and bytes are as many (NS-40).
    const whole = t.fresh.text(LONGEST);
    const long = await under(whole);
    t.expect('ACC-2', long).status(201, 200).field('client_reference_id', whole);
    // All 255 count: one that differs in the last names another account.
    const beside = await under(`${whole.slice(0, -1)}y`);
    t.expect('ACC-2', beside)
      .status(201, 200)
      .field('id', not(long.at('id') as string));
    // References are permanent, so that a short one may be taken by an earlier run.
    const short = await under('Q');
    t.expect('ACC-2', short).is('a reference of one character accepted', short.status < 300);
    await observeUnit(t);
  },
});

function referenceOf(length: number) {
  return body((t) => ({ client_reference_id: t.fresh.text(length) }));
}

const accUnreadable = refusals({
  id: 'acc-unreadable',
  title: 'A missing client_reference_id or email makes the body unreadable',
  rows: [
    ['ACC-3', CREATE, 'no client_reference_id', without('client_reference_id'), 'unreadable'],
    ['ACC-3', CREATE, 'no email', without('email'), 'unreadable'],
  ],
});

const accEmailWithoutAt = refusals({
  id: 'acc-email-without-at',
  title: 'An email without @ is 422 validation_failed',
  rows: [
    ['ACC-4', CREATE, 'a word', body((t) => ({ email: t.fresh.text() })), INVALID],
    ['ACC-4', CREATE, 'a host', body((t) => ({ email: `${t.fresh.text()}.example` })), INVALID],
    ['ACC-4', CREATE, 'an empty email', body({ email: '' }), anyRefusal],
  ],
  async also(t) {
    const short = await t.api.createAccount(t.newAccount({ email: `${t.fresh.text()}@host` }));
    const words = 'an email with an @ accepted, whatever else it lacks';
    t.advise('ACC-4', short).is(words, short.status < 300);
  },
});

/** ERR-2: as a missing field it may also make the body unreadable, which plain text says. */
const invalid: Expected = (t, rules, answer) => {
  const expected = t.expect(rules, answer).status(422);
  if (answer.headers.mediaType() !== 'text/plain') expected.refused(...INVALID);
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
    await expectNothingAbroad(t);
  },
});

/** Nor is anything left at the brand that was named. */
async function expectNothingAbroad(t: ScenarioContext): Promise<void> {
  if (!t.has('other_brand') || !t.findings.controlled) return;
  const theirs = t.newAccount({}, 'other_brand');
  const refused = await t.as('brand').createAccount(theirs);
  t.expect('ACC-16', refused).refused(...FORBIDDEN);
  const name = t.fresh.text();
  const made = await t.as('other_brand').createAccount({ ...theirs, first_name: name });
  const isNew = made.status === 201 || made.at('first_name') === name;
  t.expect('ACC-16', made).is('a new account: nothing was left behind', isNew);
}

const accScope = refusals({
  id: 'acc-scope',
  title: 'Without accounts:write a create is 403 forbidden and makes nothing',
  needs: ['no_scopes'],
  rows: scopeRows('ACC-21', CREATE),
  async also(t) {
    // Nor does it converge: what there is, is not shown either.
    const { body: known } = await t.given.account();
    const again = await t.as('no_scopes').createAccount(known);
    t.expect('ACC-21', again).refused(...FORBIDDEN);
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

export const accountRefusalScenarios: readonly Scenario[] = [
  accReferenceLength,
  accUnreadable,
  accEmailWithoutAt,
  accBrandRequired,
  accBrandBound,
  accScope,
  accNothingElse,
];
