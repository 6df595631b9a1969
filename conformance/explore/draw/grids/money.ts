// Grids about money: every way that a transaction can go, and the one that comes after it; every
// currency, reason and id at every length.
import type { Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall, isDear } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { person } from '../people.ts';
import { orderCall } from '../positions.ts';
import { rereadTransaction } from '../rereads.ts';
import type { DrawnTransaction } from '../scene.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { textOfLength } from './texts.ts';

const VERBS = {
  approve: 'approveTransaction',
  reject: 'rejectTransaction',
  cancel: 'cancelTransaction',
} as const;
type Move = keyof typeof VERBS | 'settle';

const WAYS: readonly (readonly Move[])[] = [
  [],
  ['approve'],
  ['reject'],
  ['cancel'],
  ['approve', 'cancel'],
  ['approve', 'settle'],
  ['approve', 'settle', 'cancel'],
  ['reject', 'approve', 'cancel'],
];

/** With cents, so that what is rounded shows. */
const KINDS: readonly Members[] = [
  { amount: '17.53' },
  { amount: '0.07' },
  { amount: '98765432.1' },
  { amount: '17.53', method: 'Bonus' },
  { amount: '-17.53', transaction_type: 'Withdrawal' },
  { amount: '17.53', transaction_type: 'Credit' },
  { amount: '-17.53', transaction_type: 'Debit' },
];

/** TXS-1 to TXS-16: one account goes each way, and then has money paid in once more. */
function everyWay(kind: (d: Drawing) => Members): Idea['draw'] {
  return (d) =>
    WAYS.flatMap((moves): Step[] => {
      const created = createCall(d, d.main);
      const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
      const first = pendingAt(d, place, kind(d));
      if (isDear(first)) return [];
      const next = pendingAt(d, place, { amount: '8.09' });
      return [
        ...[created, open, first.step],
        ...moves.map((move) => stepOf(d, move, first)),
        next.step,
        decideCall(d, 'approveTransaction', next),
        rereadTransaction(d, first),
        { do: 'ledger', n: d.scene.label(), tradingAccount: place.tradingAccount },
      ];
    });
}

/** IDEM-4c: each way, and then every call of it once more under its own key. */
function everyWayAgain(d: Drawing): readonly Step[] {
  return WAYS.flatMap((moves): Step[] => {
    const created = createCall(d, d.main);
    const { step: open, place } = openedAt(d, madeBy(created).id);
    const made = pendingAt(d, place, KINDS[0]);
    const steps = [made.step, ...moves.map((move) => stepOf(d, move, made))];
    const again = steps.flatMap((step) =>
      step.do === 'call' ? [{ ...step, n: d.scene.label() }] : [],
    );
    const { tradingAccount } = place;
    const ledger: Step = { do: 'ledger', n: d.scene.label(), tradingAccount };
    return [created, open, ...steps, ...again, ledger];
  });
}

function stepOf(d: Drawing, move: Move, made: DrawnTransaction): Step {
  if (move === 'settle') return { do: 'settle', n: d.scene.label(), id: made.id };
  return decideCall(d, VERBS[move], made);
}

const DAY_MS = 86_400_000;
const REASONS: readonly Value[] = ['', 'late'];

/** TXS-3 to TXS-14: every decision in every state, some time after that state was come to. */
function everyDecision(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const { step: paysOut, place: provider } = openedAt(
    d,
    { $of: created.n, at: 'id' },
    'provider_trading_account',
  );
  const all = WAYS.map((moves) => ({ moves, made: pendingAt(d, place, { amount: '3.21' }) }));
  const payout = pendingAt(d, provider, { amount: '-3.21', transaction_type: 'Withdrawal' });
  // TXS-3: however often and however late, and it may still be rejected.
  const refusedHere = () => decideCall(d, 'approveTransaction', payout);
  const asked = [{ moves: [], made: payout }, ...all].flatMap(({ made }) => [
    ...REASONS.map((reason) => decideCall(d, 'rejectTransaction', made, { body: { reason } })),
    decideCall(d, 'approveTransaction', made),
    ...REASONS.map((reason) => decideCall(d, 'cancelTransaction', made, { body: { reason } })),
  ]);
  return [
    ...[created, open, paysOut, payout.step],
    refusedHere(),
    ...all.flatMap(({ moves, made }): Step[] => [
      made.step,
      ...moves.map((move) => stepOf(d, move, made)),
    ]),
    ...(d.offers.has('clock') ? [advance(d, d.random.pick([1, 32 * DAY_MS, 32 * DAY_MS]))] : []),
    refusedHere(),
    ...asked,
  ];
}

const OTHERS = ['brand', 'other_brand', 'other_firm', 'delegated', 'no_amend'] as const;

/** TXN-2, AUTH-5: one reference, named by everybody at the account it is of and at their own. */
function knownToOthers(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const first = pendingAt(d, place);
  const callers = OTHERS.filter((role) => d.offers.has(role));
  const again = callers.flatMap((role): Step[] => {
    const over = { client_reference_id: first.reference };
    const here = transactionCall(d, place, over, role);
    if (role !== 'delegated' || place.isSeed) return [here];
    const own: Members = {
      account_id: { $role: role, has: 'account' },
      trading_account_id: { $role: role, has: 'tradingAccount' },
    };
    return [here, transactionCall(d, place, { ...over, ...own }, role)];
  });
  return [created, open, first.step, ...again];
}

/** Decimals that a number in between writes otherwise: with an exponent, or with digits lost. */
const EXTREMES = ['0.0000001', '1000000000000000000000', '0.000000000000000001'];

/** CONV-2a, TXN-1, TXS-6, TXS-8: whatever is said in so many letters or digits. */
function everyLength(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const currencies = [1, 2, 4, 10, 60].map(textOfLength);
  const amounts = ['0.1', '12.3', '1234.56', '123456.78', '99999999.99', '1234567890123.45'];
  const reasons = [1, 2, 3, 51, 260, 3_000].map(textOfLength);
  const decided = reasons.flatMap((reason, at): Step[] => {
    const made = pendingAt(d, place);
    const verb = at % 2 === 0 ? 'rejectTransaction' : 'cancelTransaction';
    return [made.step, decideCall(d, verb, made, { body: { reason } }), rereadTransaction(d, made)];
  });
  return [
    ...[created, open],
    ...currencies.map((currency) => transactionCall(d, place, { currency })),
    ...amounts.flatMap((amount) => [
      transactionCall(d, place, { amount }),
      transactionCall(d, place, { amount: `-${amount}`, transaction_type: 'Withdrawal' }),
    ]),
    ...decided,
    // Last, because it is open how many digits are taken, and the form of orders is (NS-1).
    ...EXTREMES.map((amount) => transactionCall(d, place, { amount })),
    ...EXTREMES.map((volume) => orderCall(d, place.tradingAccount, { volume })),
  ];
}

/** Numbers that no record has: beyond what 53, 63 and 64 bits hold. */
const UNKNOWN_IDS = [
  '0',
  '4294967297',
  '9007199254740993',
  '9223372036854775808',
  '18446744073709551617',
  '123456789012345678901234567890',
];

/** UPD-5, TXS-16, HOOK-11: unknown wherever it is named, each of them in every second place. */
function unknownIds(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const made = pendingAt(d, place);
  const about = (id: Value): Step[] => [
    updateCall(d, account, { status: `i${d.stem()}` }, { id }),
    decideCall(d, 'approveTransaction', made, { id }),
    decideCall(d, 'approveTransaction', made, { query: { account_id: id } }),
    transactionCall(d, place, { account_id: id }),
    transactionCall(d, place, { trading_account_id: id }),
    call(d, { operation: 'getWebhook', as: d.main, id }),
  ];
  const turn = d.random.below(2);
  const named = UNKNOWN_IDS.flatMap((id, row) =>
    about(id).filter((_, at) => (row + at + turn) % 2 === 0),
  );
  const orders = UNKNOWN_IDS.map((id) => orderCall(d, id)).filter((_, at) => at % 2 === turn);
  return [created, open, made.step, ...named, ...orders];
}

/** TXS-2: the first money of accounts that were come by in every way, after money of each kind. */
function firstOfEverybody(d: Drawing): readonly Step[] {
  const batch = bulkCall(d, d.main, [person(d, d.main), person(d, d.main)]);
  const updated = createCall(d, d.main);
  const change = updateCall(d, madeBy(updated), { status: `e${d.stem()}` });
  const others = KINDS.slice(3).map((kind) => ({ kind, step: createCall(d, d.main) }));
  const first = (account: Value, before: readonly Members[]): Step[] => {
    const { step, place } = openedAt(d, account);
    const made = [...before, { amount: '8.09' }].map((kind) => pendingAt(d, place, kind));
    return [
      step,
      ...made.flatMap((each) => [each.step, decideCall(d, 'approveTransaction', each)]),
    ];
  };
  return [
    ...[batch, updated, change],
    ...first({ $of: batch.n, at: 'rows.1.id' }, []),
    ...first(madeBy(updated).id, []),
    ...others.flatMap(({ kind, step }) => [step, ...first(madeBy(step).id, [kind])]),
  ];
}

/** CONV-2a, TXS-10: little and much, and all of it taken back. */
function everySumAndBack(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, madeBy(created).id);
  const sums = ['0.01', '99.99', '1234.56', '50000.00', '98765432.10', '1234567890123.45'];
  const moved = sums.flatMap((amount): Step[] => {
    const made = pendingAt(d, place, { amount });
    return [
      ...[made.step, decideCall(d, 'approveTransaction', made)],
      { do: 'settle', n: d.scene.label(), id: made.id },
      decideCall(d, 'cancelTransaction', made),
    ];
  });
  const { tradingAccount } = place;
  return [created, open, ...moved, { do: 'ledger', n: d.scene.label(), tradingAccount }];
}

/** TXN-10, POS-4: as many places as an account may have, and something at each. */
function manyPlaces(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const opened = Array.from({ length: 6 }, () => openedAt(d, { $of: created.n, at: 'id' }));
  const paid = opened.flatMap(({ place }): Step[] => {
    const made = pendingAt(d, place);
    return [made.step, decideCall(d, 'approveTransaction', made)];
  });
  // Last, because their form is open (NS-1).
  const orders = opened.map(({ place }) => orderCall(d, place.tradingAccount));
  return [created, ...opened.map(({ step }) => step), ...paid, ...orders];
}

const needsOwn = ['fresh_trading_account'] as const;
const needsPlace = ['trading_account'] as const;

export const moneyGrids: readonly Idea[] = [
  { id: 'operator/every-way', weight: 6, needs: needsPlace, draw: everyWay(() => KINDS[0]!) },
  {
    id: 'operator/every-way-of-a-kind',
    weight: 4,
    needs: needsPlace,
    draw: everyWay((d) => d.random.pick(KINDS)),
  },
  {
    id: 'decide/every-decision',
    weight: 5,
    needs: [...needsPlace, 'provider_trading_account'],
    draw: everyDecision,
  },
  { id: 'transaction/known-to-others', weight: 5, needs: needsPlace, draw: knownToOthers },
  { id: 'transaction/at-every-length', weight: 5, needs: needsPlace, draw: everyLength },
  { id: 'transaction/first-of-everybody', weight: 4, needs: needsOwn, draw: firstOfEverybody },
  {
    id: 'operator/every-sum-and-back',
    weight: 4,
    needs: [...needsOwn, 'settle', 'ledger'],
    draw: everySumAndBack,
  },
  {
    id: 'operator/every-way-again',
    weight: 5,
    needs: [...needsOwn, 'settle', 'ledger'],
    draw: everyWayAgain,
  },
  { id: 'place/many', weight: 4, needs: needsOwn, draw: manyPlaces },
  { id: 'decide/unknown-ids', weight: 5, needs: needsPlace, draw: unknownIds },
];
