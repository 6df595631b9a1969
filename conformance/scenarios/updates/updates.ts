// UPD: updating an account under its tag, which of its fields can be updated, and the reasons for which
// an update is refused.
import { observe, observeIdle, observeNull, observeStatus } from '../../cases/questions.ts';
import {
  anyRefusal,
  type Expected,
  type Fault,
  ifMatch,
  only,
  path,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { ExpectedValue } from '../../engine/judge/expect.ts';
import { not } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import { INVALID, NOT_FOUND, STALE } from '../../spec/errors.ts';
import { NEW_PROFILE, PROFILE, UNKNOWN_ID, UPDATABLE_MEMBERS } from '../../spec/literals.ts';
import {
  digitsOf,
  strongTag,
  tagAfter,
  type Updated,
  updatedOnce,
} from '../support/account-assertions.ts';
import { staleTag } from '../support/faults.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const UPDATE = 'updateAccount';

/** An update changes only the fields it names, and the revision. */
const OTHERS = ['client_reference_id', 'phone', 'brand_id', 'firm_id'] as const;

/** UPD-1 with two fields; UPD-3 with each field separately, and with all of them together. */
function changesOf({ answer }: GivenAccount): (readonly [RuleId, RequestBody])[] {
  // ACC-20 judges the initial status. Here it only has to change; UPD-4 judges which values are valid.
  const status = answer.at('status') === 'Active' ? 'New' : 'Active';
  const values: RequestBody = { ...PROFILE, status };
  return [
    ['UPD-1', { first_name: 'Grace', last_name: 'Hopper' }],
    ...UPDATABLE_MEMBERS.map((name) => ['UPD-3', { [name]: values[name] }] as const),
    ['UPD-3', { ...NEW_PROFILE, last_name: "O'Neill", status: answer.at('status') ?? 'New' }],
  ];
}

export const updApplied: Story = {
  title: 'A valid update answers 200, the account with the fields sent and no others changed',
  rules: ['UPD-1', 'UPD-2', 'UPD-3'],
  observes: ['NS-26'],
  async run(t) {
    const account = await t.given.account({ phone: t.fresh.phone() });
    const changes = changesOf(account);
    let before = account.answer;
    let tag = strongTag(before);
    for (const [rule, change] of changes) {
      const after = await t.update(account.id, change, tag);
      // UPD-1 requires the 200; UPD-3, that the field can be updated at all.
      if (rule === 'UPD-1') t.expect(rule, after).status(200);
      else t.expect(rule, after).served('applied');
      if (!after.isServed) continue;
      expectUpdated(t, account, before, after);
      if (rule === 'UPD-1') t.expect('UPD-1', after).fields(change as Record<string, string>);
      const now = await t.given.reread(account);
      t.expect(rule, now).fields(change as Record<string, string>);
      const rest = [...UPDATABLE_MEMBERS, ...OTHERS].filter((name) => change[name] === undefined);
      t.expect('UPD-2', now).fields(membersOf(before, rest));
      tag = await tagAfter(t, account, after, tag);
      before = now;
    }
    const from = Number(account.answer.at('revision'));
    const step = (Number(before.at('revision')) - from) / changes.length;
    t.observe('NS-26', `starts at ${from}, and grows by ${step} a change`, {
      ...(Number.isSafeInteger(from) ? { first_revision: from } : {}),
      ...(Number.isInteger(step) && step > 0 ? { revision_step: step } : {}),
    });
    // The maximum length of a name is open; an accepted name must be kept whole.
    const last_name = t.fresh.text(200);
    const long = await t.update(account.id, { last_name }, tag);
    if (long.isServed) {
      t.expect('UPD-3', await t.given.reread(account)).field('last_name', last_name);
    }
  },
};

/** The answer is the account with a new revision and tag. ACC-19 judges the form of the tag. */
function expectUpdated(t: ScenarioContext, account: GivenAccount, before: Answer, after: Answer) {
  const [tag, old] = [after.headers.get('etag'), before.headers.get('etag')];
  t.expect('UPD-1', after)
    .is(`the account ${account.id}`, after.isOf(account.id))
    .field('revision', not(before.at('revision') ?? null));
  t.expect('UPD-1', after).is('a new ETag', tag !== undefined && tag !== old, `ETag: ${tag}`);
}

function membersOf(answer: Answer, names: readonly string[]): Record<string, ExpectedValue> {
  const seen = names.map((name) => [name, answer.at(name)] as const);
  return Object.fromEntries(seen.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

export const updStatus: Story = {
  title: 'status takes any string and is stored as sent',
  rules: ['UPD-4'],
  observes: ['NS-5'],
  async run(t) {
    const account = await updatedOnce(t);
    let tag = account.current;
    const odd = ' Größer als 7 – “never configured” ';
    const statuses = [t.fresh.text(), 'nEW', odd, t.fresh.text(100), ''];
    let taken = 0;
    for (const status of statuses) {
      const after = await t.update(account.id, { status }, tag);
      if (!t.expect('UPD-4', after).served('taken').ok) continue;
      taken += 1;
      tag = await tagAfter(t, account, after, tag);
      t.expect('UPD-4', await t.given.reread(account)).field('status', status);
    }
    t.observe('NS-5', `${taken} of ${statuses.length} made-up statuses taken`);
  },
};

export const updFixedFields: Story = {
  title: 'Email and phone cannot be changed by an update, nor anything but the five fields',
  rules: ['UPD-3', 'UPD-11'],
  observes: ['NS-27'],
  async run(t) {
    const phone = t.fresh.phone();
    const account = await t.given.account({ phone });
    let tag = strongTag(account.answer);
    const update = (body: RequestBody) => t.update(account.id, body, tag);
    const name = { id: account.id, body: { first_name: 'Ida' }, ifMatch: tag };
    tag = await tagAfter(t, account, await t.control('updateAccount', name), tag);
    const both = () => ({ email: t.fresh.email(), phone: t.fresh.phone() });
    // Alone and together with a valid change: ignored or refused (NS-27), but never applied.
    for (const change of [both(), { ...both(), last_name: 'Byron' }]) {
      const after = await update(change);
      if ('last_name' in change && (after.isServed || [400, 422].includes(after.status))) {
        const update_other_members = after.isServed ? 'ignored' : 'refused';
        const words = `email and phone in an update: ${after.summary}`;
        t.observe('NS-27', words, { update_other_members });
      }
      const seen = await t.given.reread(account);
      tag = strongTag(seen);
      const kept = digitsOf(seen.at('phone')) === digitsOf(phone);
      t.expect('UPD-11', seen).is(`the phone ${phone}`, kept, `phone: ${seen.at('phone')}`, after);
      // The new email and phone are still free.
      const { email, phone: other } = change;
      const free = await t.create({ email, phone: other });
      const isFree = free.isServed && !free.isOf(account.id);
      t.expect('UPD-11', free).is('a new account: no one has that email or phone', isFree);
    }
    await t.branch('UPD-11', 'one of them alone', async () => {
      // UPD-8: if a body without changes is accepted, accepting these proves nothing.
      if ((await update({})).isServed) throw new Blocked('a body that changes nothing is taken');
      for (const change of [{ email: t.fresh.email() }, { phone: t.fresh.phone() }]) {
        const after = await update(change);
        const words = `not taken: it has nothing but ${Object.keys(change)}`;
        t.expect('UPD-11', after).is(words, !after.isServed);
      }
    });
    tag = strongTag(await t.given.reread(account));
    await update({ id: '1', revision: 1, brand_id: '1', firm_id: '1', country: 'NO' });
    const own = membersOf(account.answer, ['id', 'brand_id', 'firm_id']);
    t.expect('UPD-3', await t.given.reread(account)).fields(own);
  },
};

export const updAtOnce: Story = {
  title: 'Of concurrent updates under one tag exactly one applies; the rest get 412',
  rules: ['UPD-12'],
  async run(t) {
    const account = await updatedOnce(t);
    // UPD-7 judges the answer to a stale tag; the losers of a race may get the same answer.
    const late = { first_name: 'Late' };
    const stale = await t.update(account.id, late, account.stale);
    const answers = await t.sendTogether(await t.burstSize(8), (n) =>
      t.update(account.id, { last_name: `Racer ${n}` }, account.current),
    );
    const applied = answers.filter((each) => each.isServed);
    const lost = ({ status, code }: Answer) =>
      [412, 503, stale.status].includes(status) || code === 'idempotency_in_flight';
    const isOne = applied.length === 1 && answers.every((each) => each.isServed || lost(each));
    const seen = answers.map((each) => each.summary).join('; ');
    const words = 'one 200, and 412 (or an answer to retry) for the rest';
    t.claim('UPD-12', words, isOne, seen, ...answers);
    if (applied.length !== 1) return;
    const winner = `Racer ${answers.indexOf(applied[0]!)}`;
    t.expect('UPD-12', await t.given.reread(account)).field('last_name', winner);
  },
};

/** More digits than a 64-bit integer has: an id that no account has. */
const LONG_ID = '9'.repeat(24);
const OTHER_TAG = '"987654321"';

/** UPD-6: a wrong tag is no reason for a 412 if there is no account. */
const notFoundUnderAnyTag: Expected = (t, _, answer) => {
  t.expect('UPD-6', answer).is('404 and not 412', answer.status !== 412);
  if (answer.status !== 412) t.expect('UPD-5', answer).refused(...NOT_FOUND);
  else t.notTested('UPD-5', 'the tag was looked at first, which UPD-6 judges');
};

/** The length of an id is not specified: an id this long may be called invalid. */
const notFoundOrInvalid: Expected = (t, rules, answer, sent) => {
  if (answer.status === 422) t.expect('UPD-5', answer).refused(...INVALID);
  else notFoundUnderAnyTag(t, rules, answer, sent);
};

const unknown = path(UNKNOWN_ID);
const unknownUnderOther: Fault = (_, valid) => ({
  call: { ...valid, id: UNKNOWN_ID, ifMatch: OTHER_TAG },
});
const unknownUnderStale: Fault = async (t, valid) => ({
  call: { ...valid, id: UNKNOWN_ID, ifMatch: (await updatedOnce(t)).stale },
});

export const updUnknown = refusals({
  title: 'An account that does not exist is 404 not_found, whatever the tag',
  rows: [
    [['UPD-5', 'UPD-6'], UPDATE, 'an unknown account', unknown, notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'and another tag', unknownUnderOther, notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'and a stale tag', unknownUnderStale, notFoundUnderAnyTag],
    [['UPD-5', 'UPD-6'], UPDATE, 'an id of 24 digits', path(LONG_ID), notFoundOrInvalid],
    ['CONV-1c', UPDATE, 'the id abc in the path', path('abc'), INVALID],
    ['CONV-1c', UPDATE, 'digits and x in the path', path((id) => `${id}x`), INVALID],
  ],
});

const not422: Expected = (t, rules, answer) =>
  t.expect(rules, answer).is('no 422, as a name is new', answer.status !== 422);

const not412: Expected = (t, rules, answer) =>
  t.expect(rules, answer).is('404 and not 412', answer.status !== 412);

/** NS-17: a malformed tag may be reported first, but then for unknown accounts too. */
function asUnknown(outsider: Role): Expected {
  return async (t, rules, answer, { ifMatch: tag = null }) => {
    const body = { first_name: t.fresh.text() };
    const nowhere = await t.update(UNKNOWN_ID, body, tag, { as: outsider });
    const words = `as for an unknown account: ${nowhere.summary}`;
    t.expect(rules, answer).is(words, answer.summary === nowhere.summary, undefined, nowhere);
  };
}

/**
 * An account out of reach gets the same answer as an unknown one with any tag. AUTH-6 and AUTH-7
 * judge whether it changes.
 */
function hiddenFrom(outsider: Role, owner: Role, about: Pick<Story, 'title'>): Story {
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
    ['UPD-6', UPDATE, 'garbage for a tag', of(() => 'garbage'), asUnknown(outsider)],
    ['UPD-6', UPDATE, 'no tag', of(() => undefined), asUnknown(outsider)],
  ];
  return refusals({ ...about, needs: [outsider, owner], role: outsider, rows });
}

export const updOtherFirm = hiddenFrom('firm', 'other_firm', {
  title: 'An account of another firm is 404 not_found under any tag',
});

export const updOtherBrand = hiddenFrom('brand', 'other_brand', {
  title: 'An account of another brand is 404 not_found to a brand-bound credential, under any tag',
});

const otherField: Fault = (t, valid) =>
  staleTag(t, { ...valid, body: { language: t.fresh.text() } });

export const updStaleTag = refusals({
  title: 'A stale tag is 412 revision_conflict, and the account is unchanged',
  observes: ['NS-19', 'NS-54'],
  rows: [
    ['UPD-7', UPDATE, 'the tag before the last update', staleTag, STALE],
    // A stale tag is refused even if the update changes other fields than the missed update.
    ['UPD-7', UPDATE, 'that tag for another field', otherField, STALE],
    // Not only an earlier tag: every tag except the current one fails.
    ['UPD-7', UPDATE, 'a tag that it never had', ifMatch(OTHER_TAG), anyRefusal],
    ['UPD-7', UPDATE, 'its tag and a digit', ifMatch((tag) => `"${tag}0"`), anyRefusal],
    ['UPD-7', UPDATE, 'its tag and a letter', ifMatch((tag) => `"${tag}x"`), anyRefusal],
    ['UPD-7', UPDATE, 'a digit and its tag', ifMatch((tag) => `"0${tag}"`), anyRefusal],
  ],
  async also(t) {
    const account = await updatedOnce(t);
    const before = await t.given.reread(account);
    const body = { first_name: t.fresh.text(), country: t.fresh.text() };
    t.expect('UPD-7', await t.update(account.id, body, account.stale)).refused(...STALE);
    expectUnchanged(t, 'UPD-7', before, await t.given.reread(account), 'revision');
    await observeIdle(t, account);
    await observeStatus(t, account.id);
  },
});

/** The current values of the updatable members, with one change. */
function same(over: (t: ScenarioContext) => RequestBody = () => ({})): Fault {
  return only((t, { account }) => {
    const stored = UPDATABLE_MEMBERS.map((name) => [name, account!.answer.at(name)] as const);
    const texts = stored.filter(([, value]) => typeof value === 'string');
    return { ...Object.fromEntries(texts), ...over(t) };
  });
}

const sameName = only((_, { account }) => ({ first_name: account!.body.first_name! }));
// A member that cannot be updated is not a change either; the body may also be unreadable (NS-27).
const otherEmail = only((t) => ({ email: t.fresh.email() }));

export const updNoChange = refusals({
  title: 'A body that would change nothing is 422 validation_failed',
  observes: ['NS-55'],
  rows: [
    ['UPD-8', UPDATE, 'an empty body', only({}), INVALID],
    ['UPD-8', UPDATE, 'the name that it has', sameName, INVALID],
    ['UPD-8', UPDATE, 'all that it has', same(), INVALID],
    ['UPD-8', UPDATE, 'an email', otherEmail, anyRefusal],
    // One field of several is enough of a change.
    ['UPD-8', UPDATE, 'one change', same((t) => ({ last_name: t.fresh.text() })), not422],
  ],
  async also(t) {
    const { id, answer } = await t.given.account();
    await observeNull(t, id, answer);
  },
});

export const updTagForms = refusals({
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
