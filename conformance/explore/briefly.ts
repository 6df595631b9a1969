// What of a scenario of the judge its open questions take: the same observations, without the many
// requests that judge what is not open.

import { observeOpenMoves } from '../cases/moves.ts';
import {
  observeAmounts,
  observeCase,
  observeExcess,
  observeIdle,
  observeNull,
  observePadded,
  observeStar,
  observeStatus,
  observeTwoKeys,
  observeUnit,
  observeUntagged,
} from '../cases/questions.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import { Blocked } from '../engine/scenario-errors.ts';
import type { RequestBody } from '../engine/send/client.ts';
import type { Scenario } from '../engine/types.ts';
import { observeReader } from '../scenarios/access/authentication.ts';
import {
  DelegatedTokens,
  delegatedPlace,
  mintDelegated,
} from '../scenarios/access/delegated-tokens.ts';
import { expectBrandClosed, observeCreate } from '../scenarios/access/reach.ts';
import { observeCaseOf } from '../scenarios/accounts/people.ts';
import { observeKnown } from '../scenarios/accounts/references.ts';
import { observeEntries, observeUnrouted } from '../scenarios/errors/table.ts';
import { observeReading } from '../scenarios/errors/unreadable-bodies.ts';
import { observePayload } from '../scenarios/positions/positions.ts';
import { strongTag } from '../scenarios/support/account-assertions.ts';
import { closePosition, openPosition } from '../scenarios/support/orders.ts';
import { UNTRIGGERED_CATEGORIES } from '../scenarios/support/subscription-assertions.ts';
import { BROKEN_JSON } from '../scenarios/support/unreadable-bodies.ts';
import { observeReferenceScope } from '../scenarios/transactions/create.ts';
import { expectWithdrawal } from '../scenarios/transactions/fields.ts';
import { observeDeposits } from '../scenarios/transitions/first-deposit.ts';
import { observeSettlement } from '../scenarios/transitions/money.ts';
import { updatedOnce } from '../scenarios/updates/account-tags.ts';
import { observeOthers } from '../scenarios/updates/update.ts';
import { observeMixed, observeRefused } from '../scenarios/webhooks/open-refusals.ts';
import { observeSeen } from '../scenarios/webhooks/reach.ts';

type Run = (t: ScenarioContext) => Promise<void>;

/** By the id of the scenario, which is played as it is where nothing stands here. */
const BRIEFLY: Readonly<Record<string, Run>> = {
  'auth-read-only': async (t) => {
    const place = await delegatedPlace(t, 'read_only');
    await observeReader(t, new DelegatedTokens(t, place.account_id, true));
  },
  'auth-firm-reach': async (t) => {
    if (t.mainRole === 'firm') await expectBrandClosed(t);
  },
  'auth-delegated-reach': async (t) => {
    if (!t.has('mint')) return;
    const [own, foreign] = [await t.given.account(), await t.given.account()];
    const options = { accountId: own.id, readOnly: false, scopes: ['accounts:write'] };
    await observeCreate(t, t.as(await mintDelegated(t, options)), foreign);
  },
  'txs-cancelled-stays': async (t) => {
    await observeSettlement(t, await t.given.approved(await t.given.place()));
  },
  'txs-refused-moves': observeOpenMoves,
  'txs-account-in-query': async (t) => {
    const place = await t.given.place();
    await observePadded(t, await t.given.transaction(place));
    await observeExcess(t, () => t.given.transaction(place));
  },
  'txs-first-deposit-at-most-once': observeDeposits,
  'txn-amount-not-decimal': async (t) => observeAmounts(t, await t.given.place()),
  'txn-method': async (t) => {
    const place = await t.given.place();
    const send = (over: RequestBody) => t.api.createTransaction(t.newTransaction(place, over));
    await expectWithdrawal(t, send);
  },
  'txn-reference': async (t) => {
    const { body } = await t.given.transaction(await t.given.place());
    await observeReferenceScope(t, body);
  },
  'idem-key-required-on-accounts': observeTwoKeys,
  'idem-subjects-of-transactions': async (t) => observeCase(t, await t.given.place()),
  'acc-email-taken': async (t) => observeCaseOf(t, (await t.given.account()).email),
  'acc-reference-known': async (t) => observeKnown(t, (await t.given.account()).body),
  'acc-reference-length': observeUnit,
  'err-unreadable': async (t) => {
    const broken = await t.api.createAccount({}, { raw: BROKEN_JSON });
    const missing = await t.api.createAccount(t.newAccount({ email: undefined }));
    await observeReading(t, broken, missing);
  },
  'err-table': async (t) => {
    const invalid = await t.api.createAccount(t.newAccount({ email: t.fresh.text() }));
    observeEntries(t, [invalid, await t.api.bulkCreateAccounts([])]);
    await observeUnrouted(t);
  },
  'upd-fixed-fields': async (t) => {
    const account = await t.given.account({ phone: t.fresh.phone() });
    const wish = { email: t.fresh.email(), phone: t.fresh.phone(), last_name: 'Byron' };
    const ifMatch = strongTag(account.answer);
    observeOthers(t, await t.api.updateAccount(account.id, wish, { ifMatch }));
  },
  'upd-no-change': async (t) => {
    const { id, answer } = await t.given.account({ first_name: 'Ida' });
    await observeNull(t, id, answer);
  },
  'upd-tag-forms': async (t) => {
    const { id } = await t.given.account();
    const update = (ifMatch: string | null) =>
      t.api.updateAccount(id, { first_name: t.fresh.text() }, { ifMatch });
    await observeUntagged(t, update);
    await observeStar(t, update);
  },
  'upd-stale-tag': async (t) => {
    const account = await updatedOnce(t);
    await observeIdle(t, account);
    await observeStatus(t, account.id);
  },
  'hook-seen': async (t) => {
    const { id } = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'brand');
    await observeSeen(t, id);
  },
  'hook-scheme': async (t) => {
    const url = (await t.given.subscribable()).replace(/^https:/, 'ftp:');
    const event_categories = [...UNTRIGGERED_CATEGORIES];
    await observeRefused(t, await t.api.createWebhook({ url, event_categories }));
  },
  'hook-categories': async (t) => {
    const url = await t.given.subscribable();
    const create = (event_categories: string[]) => t.api.createWebhook({ url, event_categories });
    for (const names of [[], ['deal']]) await observeRefused(t, await create(names));
    await observeMixed(t, create);
  },
  'pos-scope': async (t) => {
    const first = await openPosition(t, await t.given.place());
    const { answer: closed } = await closePosition(t, first);
    observePayload(t, first.answer, closed);
  },
};

/** The scenario, or what of it its questions take: then it judges none of its rules. */
export function briefly(scenario: Scenario): Scenario {
  const ask = BRIEFLY[scenario.id];
  if (ask === undefined) return scenario;
  const run: Run = async (t) => {
    await ask(t);
    // Where nothing was expected it would be played again, as if something had come in between.
    throw new Blocked('only its open questions were asked');
  };
  return { ...scenario, run };
}
