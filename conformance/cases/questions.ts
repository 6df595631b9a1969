// Observations of open questions as rows. A row has the question, the request, and for each
// possible answer the setting with which the simulator answers in the same way.
import type { QuestionId } from '../../fixtures/questions.ts';
import type { SettingKey } from '../../fixtures/settings.ts';
import { isReplayOf } from '../engine/judge/replay.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { Answer } from '../engine/send/answer.ts';
import type { RequestBody } from '../engine/send/call.ts';
import type { Place } from '../providers/target.ts';
import { strongTag } from '../scenarios/support/account-assertions.ts';

type Settings = { readonly [Key in SettingKey]?: unknown };

type QuestionRow = readonly [
  question: QuestionId,
  what: string,
  ask: (t: ScenarioContext) => Promise<Answer>,
  settings: (answer: Answer) => Settings,
];

/** A setting with one value if the request is served, and another if it is refused. */
function ifServed(key: SettingKey, served: string, refused = 'refused') {
  return (answer: Answer) => ({ [key]: answer.isServed ? served : refused });
}

/** A transaction whose amount or other value may be accepted or refused. */
function recorded(question: QuestionId, key: SettingKey, what: string, over: RequestBody) {
  const ask = (t: ScenarioContext) => record(t, over);
  return [question, what, ask, ifServed(key, 'accepted')] satisfies QuestionRow;
}

async function update(t: ScenarioContext, ifMatch: string | null): Promise<Answer> {
  const { id } = await t.given.account();
  return t.update(id, { first_name: t.fresh.text() }, ifMatch);
}

async function record(t: ScenarioContext, over: RequestBody): Promise<Answer> {
  return t.record(await t.given.place(), over);
}

async function recordInOtherCurrency(t: ScenarioContext): Promise<Answer> {
  const place = await t.given.place();
  const currency = place.currency === 'CHF' ? 'NOK' : 'CHF';
  return t.record(place, { currency });
}

/** A transaction that is approved with additional members in the query or the body. */
async function approve(
  t: ScenarioContext,
  query: (account: string, other: string) => string,
  raw?: string,
): Promise<Answer> {
  const { id, account_id } = await t.given.transaction(await t.given.place());
  const other = (await t.given.account()).id;
  const path = `/api/v1/transactions/${id}/approve?${query(account_id, other)}`;
  const body = raw === undefined ? {} : { raw, headers: { 'content-type': 'application/json' } };
  return t.call({ method: 'POST', path, key: t.fresh.key(), ...body });
}

const OTHER_CURRENCY = 'another currency than that of the trading account';

const ROWS: readonly QuestionRow[] = [
  [
    'NS-18',
    'without If-Match',
    (t) => update(t, null),
    ({ status }) => ({ missing_if_match: status }),
  ],
  ['NS-39', 'If-Match: *', (t) => update(t, '*'), ifServed('if_match_star', 'any', 'malformed')],
  recorded('NS-27', 'zero_amount', 'an amount of zero', { amount: '0.00' }),
  recorded('NS-46', 'amount_as_number', 'an amount as a JSON number', { amount: 25 }),
  ['NS-60', OTHER_CURRENCY, recordInOtherCurrency, ifServed('other_currency', 'accepted')],
  [
    'NS-48',
    'an account_id written with leading zeros',
    (t) => approve(t, (account) => `account_id=00${account}`),
    ifServed('id_leading_zeros', 'same_id'),
  ],
  [
    'NS-58',
    'a second account_id in the query',
    (t) => approve(t, (account, other) => `account_id=${account}&account_id=${other}`),
    ({ isServed, status }) => ({
      repeated_account_id: isServed ? 'first' : status === 404 ? 'last' : 'refused',
    }),
  ],
  [
    'NS-58',
    'a body on approve',
    (t) => approve(t, (account) => `account_id=${account}`, '{"reason":"none is asked for"}'),
    ifServed('approve_body', 'ignored'),
  ],
  [
    'NS-33',
    'a row with a blank reference',
    (t) =>
      t.call('bulkCreateAccounts', {
        rows: [t.newAccount(), t.newAccount({ client_reference_id: '' })],
      }),
    ({ status }) => ({ bulk_row_problems: status === 200 ? 'row' : 'batch' }),
  ],
];

/** Sends the requests of these questions, and records the observed answers. */
export async function observe(
  t: ScenarioContext,
  ...questions: readonly QuestionId[]
): Promise<void> {
  for (const [question, what, ask, settings] of ROWS) {
    if (!questions.includes(question)) continue;
    const answer = await ask(t);
    t.observe(question, `${what}: ${answer.summary}`, settings(answer));
  }
}

/** NS-49: which forms of a decimal are accepted other than plain digits. */
export async function observeDecimals(t: ScenarioContext): Promise<void> {
  const taken: string[] = [];
  for (const amount of ['1e3', '+5', '.5']) {
    if ((await record(t, { amount })).isServed) taken.push(amount);
  }
  t.observe('NS-49', taken.length === 0 ? 'digits only' : `also ${taken.join(', ')}`, {
    amount_exponent: taken.length === 3 ? 'accepted' : 'refused',
  });
}

/** NS-35: whether a transaction's reference in another case is another subject. */
export async function observeCase(t: ScenarioContext, place: Place): Promise<void> {
  const key = t.fresh.key();
  const body = t.newTransaction(place);
  const first = await t.control('createTransaction', { body, key });
  const client_reference_id = String(body.client_reference_id).toUpperCase();
  const upper = await t.call('createTransaction', { body: { ...body, client_reference_id }, key });
  const same = isReplayOf(upper, first);
  const words = same ? 'one subject in any case' : 'another subject in another case';
  t.observe('NS-35', words, { transaction_subject_case_sensitive: !same });
}

/** NS-58: of two keys the first may count, or both together, or neither. */
export async function observeTwoKeys(t: ScenarioContext): Promise<void> {
  const keys = [t.fresh.key(), t.fresh.key()];
  const body = t.newAccount();
  const created = await t.call('createAccount', { body, headers: { 'idempotency-key': keys } });
  const words = `two Idempotency-Key headers: ${created.summary}`;
  if (!created.isServed) return t.observe('NS-58', words, { repeated_key: 'refused' });
  const first = await t.call('createAccount', { body, key: keys[0]! });
  // A new key finds the account by its reference; the same key gets the first response again.
  const isFirst = isReplayOf(first, created) && created.status === 201;
  t.observe('NS-58', words, { repeated_key: isFirst ? 'first' : 'joined' });
}

/** NS-40. */
export async function observeUnit(t: ScenarioContext): Promise<void> {
  const under = (reference: string) => t.create({ client_reference_id: reference });
  const wide = `${t.fresh.text()}${'𝒳'.repeat(255)}`;
  const inCodePoints = await under([...wide].slice(0, 255).join(''));
  const accented = `${t.fresh.text()}${'é'.repeat(255)}`.slice(0, 255);
  const inUnits = inCodePoints.isServed || (await under(accented)).isServed;
  const unit = inCodePoints.isServed ? 'code_points' : inUnits ? 'utf16' : 'bytes';
  t.observe('NS-40', `255 is counted in ${unit}`, { length_unit: unit });
}

/** NS-19. */
export async function observeIdle(
  t: ScenarioContext,
  { id, stale }: { readonly id: string; readonly stale: string },
): Promise<void> {
  const idle = await t.update(id, {}, stale);
  t.observe('NS-19', `stale tag and nothing to change: ${idle.summary}`, {
    tag_before_no_change: idle.status === 412,
  });
}

/** NS-54: the specification only says that the account status endpoint exists. */
export async function observeStatus(t: ScenarioContext, id: string): Promise<void> {
  const answer = await t.call('getAccountStatus', { id });
  const isServed = answer.status === 200;
  const tag = answer.headers.has('etag') ? 'with' : 'without';
  const members = Object.keys(Object(answer.json)).join(', ');
  const words = isServed ? `{${members}}, ${tag} an ETag` : answer.summary;
  const isUnlike = ['account_id', 'status', 'revision'].some(
    (name) => answer.at(name) === undefined,
  );
  const settings = { account_status_endpoint: isServed ? 'served' : 'none' };
  const request = 'GET /api/v1/accounts/{id}/status';
  t.observe('NS-54', `${request}: ${words}`, settings, isServed && isUnlike);
}

/** NS-55: null together with a change, so that it is not refused for changing nothing. */
export async function observeNull(t: ScenarioContext, id: string, before: Answer): Promise<void> {
  const body = { first_name: null, country: t.fresh.text() };
  const answer = await t.update(id, body, strongTag(before));
  const kept = answer.at('first_name') === before.at('first_name');
  const does = !answer.isServed ? 'refused' : kept ? 'not_sent' : 'cleared';
  const words = { refused: answer.summary, not_sent: 'as if not sent', cleared: 'cleared' };
  t.observe('NS-55', `null for first_name: ${words[does]}`, { update_null: does });
}
