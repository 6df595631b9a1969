// Grids of ways: somebody met again however he was made and however long his name is, a call by
// whoever has every scope but those that it takes, news for whoever hears of them, and what nobody
// touches at every age.
import type { OperationName } from '../../../engine/operations.ts';
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { together } from '../bursts.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { person } from '../people.ts';
import { orderCall } from '../positions.ts';
import { rereadAccount } from '../rereads.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { followed, subscribed } from '../webhooks.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

const LENGTHS = [undefined, 65, 129, 255];

/** ACC-6: in other case, made alone or as a row and met so, by names of every length. */
function knownHoweverMade(d: Drawing): readonly Step[] {
  const people = LENGTHS.flatMap((length) =>
    [true, false].map((isRow) => {
      const $fresh = `v${d.stem()}`;
      const reference: Value = length === undefined ? { $fresh } : { $fresh, length };
      return { isRow, body: { ...person(d, d.main), client_reference_id: reference } };
    }),
  );
  const bodies = (isRow: boolean): readonly Members[] =>
    people.filter((each) => each.isRow === isRow).map(({ body }) => body);
  const alone = (body: Members): CallStep => ({ ...createCall(d, d.main), body });
  const upper = (body: Members): Members => {
    const client_reference_id: Value = { $case: 'upper', of: body.client_reference_id! };
    return { ...body, client_reference_id };
  };
  const all = people.map(({ body }) => upper(body));
  return [
    ...[...bodies(false).map(alone), bulkCall(d, d.main, bodies(true))],
    ...[...all.map(alone), bulkCall(d, d.main, all)],
  ];
}

const SCOPES = [
  ...['accounts:write', 'trades:write', 'trader:trade', 'transactions:write', 'trader:funds'],
  ...['transactions:amend', 'webhooks:manage'],
];

/** AUTH-4: what all the other scopes together do not grant. */
function allButItsOwn(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: opened, place } = openedAt(d, account.id);
  const paid = pendingAt(d, place);
  const without = (own: RegExp) => {
    const n = d.scene.label();
    const scopes = SCOPES.filter((each) => !own.test(each));
    return { as: `m${n}`, mint: { do: 'mint', n, name: `m${n}`, wish: { scopes } } as Step };
  };
  const [accounts, trades, funds, hooks] = [
    without(/^accounts/),
    without(/trade$|^trades/),
    without(/funds$|^transactions:write/),
    without(/^webhooks/),
  ];
  const verbs = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;
  const brand_id: Value = { $role: d.main, has: 'brand' };
  return [
    ...[created, opened, paid.step, accounts.mint, trades.mint, funds.mint, hooks.mint],
    createCall(d, accounts.as, { brand_id }),
    bulkCall(d, accounts.as, [{ ...person(d, d.main), brand_id }]),
    { ...updateCall(d, account, { country: 'FR' }), as: accounts.as },
    { ...orderCall(d, place.tradingAccount), as: trades.as },
    { ...transactionCall(d, place), as: funds.as },
    ...verbs.map((verb) => decideCall(d, verb, paid, { as: funds.as })),
    call(d, { operation: 'listWebhooks', as: hooks.as }),
  ];
}

/** EVT-4, EVT-12: a brand and its firm both hear of all that happens at the brand. */
function brandBesideFirm(d: Drawing): readonly Step[] {
  const all = ['account', 'order', 'position', 'transaction'];
  const created = createCall(d, d.main, { brand_id: { $role: 'brand', has: 'brand' } });
  const account = madeBy(created);
  const { step: opened, place } = openedAt(d, account.id);
  const paid = pendingAt(d, place);
  return [
    ...[...subscribed(d, d.main, [200], all), ...subscribed(d, 'brand', [200], all)],
    ...[created, updateCall(d, account, { country: 'FR' }), opened, paid.step],
    ...[decideCall(d, 'approveTransaction', paid), orderCall(d, place.tradingAccount)],
  ];
}

const AGES_MS = [HOUR_MS, DAY_MS, 8 * DAY_MS, 32 * DAY_MS];

/** UPD-8, ACC-19, HOOK-13: what nobody has touched is as it was, and says so. */
function untouched(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main, { country: 'FR' });
  const account = madeBy(created);
  const { steps, about } = followed(d, [200]);
  const looks = (): readonly Step[] => [
    updateCall(d, account, { country: 'FR' }),
    { ...createCall(d, d.main), body: created.body! },
    about('getWebhook'),
  ];
  return [
    ...[...steps, about('disableWebhook'), created],
    ...AGES_MS.flatMap((byMs) => [advance(d, byMs), ...looks()]),
  ];
}

/** LIM-1: at the rate of one a second for longer than any window is long. */
function forAMinute(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const name = `m${n}`;
  const operation: OperationName = 'listWebhooks';
  const asked = Array.from({ length: 62 }, () => [
    advance(d, SECOND_MS),
    call(d, { operation, as: name }),
  ]);
  return [
    { do: 'mint', n, name, wish: { scopes: ['webhooks:manage'], perSecond: 1 } },
    ...asked.flat(),
  ];
}

/** UPD-1, TXS-10, EVT-4, ACC-1: two at once that have little to do with each other. */
function neighbours(d: Drawing): readonly Step[] {
  const { steps } = followed(d, [200]);
  const [one, other] = [createCall(d, d.main), createCall(d, d.main)];
  const [own, stranger] = [madeBy(one), madeBy(other)];
  const { step: opened, place } = openedAt(d, own.id);
  const [spent, next, last] = [pendingAt(d, place), pendingAt(d, place), pendingAt(d, place)];
  const approved = (made: typeof spent) => decideCall(d, 'approveTransaction', made);
  const first = updateCall(d, own, { country: 'FR' });
  own.tags.push(first.n);
  const elsewhere: Value = { $role: 'other_brand', has: 'brand' };
  return [
    ...subscribed(d, 'other_brand', [200], ['account']),
    ...[...steps, one, other, opened, spent.step, next.step, last.step, approved(spent)],
    { do: 'settle', n: d.scene.label(), id: spent.id },
    together(d, [first, updateCall(d, stranger, { country: 'IT' })]),
    together(d, [updateCall(d, own, { language: 'fr' }), approved(next)]),
    rereadAccount(d, own),
    together(d, [
      decideCall(d, 'cancelTransaction', spent, { body: { reason: 'late' } }),
      approved(last),
    ]),
    { do: 'ledger', n: d.scene.label(), tradingAccount: place.tradingAccount },
    together(d, [
      createCall(d, d.main),
      createCall(d, d.main === 'firm' ? 'firm' : 'other_brand', { brand_id: elsewhere }),
    ]),
  ];
}

export const wayGrids: readonly Idea[] = [
  { id: 'account/known-however-made', weight: 5, draw: knownHoweverMade },
  { id: 'scope/all-but-its-own', weight: 5, needs: ['mint'], draw: allButItsOwn },
  {
    id: 'webhook/brand-beside-firm',
    weight: 5,
    needs: ['receiver', 'brand'],
    draw: brandBesideFirm,
  },
  { id: 'update/untouched', weight: 5, needs: ['receiver', 'clock'], draw: untouched },
  {
    id: 'burst/neighbours',
    weight: 5,
    needs: ['fresh_trading_account', 'receiver', 'ledger', 'settle', 'other_brand'],
    draw: neighbours,
  },
  { id: 'limit/for-a-minute', weight: 4, needs: ['mint', 'clock', 'rates'], draw: forAMinute },
];
