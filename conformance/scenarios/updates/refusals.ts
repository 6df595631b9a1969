// UPD: what an update is refused for, and that a refused one changes nothing.

import { UPDATABLE_MEMBERS } from '../../engine/account-members.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { ALL_BUT_ACCOUNTS, expectSameAccount, strongTag } from '../support/account-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { readPresent, updatedOnce } from './account-tags.ts';

/** A change to send that would show. */
function change(t: ScenarioContext): RequestBody {
  return { first_name: t.fresh.text(), country: t.fresh.text() };
}

/** More digits than a number of 64 bits has: an id that no account has. */
const LONG_ID = '9'.repeat(24);

const updUnknown: Scenario = {
  id: 'upd-unknown',
  title: 'An account that does not exist is 404 not_found, whatever the tag',
  rules: ['UPD-5', 'UPD-6', 'CONV-1c'],
  async run(t) {
    const account = await updatedOnce(t);
    const tags = [account.current, account.stale, '"987654321"'];
    const asked = tags.map((tag) => [UNKNOWN_ID, tag] as const);
    for (const [id, tag] of [...asked, [LONG_ID, account.current] as const]) {
      const missing = await t.api.updateAccount(id, change(t), { ifMatch: tag });
      t.expect('UPD-6', missing).is('404 and not 412', missing.status !== 412);
      if (missing.status !== 412) t.expect('UPD-5', missing).refused(404, 'not_found');
      else t.notTested('UPD-5', 'the tag was looked at first, which UPD-6 judges');
    }
    const odd = await t.api.updateAccount('abc', change(t), { ifMatch: account.current });
    t.expect('CONV-1c', odd).refused(422, 'validation_failed');
  },
};

const updOtherFirm: Scenario = {
  id: 'upd-other-firm',
  title: 'An account of another firm is 404 not_found under any tag, and stays as it is',
  rules: ['UPD-5', 'UPD-6'],
  presumes: { 'UPD-5': ['AUTH-7'], 'UPD-6': ['AUTH-7'] },
  needs: ['firm', 'other_firm'],
  run: (t) => expectHidden(t, 'firm', 'other_firm'),
};

const updOtherBrand: Scenario = {
  id: 'upd-other-brand',
  title:
    'An account of another brand is 404 not_found to a brand-bound credential, and stays as it is',
  rules: ['UPD-5', 'UPD-6'],
  presumes: { 'UPD-5': ['AUTH-6'], 'UPD-6': ['AUTH-6'] },
  needs: ['brand', 'other_brand'],
  run: (t) => expectHidden(t, 'brand', 'other_brand'),
};

async function expectHidden(t: ScenarioContext, outsider: Role, owner: Role): Promise<void> {
  const account = await updatedOnce(t, owner);
  // That the outsider may update at all is shown on an account of its own.
  await updatedOnce(t, outsider);
  const before = await readPresent(t, account, account.updated, owner);
  const update = (ifMatch: string) =>
    t.as(outsider).updateAccount(account.id, change(t), { ifMatch });
  const unseen = await update(account.current);
  // UPD-6 judges whether the tag is looked at first.
  const found = unseen.status === 412 ? unseen.presuming('UPD-6') : unseen;
  t.expect('UPD-5', found).refused(404, 'not_found');
  for (const tag of [account.stale, '"987654321"']) {
    const hidden = await update(tag);
    t.expect('UPD-6', hidden).is('404 and not 412', hidden.status !== 412);
  }
  // Where a tag of the wrong form is noticed first (NS-17), it is so for unknown accounts too.
  for (const ifMatch of ['garbage', null]) {
    const unknown = await t.as(outsider).updateAccount(UNKNOWN_ID, change(t), { ifMatch });
    const hidden = await t.as(outsider).updateAccount(account.id, change(t), { ifMatch });
    const words = `as for an unknown account: ${unknown.summary}`;
    t.expect('UPD-6', hidden).is(words, hidden.summary === unknown.summary, undefined, unknown);
  }
  const after = await t.given.reread(account, owner);
  expectSameAccount(t, 'UPD-5', before, after);
}

const updStaleTag: Scenario = {
  id: 'upd-stale-tag',
  title: 'A stale tag is 412 revision_conflict, and the account is unchanged',
  rules: ['UPD-7'],
  observes: ['NS-19', 'NS-54'],
  async run(t) {
    const account = await updatedOnce(t);
    const before = await readPresent(t, account, account.updated);
    const update = (body: RequestBody, ifMatch: string) =>
      t.api.updateAccount(account.id, body, { ifMatch });
    t.expect('UPD-7', await update(change(t), account.stale)).refused(412, 'revision_conflict');
    // Nor may it meet a change of other fields than the one it has missed.
    const elsewhere = { language: t.fresh.text() };
    const late = await update(elsewhere, account.stale);
    t.expect('UPD-7', late.presuming('UPD-3')).refused(412, 'revision_conflict');
    // Not only a tag of the past: whatever is not the current one does not match.
    const bare = account.current.slice(1, -1);
    for (const tag of ['"987654321"', `"${bare}0"`, `"${bare}x"`, `"0${bare}"`]) {
      const other = await update(change(t), tag);
      const refused = other.status >= 400 && other.status < 500;
      t.expect('UPD-7', other).is(`${tag} refused with a 4xx`, refused);
    }
    expectSameAccount(t, 'UPD-7', before, await t.given.reread(account));
    await observeIdle(t, account);
    await observeStatus(t, account.id);
  },
};

/** NS-19. */
export async function observeIdle(
  t: ScenarioContext,
  { id, stale }: { readonly id: string; readonly stale: string },
): Promise<void> {
  const idle = await t.api.updateAccount(id, {}, { ifMatch: stale });
  t.observe('NS-19', `stale tag and nothing to change: ${idle.summary}`, {
    tag_before_no_change: idle.status === 412,
  });
}

/** NS-54: of the account status endpoint nothing is told but that there is one. */
export async function observeStatus(t: ScenarioContext, id: string): Promise<void> {
  const path = `/api/v1/accounts/${encodeURIComponent(id)}/status`;
  const shown = await t.api.send({ method: 'GET', path });
  const members = shown.json === null || typeof shown.json !== 'object' ? [] : shown.json;
  const tag = shown.headers.has('etag') ? 'with' : 'without';
  const words =
    shown.status === 200
      ? `{${Object.keys(members ?? {}).join(', ')}}, ${tag} an ETag`
      : shown.summary;
  const isUnlike = ['account_id', 'status', 'revision'].some(
    (name) => shown.at(name) === undefined,
  );
  t.observe(
    'NS-54',
    `GET /api/v1/accounts/{id}/status: ${words}`,
    { account_status_endpoint: shown.status === 200 ? 'served' : 'none' },
    shown.status === 200 && isUnlike,
  );
}

const updNoChange: Scenario = {
  id: 'upd-no-change',
  title: 'A body that would change nothing is 422 validation_failed',
  rules: ['UPD-8'],
  // What changes more than it names is never without a change, and whether there is one is looked
  // at under the account's own tag.
  presumes: { 'UPD-8': ['UPD-2', 'ACC-19'] },
  observes: ['NS-55'],
  async run(t) {
    const account = await updatedOnce(t);
    const before = await readPresent(t, account, account.updated);
    const stored = UPDATABLE_MEMBERS.map((name) => [name, before.at(name)] as const);
    const same = Object.fromEntries(stored.filter(([, value]) => typeof value === 'string'));
    const idle: RequestBody[] = [{}, { first_name: same.first_name }, same];
    const ifMatch = strongTag(before);
    for (const body of idle) {
      const refused = await t.api.updateAccount(account.id, body, { ifMatch });
      t.expect('UPD-8', refused).refused(422, 'validation_failed');
    }
    // What cannot be updated is no change either; the body may also be unreadable (NS-27).
    const fixed = await t.api.updateAccount(account.id, { email: t.fresh.email() }, { ifMatch });
    const other = fixed.presuming('UPD-11');
    t.expect('UPD-8', other).is('refused with a 4xx', fixed.status >= 400 && fixed.status < 500);
    const after = await t.given.reread(account);
    expectSameAccount(t, 'UPD-8', before, after);
    // One field of several is enough of a change.
    const mixed = { ...same, country: t.fresh.text() };
    const applied = await t.api.updateAccount(account.id, mixed, { ifMatch: strongTag(after) });
    t.expect('UPD-8', applied.presuming('UPD-3')).is('applied', applied.status < 300);
    if (applied.status < 300) await observeNull(t, account.id, applied);
  },
};

/** NS-55: null beside a change, so that it is not for changing nothing that it is refused. */
export async function observeNull(t: ScenarioContext, id: string, before: Answer): Promise<void> {
  const body = { first_name: null, country: t.fresh.text() };
  const answer = await t.api.updateAccount(id, body, { ifMatch: strongTag(before) });
  const kept = answer.at('first_name') === before.at('first_name');
  const does = answer.status >= 300 ? 'refused' : kept ? 'not_sent' : 'cleared';
  const words = { refused: answer.summary, not_sent: 'as if not sent', cleared: 'cleared' };
  t.observe('NS-55', `null for first_name: ${words[does]}`, { update_null: does });
}

const updTagForms: Scenario = {
  id: 'upd-tag-forms',
  title: 'If-Match is required, and anything but a strong quoted tag is 422 validation_failed',
  rules: ['UPD-9', 'UPD-10'],
  observes: ['NS-18', 'NS-39'],
  async run(t) {
    const account = await updatedOnce(t);
    const before = await readPresent(t, account, account.updated);
    const update = (ifMatch: string | null) =>
      t.api.updateAccount(account.id, change(t), { ifMatch });
    const bare = strongTag(before).slice(1, -1);
    const forms = [bare, `W/"${bare}"`, `"${bare}`, `${bare}"`, `'${bare}'`, 'garbage'];
    for (const form of forms) {
      t.expect('UPD-9', await update(form)).refused(422, 'validation_failed');
    }
    const after = await t.given.reread(account);
    expectSameAccount(t, 'UPD-9', before, after);
    const none = await observeUntagged(t, update);
    const refused = none.status >= 400 && none.status < 500;
    t.expect('UPD-10', none).is('refused with a 4xx', refused);
    expectSameAccount(t, 'UPD-10', after, await t.given.reread(account));
    await observeStar(t, update);
  },
};

type Update = (ifMatch: string | null) => Promise<Answer>;

/** NS-18. */
export async function observeUntagged(t: ScenarioContext, update: Update): Promise<Answer> {
  const none = await update(null);
  t.observe('NS-18', `without If-Match: ${none.summary}`, { missing_if_match: none.status });
  return none;
}

/** NS-39. */
export async function observeStar(t: ScenarioContext, update: Update): Promise<void> {
  const star = await update('*');
  t.observe('NS-39', `If-Match: *: ${star.summary}`, {
    if_match_star: star.status === 200 ? 'any' : 'malformed',
  });
}

const updScope: Scenario = {
  id: 'upd-scope',
  title: 'Without accounts:write an update is 403 forbidden and changes nothing',
  rules: ['UPD-13'],
  needs: ['no_scopes'],
  async run(t) {
    const account = await updatedOnce(t);
    const before = await readPresent(t, account, account.updated);
    const options = { ifMatch: account.current };
    const refused = await t.as('no_scopes').updateAccount(account.id, change(t), options);
    t.expect('UPD-13', refused).refused(403, 'forbidden');
    if (t.has('mint')) {
      const others = await t.operator.mint({ scopes: ALL_BUT_ACCOUNTS });
      const denied = await t.as(others).updateAccount(account.id, change(t), options);
      t.expect('UPD-13', denied).refused(403, 'forbidden');
    }
    expectSameAccount(t, 'UPD-13', before, await t.given.reread(account));
  },
};

export const updateRefusalScenarios: readonly Scenario[] = [
  updUnknown,
  updOtherFirm,
  updOtherBrand,
  updStaleTag,
  updNoChange,
  updTagForms,
  updScope,
];
