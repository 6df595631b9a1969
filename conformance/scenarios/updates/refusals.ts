// UPD: what an update is refused for, and that a refused one changes nothing.
import { observe, observeIdle, observeNull, observeStatus } from '../../cases/questions.ts';
import {
  anyRefusal,
  type Expected,
  type Fault,
  ifMatch,
  path,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import { UPDATABLE_MEMBERS } from '../../engine/account-members.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { INVALID, NOT_FOUND, STALE } from '../../spec/errors.ts';
import {
  expectSameAccount,
  readPresent,
  strongTag,
  type Updated,
  updatedOnce,
} from '../support/account-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const UPDATE = 'updateAccount';
/** More digits than a number of 64 bits has: an id that no account has. */
const LONG_ID = '9'.repeat(24);
const OTHER_TAG = '"987654321"';

/** UPD-6: a tag that is not the account's is no reason for a 412 if there is no account. */
const notFoundUnderAnyTag: Expected = (t, _, answer) => {
  t.expect('UPD-6', answer).is('404 and not 412', answer.status !== 412);
  if (answer.status !== 412) t.expect('UPD-5', answer).refused(...NOT_FOUND);
  else t.notTested('UPD-5', 'the tag was looked at first, which UPD-6 judges');
};

function unknownUnder(tag: (t: ScenarioContext) => Promise<string>): Fault {
  return async (t, valid) => ({ call: { ...valid, id: UNKNOWN_ID, ifMatch: await tag(t) } });
}

const otherTag = unknownUnder(async () => OTHER_TAG);
const staleTag = unknownUnder(async (t) => (await updatedOnce(t)).stale);

const updUnknown = refusals({
  id: 'upd-unknown',
  title: 'An account that does not exist is 404 not_found, whatever the tag',
  rows: [
    [['UPD-5', 'UPD-6'], UPDATE, 'an unknown account', path(UNKNOWN_ID), notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'and another tag', otherTag, notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'and a stale tag', staleTag, notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'an id of 24 digits', path(LONG_ID), notFoundUnderAnyTag],
    ['CONV-1c', UPDATE, 'the id abc in the path', path('abc'), INVALID],
    ['CONV-1c', UPDATE, 'digits and x in the path', path((id) => `${id}x`), INVALID],
  ],
});

const not412: Expected = (t, rules, answer) =>
  t.expect(rules, answer).is('404 and not 412', answer.status !== 412);

/** NS-17: a tag of the wrong form may be noticed first, except for unknown accounts as well. */
function asUnknown(outsider: Role, tag: string | null): Expected {
  return async (t, rules, answer) => {
    const body = { first_name: t.fresh.text() };
    const unknown = await t.as(outsider).updateAccount(UNKNOWN_ID, body, { ifMatch: tag });
    const same = answer.summary === unknown.summary;
    const words = `as for an unknown account: ${unknown.summary}`;
    t.expect(rules, answer).is(words, same, undefined, unknown);
  };
}

/** An account that the outsider cannot reach is unknown to it under any tag, and stays as it is. */
function hiddenFrom(outsider: Role, owner: Role): Omit<Scenario, 'id' | 'title'> {
  const of =
    (tag: (account: Updated) => string | undefined): Fault =>
    async (t, { ifMatch: _, ...valid }) => {
      const account = await updatedOnce(t, owner);
      const sent = tag(account);
      return { call: { ...valid, id: account.id, ...(sent !== undefined && { ifMatch: sent }) } };
    };
  const rows: readonly RefusalRow[] = [
    ['UPD-5', UPDATE, 'its tag', of(({ current }) => current), NOT_FOUND],
    ['UPD-6', UPDATE, 'its stale tag', of(({ stale }) => stale), not412],
    ['UPD-6', UPDATE, 'another tag', of(() => OTHER_TAG), not412],
    ['UPD-6', UPDATE, 'garbage for a tag', of(() => 'garbage'), asUnknown(outsider, 'garbage')],
    ['UPD-6', UPDATE, 'no tag', of(() => undefined), asUnknown(outsider, null)],
  ];
  const about = { needs: [outsider, owner], role: outsider, rows };
  return refusals({
    ...{ id: '', title: '', ...about },
    async also(t) {
      const account = await updatedOnce(t, owner);
      const before = await readPresent(t, account, account.updated, owner);
      const body = { first_name: t.fresh.text(), country: t.fresh.text() };
      await t.as(outsider).updateAccount(account.id, body, { ifMatch: account.current });
      expectSameAccount(t, 'UPD-5', before, await t.given.reread(account, owner));
    },
  });
}

const updOtherFirm: Scenario = {
  ...hiddenFrom('firm', 'other_firm'),
  id: 'upd-other-firm',
  title: 'An account of another firm is 404 not_found under any tag, and stays as it is',
};

const updOtherBrand: Scenario = {
  ...hiddenFrom('brand', 'other_brand'),
  id: 'upd-other-brand',
  title:
    'An account of another brand is 404 not_found to a brand-bound credential, and stays as it is',
};

/** The tag that the account had before its last update. */
function stale(over: (t: ScenarioContext) => RequestBody = () => ({})): Fault {
  return async (t, valid) => {
    const { id, stale: tag } = await updatedOnce(t);
    return { call: { ...valid, id, ifMatch: tag, body: { ...valid.body, ...over(t) } } };
  };
}

const otherField = stale((t) => ({ first_name: undefined, language: t.fresh.text() }));

const updStaleTag = refusals({
  id: 'upd-stale-tag',
  title: 'A stale tag is 412 revision_conflict, and the account is unchanged',
  observes: ['NS-19', 'NS-54'],
  rows: [
    ['UPD-7', UPDATE, 'the tag before the last update', stale(), STALE],
    // Nor may it meet a change of other fields than the one that it has missed.
    ['UPD-7', UPDATE, 'that tag for another field', otherField, STALE],
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
    const ifMatch = strongTag(before);
    for (const body of [{}, { first_name: same.first_name }, same]) {
      const refused = await t.api.updateAccount(account.id, body, { ifMatch });
      t.expect('UPD-8', refused).refused(...INVALID);
    }
    // What cannot be updated is no change either; the body may also be unreadable (NS-27).
    const fixed = { email: t.fresh.email() };
    anyRefusal(t, 'UPD-8', await t.api.updateAccount(account.id, fixed, { ifMatch }));
    const after = await t.given.reread(account);
    expectSameAccount(t, 'UPD-8', before, after);
    // One field of several is enough of a change.
    const mixed = { ...same, country: t.fresh.text() };
    const applied = await t.api.updateAccount(account.id, mixed, { ifMatch: strongTag(after) });
    t.expect('UPD-8', applied).is('applied', applied.status < 300);
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
  also: (t) => observe(t, 'NS-18', 'NS-39'),
});

const updScope = refusals({
  id: 'upd-scope',
  title: 'Without accounts:write an update is 403 forbidden and changes nothing',
  needs: ['no_scopes'],
  rows: scopeRows('UPD-13', UPDATE),
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
