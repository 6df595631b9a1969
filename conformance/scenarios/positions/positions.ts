// POS: opening and closing positions, of which only scopes and keys are specified.

import { as, asHolderOf, refusals } from '../../cases/refusals.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, RequestBody } from '../../engine/send/client.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { FORBIDDEN } from '../../spec/errors.ts';
import {
  type ClosingBody,
  closePosition,
  differing,
  type OpenedPosition,
  openPosition,
  orderOf,
} from '../support/orders.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

/** Much, but neither of the two scopes that serve. */
const ALL_BUT_TRADES = [
  'accounts:write',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
];

const posScope = refusals({
  id: 'pos-scope',
  title: 'trades:write or trader:trade serves open and close; with neither both are 403',
  observes: ['NS-1'],
  needs: ['trading_account', 'orders', 'no_scopes'],
  rows: [
    ['POS-1', 'openPosition', 'no scope', as('no_scopes'), FORBIDDEN],
    ['POS-1', 'openPosition', 'all other scopes', asHolderOf(ALL_BUT_TRADES), FORBIDDEN],
    ['POS-1', 'closePosition', 'no scope', as('no_scopes'), FORBIDDEN],
    ['POS-1', 'closePosition', 'all other scopes', asHolderOf(ALL_BUT_TRADES), FORBIDDEN],
  ],
  async also(t) {
    const first = await openPosition(t, await t.given.place());
    const { answer: closed, body: closing } = await closePosition(t, first);
    observePayload(t, first.answer, closed);
    if (!t.has('mint')) return;
    for (const scope of ['trades:write', 'trader:trade']) {
      const one = t.as(await t.operator.mint({ scopes: [scope] }));
      await expectServed(t, one, first.body, closing);
    }
  },
});

/** POS-1: a credential with nothing but the one scope opens and closes. */
async function expectServed(
  t: ScenarioContext,
  one: ApiClient,
  body: RequestBody,
  closing: ClosingBody,
): Promise<void> {
  const answer = await one.openPosition(body);
  // Only a 403 is about scopes.
  if (answer.status >= 300 && answer.status !== 403) {
    throw new Blocked(`control failed: opening with one scope: ${answer.summary}`);
  }
  t.expect('POS-1', answer).is('opened with this scope alone', answer.status < 300);
  if (answer.status >= 300) return;
  const closed = await one.closePosition(closing(openedBy(body, answer)));
  t.expect('POS-1', closed).is('closed with this scope alone', closed.status < 300);
}

function observePayload(t: ScenarioContext, opened: Answer, closed: Answer): void {
  const members = Object.keys((opened.json ?? {}) as object).join(', ');
  const words = `open ${opened.status}, close ${closed.status}, answered with {${members}}`;
  t.observe('NS-1', words, {
    open_position_status: opened.status,
    close_position_status: closed.status,
  });
}

const posKeys: Scenario = {
  id: 'pos-keys',
  title: 'A key belongs to one operation and one trading account, whatever else the body says',
  rules: ['POS-2', 'POS-3', 'POS-4'],
  needs: ['trading_account', 'second_trading_account', 'orders'],
  async run(t) {
    const place = await t.given.place();
    const { body } = await openPosition(t, place);
    const key = t.fresh.key();
    const send = () => t.api.openPosition(body, { key });
    const first = openedBy(body, await t.control('opening under a key', send));
    await expectFirstOrder(t, first, key);
    const { body: closing } = await closePosition(t, await openPosition(t, place));

    const other = await t.given.otherPlace();
    const abroad = { ...body, trading_account_id: other.trading_account_id };
    const elsewhere = await t.api.openPosition(abroad, { key });
    expectAnother(t, 'POS-4', elsewhere, first.answer);
    await expectNeighbour(t, place, first, key);

    const closed = await t.api.closePosition(closing(first), { key });
    expectAnother(t, 'POS-3', closed, first.answer);
    if (closed.status >= 300) return;
    const unknown = closing(first, UNKNOWN_ID);
    expectSame(t, await t.api.closePosition(unknown, { key }), closed);
    if (elsewhere.status < 300) {
      const close = closing(openedBy(abroad, elsewhere));
      expectAnother(t, 'POS-4', await t.api.closePosition(close, { key }), closed);
    }
    await expectOpenAfterClose(t, place, closing);
  },
};

/** POS-2: neither instrument nor side nor size tells two uses of a key apart. */
async function expectFirstOrder(
  t: ScenarioContext,
  first: OpenedPosition,
  key: string,
): Promise<void> {
  const other = differing(t, first.body);
  const send = () => t.api.openPosition(other, { key: t.fresh.key() });
  const apart = await t.control('the differing order under another key', send);
  const words = 'an order of its own under another key';
  t.expect('POS-2', apart).is(words, orderOf(apart) !== orderOf(first.answer));
  expectSame(t, await t.api.openPosition(other, { key }), first.answer);
  expectSame(t, await t.api.openPosition(first.body, { key }), first.answer);
}

/** POS-4: it is the trading account that counts, and not whose it is. */
async function expectNeighbour(
  t: ScenarioContext,
  { account_id }: Place,
  first: OpenedPosition,
  key: string,
): Promise<void> {
  if (!t.has('fresh_trading_account')) return;
  const { trading_account_id } = await t.operator.openTradingAccount(account_id);
  const answer = await t.api.openPosition({ ...first.body, trading_account_id }, { key });
  expectAnother(t, 'POS-4', answer, first.answer);
}

/** POS-3, the other way round: a key that closed first, opens. */
async function expectOpenAfterClose(
  t: ScenarioContext,
  place: Place,
  closing: ClosingBody,
): Promise<void> {
  const key = t.fresh.key();
  const opened = await openPosition(t, place);
  const closed = await t.api.closePosition(closing(opened), { key });
  if (closed.status >= 300) return;
  expectAnother(t, 'POS-3', await t.api.openPosition(opened.body, { key }), closed);
}

function expectSame(t: ScenarioContext, again: Answer, first: Answer): void {
  const words = `the first order, ${orderOf(first)}`;
  t.expect('POS-2', again).is(words, orderOf(again) === orderOf(first), orderOf(again), first);
}

function expectAnother(t: ScenarioContext, rule: RuleId, answer: Answer, first: Answer): void {
  const ran = answer.status < 300 && orderOf(answer) !== orderOf(first);
  t.expect(rule, answer).is(`an order of its own, not ${orderOf(first)}`, ran, undefined, first);
}

function openedBy(body: RequestBody, answer: Answer): OpenedPosition {
  return { body, answer };
}

export const positionScenarios: readonly Scenario[] = [posScope, posKeys];
