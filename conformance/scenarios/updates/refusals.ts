// UPD: what an update is refused for, and that a refused one changes nothing.
import {
  observeIdle,
  observeNull,
  observeStar,
  observeStatus,
  observeUntagged,
} from '../../cases/questions.ts';
import {
  anyRefusal,
  as,
  asHolderOf,
  type Expected,
  type Fault,
  ifMatch,
  path,
  refusals,
} from '../../cases/refusals.ts';
import { UPDATABLE_MEMBERS } from '../../engine/account-members.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import { FORBIDDEN, INVALID, NOT_FOUND, STALE } from '../../spec/errors.ts';
import { ALL_BUT_ACCOUNTS, expectSameAccount, strongTag } from '../support/account-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { readPresent, updatedOnce } from './account-tags.ts';

const UPDATE = 'updateAccount';
/** More digits than a number of 64 bits has: an id that no account has. */
const LONG_ID = '9'.repeat(24);
const OTHER_TAG = '"987654321"';

/** UPD-6: a tag that is not the account's is no reason for a 412 where there is no account. */
const notFoundUnderAnyTag: Expected = (t, _, answer) => {
  t.expect('UPD-6', answer).is('404 and not 412', answer.status !== 412);
  if (answer.status !== 412) t.expect('UPD-5', answer).refused(...NOT_FOUND);
  else t.notTested('UPD-5', 'the tag was looked at first, which UPD-6 judges');
};

const unknownUnderOtherTag: Fault = (_, valid) => ({
  call: { ...valid, id: UNKNOWN_ID, ifMatch: OTHER_TAG },
});

const unknownUnderStaleTag: Fault = async (t, valid) => {
  const { stale: tag } = await updatedOnce(t);
  return { call: { ...valid, id: UNKNOWN_ID, ifMatch: tag } };
};

const updUnknown = refusals({
  id: 'upd-unknown',
  title: 'An account that does not exist is 404 not_found, whatever the tag',
  rows: [
    [['UPD-5', 'UPD-6'], UPDATE, 'an unknown account', path(UNKNOWN_ID), notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'and another tag', unknownUnderOtherTag, notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'and a stale tag', unknownUnderStaleTag, notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'an id of 24 digits', path(LONG_ID), notFoundUnderAnyTag],
    ['CONV-1c', UPDATE, 'the id abc in the path', path('abc'), INVALID],
  ],
});

const updOtherFirm: Scenario = {
  id: 'upd-other-firm',
  title: 'An account of another firm is 404 not_found under any tag, and stays as it is',
  rules: ['UPD-5', 'UPD-6'],
  needs: ['firm', 'other_firm'],
  run: (t) => expectHidden(t, 'firm', 'other_firm'),
};

const updOtherBrand: Scenario = {
  id: 'upd-other-brand',
  title:
    'An account of another brand is 404 not_found to a brand-bound credential, and stays as it is',
  rules: ['UPD-5', 'UPD-6'],
  needs: ['brand', 'other_brand'],
  run: (t) => expectHidden(t, 'brand', 'other_brand'),
};

async function expectHidden(t: ScenarioContext, outsider: Role, owner: Role): Promise<void> {
  const account = await updatedOnce(t, owner);
  // That the outsider may update at all is shown on an account of its own.
  await updatedOnce(t, outsider);
  const before = await readPresent(t, account, account.updated, owner);
  const update = (ifMatch: string) =>
    t
      .as(outsider)
      .updateAccount(
        account.id,
        { first_name: t.fresh.text(), country: t.fresh.text() },
        { ifMatch },
      );
  const unseen = await update(account.current);
  // UPD-6 judges whether the tag is looked at first.
  const found = unseen.status === 412 ? unseen.presuming('UPD-6') : unseen;
  t.expect('UPD-5', found).refused(...NOT_FOUND);
  for (const tag of [account.stale, '"987654321"']) {
    const hidden = await update(tag);
    t.expect('UPD-6', hidden).is('404 and not 412', hidden.status !== 412);
  }
  // Where a tag of the wrong form is noticed first (NS-17), it is so for unknown accounts too.
  for (const ifMatch of ['garbage', null] as const) {
    const unknown = await t
      .as(outsider)
      .updateAccount(
        UNKNOWN_ID,
        { first_name: t.fresh.text(), country: t.fresh.text() },
        { ifMatch },
      );
    const hidden = await t
      .as(outsider)
      .updateAccount(
        account.id,
        { first_name: t.fresh.text(), country: t.fresh.text() },
        { ifMatch },
      );
    const words = `as for an unknown account: ${unknown.summary}`;
    t.expect('UPD-6', hidden).is(words, hidden.summary === unknown.summary, undefined, unknown);
  }
  const after = await t.given.reread(account, owner);
  expectSameAccount(t, 'UPD-5', before, after);
}

/** The tag that the account had before its last update. */
function stale(over: (t: ScenarioContext) => Record<string, string> = () => ({})): Fault {
  return async (t, valid) => {
    const { id, stale: tag } = await updatedOnce(t);
    return { call: { ...valid, id, ifMatch: tag, body: { ...valid.body, ...over(t) } } };
  };
}

const updStaleTag = refusals({
  id: 'upd-stale-tag',
  title: 'A stale tag is 412 revision_conflict, and the account is unchanged',
  observes: ['NS-19', 'NS-54'],
  rows: [
    ['UPD-7', UPDATE, 'the tag before the last update', stale(), STALE],
    // Nor may it meet a change of other fields than the one that it has missed.
    [
      'UPD-7',
      UPDATE,
      'that tag for another field',
      stale((t) => ({ language: t.fresh.text() })),
      STALE,
    ],
    // Not only a tag of the past: whatever is not the current one does not match.
    ['UPD-7', UPDATE, 'a tag that it never had', ifMatch(OTHER_TAG), anyRefusal],
    ['UPD-7', UPDATE, 'its tag and a digit', ifMatch((tag) => `"${tag}0"`), anyRefusal],
    ['UPD-7', UPDATE, 'its tag and a letter', ifMatch((tag) => `"${tag}x"`), anyRefusal],
    ['UPD-7', UPDATE, 'a digit and its tag', ifMatch((tag) => `"0${tag}"`), anyRefusal],
  ],
  async also(t) {
    const account = await updatedOnce(t);
    const before = await readPresent(t, account, account.updated);
    const body = { first_name: t.fresh.text(), country: t.fresh.text() };
    const late = await t.api.updateAccount(account.id, body, { ifMatch: account.stale });
    t.expect('UPD-7', late).refused(...STALE);
    expectSameAccount(t, 'UPD-7', before, await t.given.reread(account));
    await observeIdle(t, account);
    await observeStatus(t, account.id);
  },
});

const updNoChange: Scenario = {
  id: 'upd-no-change',
  title: 'A body that would change nothing is 422 validation_failed',
  rules: ['UPD-8'],
  observes: ['NS-55'],
  async run(t) {
    const account = await updatedOnce(t);
    const before = await readPresent(t, account, account.updated);
    const stored = UPDATABLE_MEMBERS.map((name) => [name, before.at(name)] as const);
    const same = Object.fromEntries(stored.filter(([, value]) => typeof value === 'string'));
    const tag = strongTag(before);
    for (const body of [{}, { first_name: same.first_name }, same]) {
      const refused = await t.api.updateAccount(account.id, body, { ifMatch: tag });
      t.expect('UPD-8', refused).refused(...INVALID);
    }
    // What cannot be updated is no change either; the body may also be unreadable (NS-27).
    const fixed = await t.api.updateAccount(
      account.id,
      { email: t.fresh.email() },
      { ifMatch: tag },
    );
    anyRefusal(t, 'UPD-8', fixed.presuming('UPD-11'));
    const after = await t.given.reread(account);
    expectSameAccount(t, 'UPD-8', before, after);
    // One field of several is enough of a change.
    const mixed = { ...same, country: t.fresh.text() };
    const applied = await t.api.updateAccount(account.id, mixed, { ifMatch: strongTag(after) });
    t.expect('UPD-8', applied.presuming('UPD-3')).is('applied', applied.status < 300);
    if (applied.status < 300) await observeNull(t, account.id, applied);
  },
};

const updTagForms = refusals({
  id: 'upd-tag-forms',
  title: 'If-Match is required, and anything but a strong quoted tag is 422 validation_failed',
  observes: ['NS-18', 'NS-39'],
  rows: [
    ['UPD-9', UPDATE, 'a tag without quotes', ifMatch((tag) => tag), INVALID],
    ['UPD-9', UPDATE, 'a weak tag', ifMatch((tag) => `W/"${tag}"`), INVALID],
    ['UPD-9', UPDATE, 'no closing quote', ifMatch((tag) => `"${tag}`), INVALID],
    ['UPD-9', UPDATE, 'no opening quote', ifMatch((tag) => `${tag}"`), INVALID],
    ['UPD-9', UPDATE, 'single quotes', ifMatch((tag) => `'${tag}'`), INVALID],
    ['UPD-9', UPDATE, 'a word', ifMatch('garbage'), INVALID],
    ['UPD-10', UPDATE, 'no If-Match', ifMatch(undefined), anyRefusal],
  ],
  async also(t) {
    const { id } = await t.given.account();
    const update = (tag: string | null) =>
      t.api.updateAccount(id, { first_name: t.fresh.text() }, { ifMatch: tag });
    await observeUntagged(t, update);
    await observeStar(t, update);
  },
});

const updScope = refusals({
  id: 'upd-scope',
  title: 'Without accounts:write an update is 403 forbidden and changes nothing',
  needs: ['no_scopes'],
  rows: [
    ['UPD-13', UPDATE, 'no scope', as('no_scopes'), FORBIDDEN],
    ['UPD-13', UPDATE, 'all other scopes', asHolderOf(ALL_BUT_ACCOUNTS), FORBIDDEN],
  ],
});

export const updateRefusalScenarios: readonly Scenario[] = [
  updUnknown,
  updOtherFirm,
  updOtherBrand,
  updStaleTag,
  updNoChange,
  updTagForms,
  updScope,
];
