// Grids of callers: every write and every read by everybody, on records of one of them; and one
// key that everybody uses.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { decideCall } from '../decisions.ts';
import { CALLERS, call, type Drawing, type Idea, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
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

const needsPlace = ['fresh_trading_account'] as const;

export const callerGrids: readonly Idea[] = [
  { id: 'scope/decided-by-everybody', weight: 4, needs: needsPlace, draw: decidedByEverybody },
  {
    id: 'scope/used-by-everybody',
    weight: 4,
    needs: [...needsPlace, 'receiver'],
    draw: usedByEverybody,
  },
  { id: 'again/everybodys-key', weight: 4, needs: [...needsPlace, 'mint'], draw: everybodysKey },
];
