// What the specification leaves open, observed on the target: which answer it gives, and the setting
// with which the simulator does the same.
import { isReplayOf } from '../engine/judge/replay.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../engine/scenario/scenario-setup.ts';
import type { Answer } from '../engine/send/answer.ts';
import type { Place } from '../providers/target.ts';
import { strongTag } from '../scenarios/support/account-assertions.ts';

/** NS-35: whether another case of a transaction's reference is another subject. */
export async function observeCase(t: ScenarioContext, place: Place): Promise<void> {
  const key = t.fresh.key();
  const body = t.newTransaction(place);
  const first = await t.control('a create', () => t.api.createTransaction(body, { key }), 201);
  const client_reference_id = String(body.client_reference_id).toUpperCase();
  const upper = await t.api.createTransaction({ ...body, client_reference_id }, { key });
  const same = isReplayOf(upper, first);
  const words = same ? 'one subject in any case' : 'another subject in another case';
  t.observe('NS-35', words, { transaction_subject_case_sensitive: !same });
}

/** NS-58: of two keys the first may count, both together, or neither. */
export async function observeTwoKeys(t: ScenarioContext): Promise<void> {
  const keys = [t.fresh.key(), t.fresh.key()];
  const body = t.newAccount();
  const made = await t.api.createAccount(body, { headers: { 'idempotency-key': keys } });
  const words = `two Idempotency-Key headers: ${made.summary}`;
  if (made.status >= 300) return t.observe('NS-58', words, { repeated_key: 'refused' });
  const first = await t.api.createAccount(body, { key: keys[0]! });
  // A key of its own finds the account by its reference; the same one gets the first answer again.
  const isFirst = isReplayOf(first, made) && made.status === 201;
  t.observe('NS-58', words, { repeated_key: isFirst ? 'first' : 'joined' });
}

/** NS-48: whether an id with leading zeros names the same record. */
export async function observePadded(
  t: ScenarioContext,
  { id, account_id }: GivenTransaction,
): Promise<void> {
  const padded = await t.api.approveTransaction(id, `00${account_id}`);
  t.observe('NS-48', `an account_id written with leading zeros: ${padded.summary}`, {
    id_leading_zeros: padded.status < 300 ? 'same_id' : 'refused',
  });
}

/** NS-58: more than is asked for, each of which may be ignored or refused. */
export async function observeExcess(
  t: ScenarioContext,
  pending: () => Promise<GivenTransaction>,
): Promise<void> {
  const { id, account_id } = await pending();
  const other = (await t.given.account()).id;
  const path = `/api/v1/transactions/${id}/approve?account_id=${account_id}&account_id=${other}`;
  const twice = await t.api.send({ method: 'POST', path, key: t.fresh.key() });
  const refused = twice.status === 404 ? 'last' : 'refused';
  t.observe('NS-58', `a second account_id in the query: ${twice.summary}`, {
    repeated_account_id: twice.status < 300 ? 'first' : refused,
  });
  const filled = await pending();
  const raw = JSON.stringify({ reason: 'none is asked for' });
  const headers = { 'content-type': 'application/json' };
  const body = await t.api.approveTransaction(filled.id, filled.account_id, { raw, headers });
  t.observe('NS-58', `a body on approve: ${body.summary}`, {
    approve_body: body.status < 300 ? 'ignored' : 'refused',
  });
}

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

/** NS-55: null beside a change, so that it is not for changing nothing that it is refused. */
export async function observeNull(t: ScenarioContext, id: string, before: Answer): Promise<void> {
  const body = { first_name: null, country: t.fresh.text() };
  const answer = await t.api.updateAccount(id, body, { ifMatch: strongTag(before) });
  const kept = answer.at('first_name') === before.at('first_name');
  const does = answer.status >= 300 ? 'refused' : kept ? 'not_sent' : 'cleared';
  const words = { refused: answer.summary, not_sent: 'as if not sent', cleared: 'cleared' };
  t.observe('NS-55', `null for first_name: ${words[does]}`, { update_null: does });
}

/** NS-18. */
export async function observeUntagged(
  t: ScenarioContext,
  update: (ifMatch: string | null) => Promise<Answer>,
): Promise<Answer> {
  const none = await update(null);
  t.observe('NS-18', `without If-Match: ${none.summary}`, { missing_if_match: none.status });
  return none;
}

/** NS-39. */
export async function observeStar(
  t: ScenarioContext,
  update: (ifMatch: string | null) => Promise<Answer>,
): Promise<void> {
  const star = await update('*');
  t.observe('NS-39', `If-Match: *: ${star.summary}`, {
    if_match_star: star.status === 200 ? 'any' : 'malformed',
  });
}

export async function observeAmounts(t: ScenarioContext, place: Place): Promise<void> {
  const zero = await t.api.createTransaction(t.newTransaction(place, { amount: '0.00' }));
  t.observe('NS-27', `an amount of zero: ${zero.summary}`, {
    zero_amount: zero.status < 300 ? 'accepted' : 'refused',
  });
  const number = await t.api.createTransaction(t.newTransaction(place, { amount: 25 }));
  t.observe('NS-46', `an amount as a JSON number: ${number.summary}`, {
    amount_as_number: number.status < 300 ? 'accepted' : 'refused',
  });
  const spelt: string[] = [];
  for (const amount of ['1e3', '+5', '.5']) {
    const answer = await t.api.createTransaction(t.newTransaction(place, { amount }));
    if (answer.status < 300) spelt.push(amount);
  }
  const currency = place.currency === 'CHF' ? 'NOK' : 'CHF';
  const other = await t.api.createTransaction(t.newTransaction({ ...place, currency }));
  t.observe('NS-60', `${currency} on a trading account in ${place.currency}: ${other.summary}`, {
    other_currency: other.status < 300 ? 'accepted' : 'refused',
  });
  t.observe('NS-49', spelt.length === 0 ? 'digits only' : `also ${spelt.join(', ')}`, {
    amount_exponent: spelt.length === 3 ? 'accepted' : 'refused',
  });
}
