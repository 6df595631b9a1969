// UPD: updating an account under its tag, and which of its fields that can change.

import { PROFILE, UPDATABLE_MEMBERS } from '../../engine/account-members.ts';
import type { ExpectedValue } from '../../engine/judge/expect.ts';
import { not } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import {
  digitsOf,
  readPresent,
  strongTag,
  tagAfter,
  updatedOnce,
} from '../support/account-assertions.ts';

/** What an update may have changed besides the fields it names: nothing but the revision. */
const OTHERS = ['client_reference_id', 'phone', 'brand_id', 'firm_id'] as const;

type ChangeRow = readonly [RuleId, RequestBody];

/** UPD-1 of two fields; UPD-3 of each by itself, so that one that cannot be updated shows. */
function changesOf(account: GivenAccount): ChangeRow[] {
  // ACC-20 judges which status it begins with: here, one that is a change; UPD-4 whether any will do.
  const status = account.answer.at('status') === 'Active' ? 'New' : 'Active';
  const values: RequestBody = { ...PROFILE, status };
  return [
    ['UPD-1', { first_name: 'Grace', last_name: 'Hopper' }],
    ...UPDATABLE_MEMBERS.map((name): ChangeRow => ['UPD-3', { [name]: values[name] }]),
  ];
}

const updApplied: Scenario = {
  id: 'upd-applied',
  title: 'A valid update answers 200, the account with the fields sent and no others changed',
  rules: ['UPD-1', 'UPD-2', 'UPD-3'],
  observes: ['NS-26'],
  async run(t) {
    const account = await t.given.account({ phone: t.fresh.phone() });
    const changes = changesOf(account);
    let before = account.answer;
    let tag = strongTag(before);
    for (const [rule, change] of changes) {
      const after = await t.api.updateAccount(account.id, change, { ifMatch: tag });
      // UPD-1 asks for the 200; UPD-3, that the field can be updated at all.
      const expected = t.expect(rule, after);
      if (rule === 'UPD-1') expected.status(200);
      else expected.is('applied', after.status < 300);
      if (after.status >= 300) continue;
      const shown = await expectChanged(t, account, rule, [before, after], change);
      before = shown;
      tag = shown === after ? await tagAfter(t, account, after, tag) : strongTag(shown);
    }
    const now = await t.given.reread(account);
    t.expect('UPD-1', now).fields(membersOf(before, UPDATABLE_MEMBERS));
    await expectWhole(t, account, now);
    observeRevisions(t, account.answer, before, changes.length);
  },
};

/** How long a name may be is open; one that is taken is taken whole. */
async function expectWhole(t: ScenarioContext, account: GivenAccount, now: Answer): Promise<void> {
  const last_name = t.fresh.text(200);
  const options = { ifMatch: strongTag(now) };
  const long = await t.api.updateAccount(account.id, { last_name }, options);
  const seen = long.at('last_name');
  const cut = typeof seen === 'string' && seen.length < 200 && last_name.startsWith(seen);
  if (long.status < 300) t.expect('UPD-3', long).is('all 200 characters of it', !cut, `${seen}`);
}

/** What the answer shows, and then a reading, which is the base of the next update. */
async function expectChanged(
  t: ScenarioContext,
  account: GivenAccount,
  rule: RuleId,
  [before, after]: readonly [Answer, Answer],
  change: RequestBody,
): Promise<Answer> {
  const wanted = change as Record<string, string>;
  const rest = [...UPDATABLE_MEMBERS, ...OTHERS].filter((name) => change[name] === undefined);
  // UPD-1 judges that the answer is the account; if it is not, a reading shows the rest of it.
  const whole = after.at('id') === undefined ? await t.given.reread(account) : after;
  t.expect('UPD-2', whole).fields(membersOf(before, rest));
  const own = String(before.at('id'));
  const [tag, old] = [after.headers.get('etag'), before.headers.get('etag')];
  t.expect('UPD-1', after)
    .is(`the account ${own}`, after.isOf(own))
    .field('revision', not((before.at('revision') as number | undefined) ?? null));
  // ACC-19 judges the form of the tag; here, that it is another one.
  t.expect('UPD-1', after).is('a new ETag', tag !== undefined && tag !== old, `ETag: ${tag}`);
  if (rule === 'UPD-1') {
    const applied = t.expect('UPD-1', after).fields(wanted);
    return applied.ok ? expectLasting(t, account, after) : t.given.reread(account);
  }
  const isShown = Object.keys(wanted).every((name) => after.at(name) === wanted[name]);
  const seen = isShown ? after : await t.given.reread(account);
  t.expect('UPD-3', seen).fields(wanted);
  return seen;
}

/**
 * UPD-1: what was answered is so. If a reading does not show it, an update under the new tag
 * applies where only the reading shows the past, which ACC-5 judges.
 */
async function expectLasting(
  t: ScenarioContext,
  account: GivenAccount,
  after: Answer,
): Promise<Answer> {
  const now = await t.given.reread(account);
  const name = after.at('first_name') ?? null;
  if (now.at('first_name') !== name) {
    const options = { ifMatch: strongTag(after) };
    const onward = await t.api.updateAccount(account.id, { country: 'NO' }, options);
    const words = 'setup failed: a known reference answers the account as it once was (ACC-5)';
    if (onward.status < 300) throw new Blocked(words);
  }
  t.must('UPD-1', now).field('first_name', name);
  return now;
}

/** The members that an answer has, of these names. How ids are written is CONV-1a's to judge. */
function membersOf(answer: Answer, names: readonly string[]): Record<string, ExpectedValue> {
  const seen = names.map((name) => [name, answer.at(name)] as const);
  const there = seen.filter((pair): pair is [string, Json] => pair[1] !== undefined);
  return Object.fromEntries(
    there.map(([name, value]) => [name, /(^|_)id$/.test(name) ? sameId(value) : value]),
  );
}

function sameId(id: Json): ExpectedValue {
  return { words: `the id ${id}`, test: (seen) => String(seen) === String(id) };
}

function observeRevisions(t: ScenarioContext, first: Answer, last: Answer, count: number): void {
  const from = Number(first.at('revision'));
  const step = (Number(last.at('revision')) - from) / count;
  t.observe('NS-26', `starts at ${from}, and grows by ${step} a change`, {
    first_revision: from,
    ...(Number.isInteger(step) && step > 0 ? { revision_step: step } : {}),
  });
}

const updStatus: Scenario = {
  id: 'upd-status',
  title: 'status takes any string and is stored as sent',
  rules: ['UPD-4'],
  observes: ['NS-5'],
  async run(t) {
    const account = await updatedOnce(t);
    let tag = strongTag(await readPresent(t, account, account.updated));
    const odd = ' Größer als 7 – “never configured” ';
    const statuses = [t.fresh.text(), 'nEW', odd, t.fresh.text(100), ''];
    let taken = 0;
    for (const status of statuses) {
      const after = await t.api.updateAccount(account.id, { status }, { ifMatch: tag });
      if (!t.expect('UPD-4', after).is('taken', after.status < 300).ok) continue;
      taken += 1;
      tag = await tagAfter(t, account, after, tag);
      t.expect('UPD-4', await readPresent(t, account, after)).field('status', status);
    }
    t.observe('NS-5', `${taken} of ${statuses.length} made-up statuses taken`);
  },
};

const updFixedFields: Scenario = {
  id: 'upd-fixed-fields',
  title: 'Email and phone cannot be changed by an update, nor anything but the five fields',
  rules: ['UPD-3', 'UPD-11'],
  observes: ['NS-27'],
  async run(t) {
    const phone = t.fresh.phone();
    const account = await t.given.account({ phone });
    let tag = strongTag(account.answer);
    const update = (body: RequestBody) => t.api.updateAccount(account.id, body, { ifMatch: tag });
    const named = await t.control('an update of a name', () => update({ first_name: 'Ida' }), 200);
    tag = await tagAfter(t, account, named, tag);
    const both = () => ({ email: t.fresh.email(), phone: t.fresh.phone() });
    // Alone and beside a change that is welcome: ignored or refused (NS-27), but never done.
    for (const wish of [both(), { ...both(), last_name: 'Byron' }]) {
      const after = await update(wish);
      if ('last_name' in wish) observeOthers(t, after);
      const seen = await t.given.reread(account);
      tag = strongTag(seen);
      const kept = digitsOf(seen.at('phone')) === digitsOf(phone);
      t.expect('UPD-11', seen).is(`the phone ${phone}`, kept, `phone: ${seen.at('phone')}`, after);
      // The new email and phone are still free.
      const { email, phone: other } = wish;
      const free = await t.api.createAccount(t.newAccount({ email, phone: other }));
      const made = free.status < 300 && !free.isOf(account.id);
      t.expect('UPD-11', free).is('a new account: no one has that email or phone', made);
    }
    await t.branch('UPD-11', 'one of them alone', async () => {
      // UPD-8: if a body without any change is taken, taking these says nothing.
      if ((await update({})).status < 300)
        throw new Blocked('a body that changes nothing is taken');
      for (const wish of [{ email: t.fresh.email() }, { phone: t.fresh.phone() }]) {
        const after = await update(wish);
        const words = `not taken: it has nothing but ${Object.keys(wish)}`;
        t.expect('UPD-11', after).is(words, after.status >= 300);
      }
      tag = strongTag(await t.given.reread(account));
    });
    const fixed = { id: '1', revision: 1, brand_id: '1', firm_id: '1', country: 'NO' };
    const after = await update(fixed);
    const own = membersOf(account.answer, ['id', 'brand_id', 'firm_id']);
    if (after.status === 200) t.expect('UPD-3', after).fields(own);
    t.expect('UPD-3', await t.given.reread(account)).fields(own);
  },
};

/** NS-27: members that an update cannot change, beside one that it can. */
function observeOthers(t: ScenarioContext, { status, summary }: Answer): void {
  if (status >= 300 && status !== 400 && status !== 422) return;
  const form = status < 300 ? 'ignored' : 'refused';
  t.observe('NS-27', `email and phone in an update: ${summary}`, { update_other_members: form });
}

const updAtOnce: Scenario = {
  id: 'upd-at-once',
  title: 'Of concurrent updates under one tag exactly one applies; the rest get 412',
  rules: ['UPD-12'],
  async run(t) {
    const account = await updatedOnce(t);
    await readPresent(t, account, account.updated);
    // UPD-7 judges what a stale tag is answered; the losers of a race may be answered the same.
    const late = { first_name: 'Late' };
    const stale = await t.api.updateAccount(account.id, late, { ifMatch: account.stale });
    const answers = await t.sendTogether(await t.burstSize(8), (n) =>
      t.api.updateAccount(account.id, { last_name: `Racer ${n}` }, { ifMatch: account.current }),
    );
    const applied = answers.filter((each) => each.status < 300);
    const lost = ({ status, code }: Answer) =>
      [412, 503, stale.status].includes(status) || code === 'idempotency_in_flight';
    // If none is told that it applied, it is no race that went wrong.
    if (applied.length === 0) t.presume('UPD-1', 'UPD-7');
    t.claim(
      'UPD-12',
      'one 200, and 412 (or an answer to retry) for the rest',
      applied.length === 1 && answers.every((each) => each.status < 300 || lost(each)),
      answers.map((each) => each.summary).join('; '),
      ...answers,
    );
    if (applied.length !== 1) return;
    const winner = `Racer ${answers.indexOf(applied[0]!)}`;
    t.expect('UPD-12', await readPresent(t, account, applied[0]!)).field('last_name', winner);
  },
};

export const updateScenarios: readonly Scenario[] = [
  updApplied,
  updStatus,
  updFixedFields,
  updAtOnce,
];
