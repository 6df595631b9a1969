// IDEM-4d: refusals are kept under their key as successes are: status, code, detail and bytes.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, MissingCapability } from '../../engine/scenario-errors.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { isReplayOf } from './is-replay-of.ts';
import { judgeKept, judgeKinds, REFUSAL_RULES, type Refused, type Seen } from './refusal-kinds.ts';
import { decide } from './subjects.ts';

const NOWHERE = '999999999999';

const idemRefusalsOfAccounts: Scenario = {
  id: 'idem-refusals-of-accounts',
  title: 'Refused writes of accounts are answered the same refusal again: 422, 412, 404',
  rules: REFUSAL_RULES,
  observes: ['NS-30'],
  async run(t) {
    const account = await t.given.account();
    const patch = (body: RequestBody, ifMatch: string) => (key: string) =>
      t.api.updateAccount(account.id, body, { key, ifMatch });
    const invalid = t.newAccount({ email: t.fresh.text() });
    const same = String(account.body.country);
    const kinds: Refused[] = [
      {
        ...{ status: 422, code: 'validation_failed' },
        send: (key) => t.api.createAccount(invalid, { key }),
        corrected: (key) => t.api.createAccount({ ...invalid, email: t.fresh.email() }, { key }),
      },
      {
        ...{ status: 422, code: 'validation_failed' },
        send: patch({ country: same }, account.etag),
        corrected: patch({ country: 'FR' }, account.etag),
      },
    ];
    const seen = await judgeKinds(t, kinds);
    // From here on the first tag is stale, whatever the corrected request did.
    const updated = await t.api.updateAccount(
      account.id,
      { first_name: 'Grace' },
      { ifMatch: account.etag },
    );
    const present = updated.headers.get('etag') ?? '';
    const later: Refused[] = [
      {
        ...{ status: 412, code: 'revision_conflict' },
        send: patch({ language: 'fr' }, account.etag),
        ...(updated.status === 200 ? { corrected: patch({ language: 'fr' }, present) } : {}),
      },
      {
        ...{ status: 404, code: 'not_found' },
        send: (key) => t.api.updateAccount(NOWHERE, { country: 'FR' }, { key, ifMatch: present }),
      },
    ];
    await judgeKinds(t, later, seen);
    await lookAtUnreadable(t);
  },
};

/** NS-30: what cannot be read has no subject, but its key may be remembered all the same. */
async function lookAtUnreadable(t: ScenarioContext): Promise<void> {
  const key = t.fresh.key();
  const body = t.newAccount();
  const unread = await t.api.createAccount({ ...body, email: undefined }, { key });
  if (unread.status < 400) return;
  const whole = await t.api.createAccount(body, { key });
  const kept = whole.status >= 400;
  t.observe('NS-30', `an unreadable body is ${kept ? 'kept' : 'not kept'} under its key`);
}

const idemRefusalsOfBatches: Scenario = {
  id: 'idem-refusals-of-batches',
  title: 'Refused batches are answered the same refusal again',
  rules: REFUSAL_RULES,
  async run(t) {
    const account = await t.given.account();
    const seen = { renumbered: false };
    if (t.has('mint')) {
      const words = 'a batch refused for want of the scope, which is granted since';
      await t.branch(['IDEM-4b', 'IDEM-5'], words, () => lookAtKeptBatch(t, seen));
    }
    const rows = Array.from({ length: 1001 }, () => account.body);
    const kind = { status: 413, code: 'scope_too_wide' };
    await judgeKinds(
      t,
      [{ ...kind, send: (key) => t.api.bulkCreateAccounts(rows, { key }) }],
      seen,
    );
  },
};

/**
 * No corrected batch has the subject of the one that was refused (IDEM-9b), so that a replay with a
 * number of its own (IDEM-5) looks like a refusal made anew (IDEM-4d). One that goes on after its
 * reason is gone is certainly a replay; whether it does is open (NS-17).
 */
async function lookAtKeptBatch(t: ScenarioContext, seen: Seen): Promise<void> {
  const modest = await t.operator.mint({ scopes: [] });
  const send = (key: string) => t.as(modest).bulkCreateAccounts([t.newAccount()], { key });
  const rows = [t.newAccount()];
  const key = t.fresh.key();
  const refuse = () => t.as(modest).bulkCreateAccounts(rows, { key });
  const first = await refuse();
  if (first.status !== 403) throw new Blocked(`without accounts:write: ${first.summary}`);
  await t.operator.rescope(modest.clientId ?? '', ['accounts:write']);
  await t.control('a batch once the scope is granted', () => send(t.fresh.key()));
  const again = await refuse();
  if (isReplayOf(again, first)) await judgeKept(t, first, again, seen);
}

const idemRefusalsOfTransactions: Scenario = {
  id: 'idem-refusals-of-transactions',
  title: 'Refused writes of transactions are answered the same refusal again: 422, 404, 409',
  rules: REFUSAL_RULES,
  needs: ['trading_account'],
  async run(t) {
    const where = await t.given.place();
    const rejected = await t.given.rejected(where);
    const pending = await t.given.transaction(where);
    const invalid = t.newTransaction(where, { amount: t.fresh.text() });
    const astray = t.newTransaction(where, { trading_account_id: NOWHERE });
    const { trading_account_id } = where;
    const create = (body: typeof invalid) => (key: string) =>
      t.api.createTransaction(body, { key });
    const reject = (reason: string) => (key: string) =>
      t.api.rejectTransaction(pending.id, where.account_id, { reason }, { key });
    const unknown = { id: NOWHERE, account_id: where.account_id };
    await judgeKinds(t, [
      {
        ...{ status: 422, code: 'validation_failed' },
        send: create(invalid),
        corrected: create({ ...invalid, amount: '25.00' }),
      },
      {
        ...{ status: 404, code: 'not_found' },
        send: create(astray),
        corrected: create({ ...astray, trading_account_id }),
      },
      { status: 422, code: 'validation_failed', send: reject(''), corrected: reject('a reason') },
      {
        ...{ status: 404, code: 'not_found' },
        send: (key) => decide(t, 'cancel', unknown, key),
        corrected: (key) => decide(t, 'cancel', pending, key),
      },
      {
        ...{ status: 409, code: 'invalid_state' },
        send: (key) => decide(t, 'approve', rejected, key),
        corrected: (key) => decide(t, 'approve', pending, key),
      },
    ]);
  },
};

const idemRefusalsOfPositions: Scenario = {
  id: 'idem-refusals-of-positions',
  title: 'Refused orders are answered the same refusal again',
  rules: REFUSAL_RULES,
  needs: ['trading_account'],
  async run(t) {
    const where = await t.given.place();
    const { body: closing } = await closePosition(t, await openPosition(t, where));
    const opened = await openPosition(t, where);
    const astray = { ...opened.body, trading_account_id: NOWHERE };
    const close = (positionId?: string) => (key: string) =>
      t.api.closePosition(closing(opened, positionId), { key });
    const wrong: Pick<Refused, 'send' | 'corrected'>[] = [
      { send: close(NOWHERE), corrected: close() },
      { send: (key) => t.api.openPosition(astray, { key }) },
    ];
    const seen = { renumbered: false };
    for (const each of wrong) {
      // NS-1: what an order is refused with is open.
      const { status, code } = await each.send(t.fresh.key());
      if (status >= 500 || code === undefined) continue;
      await judgeKinds(t, [{ status, code, ...each }], seen);
    }
  },
};

const idemRefusalOfProviderWithdrawal: Scenario = {
  id: 'idem-refusal-of-provider-withdrawal',
  title: 'The 501 for a payment-provider withdrawal is kept under its key',
  rules: REFUSAL_RULES,
  needs: ['provider_trading_account'],
  async run(t) {
    const where = await t.given.providerPlace();
    const over = { transaction_type: 'Withdrawal', method: 'Withdrawal', amount: '-25.00' };
    const withdrawal = await t.given.transaction(where, over);
    const deposit = await t.given.transaction(where);
    const approve = (made: typeof deposit) => (key: string) => decide(t, 'approve', made, key);
    const probe = await approve(withdrawal)(t.fresh.key());
    if (probe.status < 300) {
      throw new MissingCapability(
        'provider_trading_account',
        "no withdrawal is a payment provider's here",
      );
    }
    const kind = { status: 501, code: 'not_implemented' };
    await judgeKinds(t, [{ ...kind, send: approve(withdrawal), corrected: approve(deposit) }]);
  },
};

const idemRefusalByBrand: Scenario = {
  id: 'idem-refusal-by-brand',
  title: 'The 403 for another brand is kept under its key',
  rules: REFUSAL_RULES,
  needs: ['brand'],
  async run(t) {
    const create = (body: RequestBody) => (key: string) =>
      t.as('brand').createAccount(body, { key });
    const own = create(t.newAccount({}, 'brand'));
    await t.control('a create at its own brand', () => own(t.fresh.key()));
    const invalid = t.newAccount({ email: t.fresh.text() }, 'brand');
    const foreign = { brand_id: t.brandId('other_brand') ?? NOWHERE };
    await judgeKinds(t, [
      {
        ...{ status: 422, code: 'validation_failed' },
        send: create(invalid),
        corrected: create({ ...invalid, email: t.fresh.email() }),
      },
      // NS-41: whether its own brand under this key is the same subject is open.
      { status: 403, code: 'forbidden', send: create(t.newAccount(foreign, 'brand')) },
    ]);
  },
};

const idemRefusalOfCancel: Scenario = {
  id: 'idem-refusal-of-cancel',
  title: 'The 403 for cancelling a settled transaction is kept, though the scope is granted since',
  rules: REFUSAL_RULES,
  needs: ['mint', 'settle', 'fresh_trading_account'],
  async run(t) {
    const settled = await t.given.settled(await t.given.freshPlace());
    const scopes = ['transactions:write'];
    const modest = await t.operator.mint({ scopes });
    const send = (key: string) =>
      t.as(modest).cancelTransaction(settled.id, settled.account_id, undefined, { key });
    const corrected = async (key: string) => {
      await t.operator.rescope(modest.clientId ?? '', [...scopes, 'transactions:amend']);
      return send(key);
    };
    await judgeKinds(t, [{ status: 403, code: 'forbidden', send, corrected }]);
  },
};

export const refusalScenarios: readonly Scenario[] = [
  idemRefusalsOfAccounts,
  idemRefusalsOfBatches,
  idemRefusalsOfTransactions,
  idemRefusalsOfPositions,
  idemRefusalOfProviderWithdrawal,
  idemRefusalByBrand,
  idemRefusalOfCancel,
];
