// TXS: which transaction of which account a decision names, and who may decide.

import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { CallOptions } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Credential } from '../../providers/target.ts';
import { expectReads } from '../support/transaction-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { ALL_BUT_FUNDS } from '../transactions/places.ts';

type Verb = 'approve' | 'reject' | 'cancel';

const VERBS: readonly Verb[] = ['approve', 'reject', 'cancel'];

const txsAccountInQuery: Scenario = {
  id: 'txs-account-in-query',
  title: 'The query must name the account as a decimal string, on all three decisions',
  rules: ['TXS-15'],
  observes: ['NS-48', 'NS-58'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    await showEach(t, () => t.given.transaction(place));
    const pending = await t.given.transaction(place);
    for (const verb of VERBS) {
      const absent = await decide(t, verb, pending, { query: { account_id: null } });
      // Which status refuses a query without it the specification does not say; that it does, it
      // does.
      t.expect('TXS-15', absent).status(400, 422);
      const word = await decide(t, verb, pending, { query: { account_id: 'abc' } });
      if (word.status !== 422) await requireDecimals(t, pending);
      t.expect('TXS-15', word).refused(422, 'validation_failed');
    }
    for (const account_id of ['', '-1', `${pending.account_id}.0`, `${pending.account_id}x`]) {
      const refused = await decide(t, 'approve', pending, { query: { account_id } });
      if (refused.status !== 400 && refused.status !== 422) await requireDecimals(t, pending);
      t.expect('TXS-15', refused).status(400, 422);
    }
    await expectReads(t, 'TXS-15', pending, 'pending');
    await observePadded(t, pending);
    await observeExcess(t, () => t.given.transaction(place));
  },
};

/** NS-48: whether it is the same id. */
export async function observePadded(t: ScenarioContext, pending: GivenTransaction): Promise<void> {
  const query = { account_id: `00${pending.account_id}` };
  const padded = await decide(t, 'approve', pending, { query });
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
  const isFirst = twice.status < 300;
  t.observe('NS-58', `a second account_id in the query: ${twice.summary}`, {
    repeated_account_id: isFirst ? 'first' : twice.status === 404 ? 'last' : 'refused',
  });
  const filled = await pending();
  const raw = JSON.stringify({ reason: 'none is asked for' });
  const headers = { 'content-type': 'application/json' };
  const body = await decide(t, 'approve', filled, { raw, headers });
  t.observe('NS-58', `a body on approve: ${body.summary}`, {
    approve_body: body.status < 300 ? 'ignored' : 'refused',
  });
}

/** CONV-1c: where no id of any kind is held to be decimal, that is said there and not here. */
async function requireDecimals(t: ScenarioContext, { body }: GivenTransaction): Promise<void> {
  const odd = { ...body, client_reference_id: t.fresh.reference(), account_id: 'abc' };
  const refused = await t.api.createTransaction(odd);
  if (refused.status !== 422) {
    throw new Blocked(`an account_id "abc" in a body is ${refused.summary} as well (CONV-1c)`);
  }
}

const txsNamedAccount: Scenario = {
  id: 'txs-named-account',
  title: 'A transaction that is unknown, or not of the account named, is 404 and stays as it was',
  rules: ['TXS-16', 'CONV-1c'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const other = await t.given.account();
    await showEach(t, () => t.given.transaction(place));
    const pending = await t.given.transaction(place);
    for (const verb of VERBS) {
      const misnamed = [
        await decide(t, verb, pending, { query: { account_id: other.id } }),
        await decide(t, verb, { ...pending, id: UNKNOWN_ID }),
      ];
      if (verb === 'approve') {
        misnamed.push(await decide(t, verb, pending, { query: { account_id: UNKNOWN_ID } }));
      }
      for (const answer of misnamed) t.expect('TXS-16', answer).refused(404, 'not_found');
    }
    await expectReads(t, 'TXS-16', pending, 'pending');
    // What state it is in is nobody's business who cannot name its account.
    const rejected = await t.given.rejected(place);
    for (const verb of VERBS) {
      const answer = await decide(t, verb, rejected, { query: { account_id: other.id } });
      t.expect('TXS-16', answer).refused(404, 'not_found');
    }
    for (const verb of VERBS) {
      const odd = await decide(t, verb, { ...pending, id: 'abc' });
      t.expect('CONV-1c', odd).refused(422, 'validation_failed');
    }
  },
};

const txsOutOfReach: Scenario = {
  id: 'txs-out-of-reach',
  title: 'A transaction of an account out of reach is 404 on all three decisions',
  rules: ['TXS-16'],
  presumes: { 'TXS-16': ['AUTH-6', 'AUTH-7'] },
  // An account at another brand or firm with a trading account can only be made.
  needs: ['mint'],
  async run(t) {
    const home = await t.given.freshPlace('brand');
    await showEach(t, () => t.given.transaction(home, {}, 'brand'), 'brand');
    for (const role of ['other_brand', 'other_firm'] as const) {
      await t.branch('TXS-16', `a transaction of ${role}`, async () => {
        const abroad = await t.given.freshPlace(role);
        const body = { first_name: t.fresh.text() };
        const reach = { ifMatch: '"1"' };
        const update = await t.as('brand').updateAccount(abroad.account_id, body, reach);
        // Where nothing is out of reach at all, that is AUTH-6's to say.
        if (update.status !== 404) throw new Blocked(`out of reach, yet ${update.summary}`);
        const pending = await t.given.transaction(abroad, {}, role);
        for (const verb of VERBS) {
          const refused = await decide(t, verb, pending, {}, 'brand');
          t.expect('TXS-16', refused).refused(404, 'not_found');
          const lured = { query: { account_id: home.account_id } };
          const named = await decide(t, verb, pending, lured, 'brand');
          t.expect('TXS-16', named).refused(404, 'not_found');
        }
        const read = await t.given.rereadTransaction(pending, role);
        t.expect('TXS-16', read).field('status', 'pending');
      });
    }
  },
};

const txsScope: Scenario = {
  id: 'txs-scope',
  title: 'Without a funds scope no decision is served; transactions:amend alone is none',
  rules: ['TXS-17'],
  needs: ['trading_account', 'no_scopes', 'amend_only'],
  async run(t) {
    const place = await t.given.place();
    await showEach(t, () => t.given.transaction(place));
    const pending = await t.given.transaction(place);
    for (const role of ['no_scopes', 'amend_only'] as const) {
      for (const verb of VERBS) {
        const refused = await decide(t, verb, pending, {}, role);
        t.expect('TXS-17', refused).refused(403, 'forbidden');
      }
    }
    if (t.has('mint')) {
      const others = await t.operator.mint({ scopes: ALL_BUT_FUNDS });
      for (const verb of VERBS) {
        const refused = await decide(t, verb, pending, {}, others);
        t.expect('TXS-17', refused).refused(403, 'forbidden');
      }
    }
    await expectReads(t, 'TXS-17', pending, 'pending');
    if (!t.has('settle')) return;
    // What the scope is for, without the scope it widens.
    const settled = await t.given.settled(place);
    const refused = await decide(t, 'cancel', settled, {}, 'amend_only');
    t.expect('TXS-17', refused).refused(403, 'forbidden');
    await expectReads(t, 'TXS-17', settled, 'settled');
  },
};

/** The three decisions, each shown to work on a transaction like the one that is probed. */
async function showEach(
  t: ScenarioContext,
  make: () => Promise<GivenTransaction>,
  who: Role = t.mainRole,
): Promise<void> {
  for (const verb of VERBS) {
    const pending = await make();
    const key = t.fresh.key();
    await t.control(`to ${verb} one like it`, () => decide(t, verb, pending, { key }, who), 200);
  }
}

function decide(
  t: ScenarioContext,
  verb: Verb,
  { id, account_id }: { id: string; account_id: string },
  options: CallOptions = {},
  who: Role | Credential = t.mainRole,
): Promise<Answer> {
  const api = t.as(who);
  if (verb === 'approve') return api.approveTransaction(id, account_id, options);
  const body = { reason: 'conformance check' };
  return verb === 'reject'
    ? api.rejectTransaction(id, account_id, body, options)
    : api.cancelTransaction(id, account_id, body, options);
}

export const namingScenarios: readonly Scenario[] = [
  txsAccountInQuery,
  txsNamedAccount,
  txsOutOfReach,
  txsScope,
];
