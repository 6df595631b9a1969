// Grids of callers: every write and every read by everybody, on records of one of them; and one
// key that everybody uses.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { decideCall } from '../decisions.ts';
import { CALLERS, call, type Drawing, type Idea, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { followed } from '../webhooks.ts';

const callersOf = (d: Drawing) => CALLERS.filter((role) => role === 'nobody' || d.offers.has(role));

const VERBS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

/** AUTH-4 to AUTH-7: what is pending is decided by nobody who may not. */
function decidedByEverybody(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, madeBy(created).id);
  // What somebody may decide leaves the others something to decide.
  const tries = callersOf(d).flatMap((as): Step[] => {
    const made = pendingAt(d, place);
    return [made.step, ...VERBS.map((verb) => decideCall(d, verb, made, { as }))];
  });
  return [created, open, ...tries];
}

/** The same of accounts, new transactions and subscriptions; orders last, their form is open. */
function usedByEverybody(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const { steps, about } = followed(d, [200]);
  const callers = callersOf(d);
  const body = { trading_account_id: place.tradingAccount, side: 'buy', volume: '1' };
  const hooks = ['getWebhook', 'rotateWebhookSecret', 'disableWebhook'] as const;
  return [
    ...[created, open, ...steps],
    ...callers.flatMap((as): Step[] => [
      updateCall(d, account, { status: `c${d.stem()}` }, { as }),
      transactionCall(d, place, {}, as),
      call(d, { operation: 'getAccountStatus', as, id: account.id }),
      ...hooks.map((operation) => ({ ...about(operation), as })),
      call(d, { operation: 'listWebhooks', as }),
    ]),
    about('getWebhook'),
    ...callers.map((as) =>
      call(d, {
        operation: 'openPosition',
        as,
        key: newKey(d),
        body: { ...body, instrument: 'EURUSD' },
      }),
    ),
  ];
}

/** IDEM-2b: one key and one subject, which is another call for each who makes it. */
function everybodysKey(d: Drawing): readonly Step[] {
  const [created, other] = [createCall(d, d.main), createCall(d, d.main)];
  const { step: open, place } = openedAt(d, madeBy(created).id);
  const { step: openOther, place: otherPlace } = openedAt(d, madeBy(other).id);
  const mint = (account?: Value): Extract<Step, { do: 'mint' }> => {
    const n = d.scene.label();
    const delegated = { kind: 'delegated', scopes: ['trader:funds'], mintedBy: 'firm' } as const;
    const wish =
      account === undefined
        ? { scopes: ['accounts:write', 'transactions:write'] }
        : { ...delegated, account };
    return { do: 'mint', n, name: `m${n}`, wish };
  };
  const server = mint();
  const [one, two, three] = [madeBy(created), madeBy(created), madeBy(other)].map(({ id }) =>
    mint(id),
  ) as [typeof server, typeof server, typeof server];
  const paid = transactionCall(d, place);
  const elsewhere = transactionCall(d, otherPlace, {
    client_reference_id: (paid.body as { client_reference_id: Value }).client_reference_id,
  });
  const account = createCall(d, d.main);
  const as = (step: CallStep, name: string): CallStep => {
    return { ...step, n: d.scene.label(), as: name, key: account.key! };
  };
  return [
    ...[created, other, open, openOther, server, one, two, three, account],
    as(account, server.name),
    ...[one, two, server].map(({ name }) => as(paid, name)),
    as(elsewhere, three.name),
    as(paid, d.main),
  ];
}

/** What there is to hold, alone and widened, by a credential of each kind. */
const GRANTS = [
  ['server', ['transactions:write']],
  ['server', ['trader:funds']],
  ['server', ['transactions:write', 'transactions:amend']],
  ['server', ['trader:funds', 'transactions:amend']],
  ['server', ['transactions:amend']],
  ['server', ['trader:trade']],
  ['delegated', ['trader:funds']],
  ['delegated', ['trader:funds', 'transactions:amend']],
  ['delegated', ['transactions:amend']],
  ['delegated', ['trader:trade']],
] as const;

/** AUTH-4: each of them moves money as far as its row goes, and no further. */
function movedByEveryGrant(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const tries = GRANTS.flatMap(([kind, scopes]): Step[] => {
    const n = d.scene.label();
    const [name, over] = [`m${n}`, { body: { reason: 'late' } }];
    const bound = { kind, account: account.id, mintedBy: 'firm' } as const;
    const wish = kind === 'delegated' ? { ...bound, scopes } : { scopes };
    const made = pendingAt(d, place, { amount: '3.21' });
    const paid = pendingAt(d, place, { amount: '3.21' });
    const body = { trading_account_id: place.tradingAccount, instrument: 'EURUSD' };
    return [
      { do: 'mint', n, name, wish },
      // LIM-10: tokens of one minter share an allowance.
      advance(d, 1_000),
      ...[made.step, { ...made.step, n: d.scene.label(), as: name, key: newKey(d) }],
      decideCall(d, 'rejectTransaction', made, { as: name, ...over }),
      ...[paid.step, decideCall(d, 'approveTransaction', paid)],
      { do: 'settle', n: d.scene.label(), id: paid.id },
      decideCall(d, 'cancelTransaction', paid, { as: name, ...over }),
      ...(scopes[0] !== 'trader:trade'
        ? []
        : [
            call(d, {
              ...{ operation: 'openPosition', as: name, key: newKey(d) },
              body: { ...body, side: 'buy', volume: '1' },
            }),
          ]),
    ];
  });
  return [created, open, ...tries];
}

const needsPlace = ['fresh_trading_account'] as const;

export const callerGrids: readonly Idea[] = [
  { id: 'scope/decided-by-everybody', weight: 4, needs: needsPlace, draw: decidedByEverybody },
  {
    id: 'scope/used-by-everybody',
    weight: 4,
    needs: [...needsPlace, 'receiver'],
    draw: usedByEverybody,
  },
  {
    id: 'scope/moved-by-every-grant',
    weight: 4,
    needs: [...needsPlace, 'mint', 'settle', 'clock'],
    draw: movedByEveryGrant,
  },
  { id: 'again/everybodys-key', weight: 4, needs: [...needsPlace, 'mint'], draw: everybodysKey },
];
