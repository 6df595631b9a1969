// Ideas about what a key stands for: of each operation the same subject with another body, another
// subject with the same body, and another operation on the same subject, all under one key.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { tokenCall, withToken } from '../access.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { person } from '../people.ts';
import { orderCall } from '../positions.ts';
import type { DrawnPlace } from '../scene.ts';
import { updateCall } from '../updates.ts';

const again = (d: Drawing, step: CallStep, over: Partial<CallStep> = {}): CallStep => ({
  ...step,
  n: d.scene.label(),
  ...over,
});

const withBody = (step: CallStep, over: { readonly [name: string]: Value }): Value => ({
  ...(step.body as Members),
  ...over,
});

/** IDEM-2c: the reference alone, in any case, whatever stands beside it. */
function ofCreates(d: Drawing): readonly Step[] {
  const first = createCall(d, d.main);
  const { client_reference_id: reference } = first.body as Members;
  const upper: Value = { $case: 'upper', of: reference! };
  const stem: Value = { $fresh: `s${d.stem()}` };
  const email: Value = { $join: [stem, '@explore.example.com'] };
  return [
    first,
    again(d, first, { body: withBody(first, { first_name: 'Other', country: 'ZZ', email }) }),
    again(d, first, { body: withBody(first, { client_reference_id: upper }) }),
    again(d, first, { body: withBody(first, { client_reference_id: stem, email }) }),
    again(d, first, {
      body: withBody(first, { brand_id: { $role: 'other_brand', has: 'brand' } }),
    }),
  ];
}

function ofUpdates(d: Drawing): readonly Step[] {
  const [one, other] = [createCall(d, d.main), createCall(d, d.main)];
  const first = updateCall(d, madeBy(one), { status: `s${d.stem()}` });
  const { id, ifMatch } = updateCall(d, madeBy(other), {});
  return [
    ...[one, other, first],
    again(d, first, { body: { last_name: 'Other' } }),
    again(d, first, { ifMatch: { $header: first.n, name: 'etag' } }),
    again(d, first, { id: id!, ifMatch: ifMatch! }),
    again(d, first, { id: id!, body: { country: 'ZZ' } }),
  ];
}

/** Two trading accounts of one account where they can be opened, and one of another. */
function grounds(d: Drawing) {
  const [one, other] = [createCall(d, d.main), createCall(d, d.main)];
  const all = [one, one, other].map((step) =>
    openedAt(
      d,
      { $of: step.n, at: 'id' },
      step === one ? 'trading_account' : 'second_trading_account',
    ),
  );
  const places = all.map(({ place }) => place) as [DrawnPlace, DrawnPlace, DrawnPlace];
  return { steps: [one, other, ...all.map(({ step }) => step)] as readonly Step[], places };
}

/** POS-2, POS-3, POS-4. */
function ofOrders(d: Drawing): readonly Step[] {
  const { steps, places } = grounds(d);
  const open = (at: number) => orderCall(d, places[at]!.tradingAccount);
  const close = ({ n }: CallStep, over: Partial<CallStep> = {}) => {
    const position_id: Value = { $of: n, at: 'position_id' };
    const body = { trading_account_id: places[0].tradingAccount, position_id };
    return call(d, { operation: 'closePosition', as: d.main, key: newKey(d), body, ...over });
  };
  const [first, second] = [open(0), open(0)];
  const body = first.body as Members;
  const closed = close(first, { key: first.key! });
  return [
    ...[...steps, first, second],
    again(d, first, { body: { ...body, instrument: 'GBPUSD', side: 'sell', volume: '0.2' } }),
    ...places
      .slice(1)
      .map((place) =>
        again(d, first, { body: { ...body, trading_account_id: place.tradingAccount } }),
      ),
    closed,
    close(second, { key: closed.key! }),
    again(d, first),
  ];
}

/** TXN-2, IDEM-2c: the reference, whatever place or amount stands beside it. */
function ofTransactions(d: Drawing): readonly Step[] {
  const { steps, places } = grounds(d);
  const first = transactionCall(d, places[0]);
  const at = ({ account, tradingAccount, currency }: DrawnPlace) =>
    withBody(first, { account_id: account, trading_account_id: tradingAccount, currency });
  const { client_reference_id: reference } = first.body as Members;
  return [
    ...[...steps, first],
    again(d, first, { body: withBody(first, { amount: '7.77', transaction_type: 'Credit' }) }),
    again(d, first, { body: at(places[1]) }),
    again(d, first, { body: at(places[2]) }),
    again(d, first, {
      body: withBody(first, { client_reference_id: { $case: 'upper', of: reference! } }),
    }),
    again(d, first, {
      body: withBody(first, { client_reference_id: { $fresh: `s${d.stem()}` } }),
    }),
  ];
}

const VERBS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

/** IDEM-10, IDEM-3: two of one account, one of another, and the next decision under that key. */
function ofDecisions(verb: (typeof VERBS)[number]): Idea['draw'] {
  return (d) => {
    const { steps, places } = grounds(d);
    const made = [places[0], places[1], places[2]].map((place) => pendingAt(d, place));
    const decisions = made.map((each) => decideCall(d, verb, each));
    const key = decisions[0]!.key!;
    const other = VERBS[(VERBS.indexOf(verb) + 1) % VERBS.length]!;
    return [
      ...steps,
      ...made.map(({ step }) => step),
      ...decisions.map((step) => ({ ...step, key })),
      decideCall(d, other, made[1]!, { key }),
      again(d, decisions[0]!, verb === 'approveTransaction' ? {} : { body: { reason: 'other' } }),
    ];
  };
}

/** IDEM-4d: each kind of refusal, then each again as it was. */
function refusedAccounts(d: Drawing): readonly Step[] {
  const made = createCall(d, d.main);
  const { email } = made.body as Members;
  const account = madeBy(made);
  const updated = updateCall(d, account, { status: `s${d.stem()}` });
  const refused = [
    createCall(d, d.main, { email: 'no-at-in-it' }),
    createCall(d, d.main, { client_reference_id: '  ' }),
    createCall(d, d.main, { email }),
    updateCall(d, account, { status: `s${d.stem()}` }),
    updateCall(d, account, {}, { ifMatch: { $header: updated.n, name: 'etag' } }),
    updateCall(d, account, { status: 'x' }, { ifMatch: 'garbage' }),
    updateCall(d, account, { status: 'x' }, { id: '999999999' }),
    ...(d.offers.has('brand') && d.offers.has('other_brand')
      ? [createCall(d, 'brand', { brand_id: { $role: 'other_brand', has: 'brand' } })]
      : []),
  ];
  return [made, updated, ...refused, ...refused.map((step) => again(d, step))];
}

function refusedMoney(d: Drawing): readonly Step[] {
  const made = createCall(d, d.main);
  const account: Value = { $of: made.n, at: 'id' };
  const plain = openedAt(d, account);
  const provider = openedAt(d, account, 'provider_trading_account');
  const [rejected, pending] = [pendingAt(d, plain.place), pendingAt(d, plain.place)];
  const payout = pendingAt(d, provider.place, { transaction_type: 'Withdrawal', amount: '-5.00' });
  const refused = [
    decideCall(d, 'approveTransaction', payout),
    decideCall(d, 'approveTransaction', rejected),
    decideCall(d, 'cancelTransaction', rejected),
    decideCall(d, 'rejectTransaction', pending, { body: { reason: '' } }),
    decideCall(d, 'cancelTransaction', pending, { body: { reason: '' } }),
    decideCall(d, 'approveTransaction', pending, { id: '999999999' }),
    transactionCall(d, plain.place, { amount: 'abc' }),
    transactionCall(d, plain.place, { currency: '' }),
    transactionCall(d, plain.place, { trading_account_id: '999999999' }),
  ];
  return [
    ...[made, plain.step, provider.step, rejected.step, pending.step, payout.step],
    decideCall(d, 'rejectTransaction', rejected),
    ...refused,
    ...refused.map((step) => again(d, step)),
  ];
}

/** IDEM-4d: a batch that is refused as a whole. */
function refusedBatches(d: Drawing): readonly Step[] {
  const row = person(d, d.main);
  const { client_reference_id: _, ...unnamed } = person(d, d.main);
  const tooMany = { $rows: 1001, of: row } as const;
  const refused = [[], [row, unnamed], [tooMany]].map((rows) => bulkCall(d, d.main, rows));
  return [...refused, ...refused.map((step) => again(d, step))];
}

/** IDEM-9: references, emails and brands in their order, and nothing else. */
function ofBatches(d: Drawing): readonly Step[] {
  const rows = [person(d, d.main), person(d, d.main), person(d, d.main)];
  const [one, two, three] = rows as [Members, Members, Members];
  const email: Value = { $join: [{ $fresh: `s${d.stem()}` }, '@explore.example.com'] };
  const first = bulkCall(d, d.main, rows);
  const others = [
    [{ ...one, first_name: 'Edited', last_name: 'Edited' }, two, three],
    [one, { ...two, country: 'ZZ', language: 'zz' }, three],
    [one, two],
    [two, one, three],
    [one, two, { ...three, email }],
    [one, two, three, person(d, d.main)],
  ];
  return [first, ...others.map((accounts) => again(d, first, { body: { accounts } }))];
}

/** IDEM-2: a key is its credential's, whichever of the tokens that were issued to it is sent. */
function underAnotherToken(d: Drawing): readonly Step[] {
  const tokens = [tokenCall(d), tokenCall(d)];
  const [one, other] = tokens.map(
    ({ n }): Value => ({ $join: ['Bearer ', { $of: n, at: 'access_token' }] }),
  ) as [Value, Value];
  const first = withToken(d, one);
  return [...tokens, first, again(d, first, { headers: { authorization: other } })];
}

const needsPlaces = ['trading_account', 'second_trading_account'] as const;

export const subjectIdeas: readonly Idea[] = [
  { id: 'again/subject-of-creates', weight: 2, needs: ['other_brand'], draw: ofCreates },
  { id: 'again/subject-of-updates', weight: 2, draw: ofUpdates },
  { id: 'again/subject-of-orders', weight: 2, needs: needsPlaces, draw: ofOrders },
  { id: 'again/subject-of-transactions', weight: 2, needs: needsPlaces, draw: ofTransactions },
  ...VERBS.map(
    (verb): Idea => ({
      id: `again/subject-of-${verb}`,
      weight: 1.5,
      needs: needsPlaces,
      draw: ofDecisions(verb),
    }),
  ),
  { id: 'again/subject-of-batches', weight: 1.5, draw: ofBatches },
  { id: 'again/refused-batches', weight: 1, draw: refusedBatches },
  { id: 'again/under-another-token', weight: 1, needs: ['client'], draw: underAnotherToken },
  { id: 'again/refused-accounts', weight: 2, draw: refusedAccounts },
  {
    id: 'again/refused-money',
    weight: 2,
    needs: ['trading_account', 'provider_trading_account'],
    draw: refusedMoney,
  },
];
