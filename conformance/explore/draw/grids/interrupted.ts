// Grids of interruptions: every write, and on its first try something comes in between; then it is
// made again, and what it should have done is looked at.
import type { CallStep, Step } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { person } from '../people.ts';
import { orderCall } from '../positions.ts';
import { rereadAccount, rereadTransaction } from '../rereads.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';

/** One of each, on records that are there, and a look at these records. */
function everyWrite(d: Drawing) {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const made = [0, 1, 2].map(() => pendingAt(d, place));
  const [approved, rejected, cancelled] = made as [Made, Made, Made];
  const recorded = pendingAt(d, place);
  const late = { body: { reason: 'late' } };
  const writes = [
    createCall(d, d.main),
    updateCall(d, account, { status: `x${d.stem()}` }),
    bulkCall(d, d.main, [person(d, d.main), person(d, d.main)]),
    recorded.step,
    decideCall(d, 'approveTransaction', approved),
    decideCall(d, 'rejectTransaction', rejected, late),
    decideCall(d, 'cancelTransaction', cancelled, late),
    // Last, because its form is open (NS-1).
    orderCall(d, place.tradingAccount),
  ];
  const looks = () => [
    rereadAccount(d, account),
    ...[...made, recorded].map((each) => rereadTransaction(d, each)),
    { do: 'ledger', n: d.scene.label(), tradingAccount: place.tradingAccount } as const,
  ];
  return { setup: [created, open, ...made.map(({ step }) => step)], writes, looks };
}

type Made = ReturnType<typeof pendingAt>;

const again = (d: Drawing, step: CallStep): CallStep => ({ ...step, n: d.scene.label() });
const renewed = (d: Drawing, step: CallStep): CallStep => ({ ...again(d, step), key: newKey(d) });

type Between = (d: Drawing, step: CallStep) => readonly Step[];

const interrupted =
  (between: Between): Idea['draw'] =>
  (d) => {
    const { setup, writes, looks } = everyWrite(d);
    return [...setup, ...writes.flatMap((step) => between(d, step)), ...looks()];
  };

type Fault = Extract<Step, { do: 'fault' }>;

const fault = (
  d: Drawing,
  { operation }: CallStep,
  rest: Pick<Fault, 'phase' | 'effect'>,
): Step => {
  return { do: 'fault', n: d.scene.label(), match: { operation }, times: 1, ...rest };
};

/** IDEM-6b, IDEM-6c: a failure is kept for nobody, whether it came before the work or after it. */
const struck =
  (rest: Pick<Fault, 'phase' | 'effect'>): Between =>
  (d, step) => [fault(d, step, rest), step, again(d, step), again(d, step)];

/** Together they are what an attempt may take at the least (IDEM-14b). */
const HELD_MS = [7_000, 15_000, 7_000];

/** IDEM-14a, IDEM-14b: asked for while it runs, early and late, and when it is over. */
const held: Between = (d, step) => [
  fault(d, step, { effect: { kind: 'delay', ms: HELD_MS.reduce((sum, each) => sum + each) } }),
  { ...step, pending: true },
  ...HELD_MS.flatMap((byMs) => [again(d, step), advance(d, byMs)]),
  { do: 'await', n: d.scene.label(), call: step.n },
  again(d, step),
];

/** AUTH-8: not for as long as the firm may not, and then as before. */
const forbidden: Between = (d, step) => {
  const { operation } = step;
  const permit = (allowed: boolean): Step => {
    return { do: 'permit', n: d.scene.label(), operation, allowed };
  };
  return [permit(false), step, permit(true), renewed(d, step)];
};

const SCOPES = ['accounts:write', 'trades:write', 'transactions:write'];

/** AUTH-4: whose scopes are taken away can do nothing of it, and all of it when they are back. */
function rescoped(d: Drawing): readonly Step[] {
  const { setup, writes, looks } = everyWrite(d);
  const n = d.scene.label();
  const name = `m${n}`;
  const rescope = (scopes: string[]): Step => {
    return { do: 'rescope', n: d.scene.label(), name, scopes };
  };
  const used = createCall(d, name, { brand_id: { $role: 'firm', has: 'brand' } });
  const all = writes.map((step): CallStep => ({ ...step, as: name }));
  return [
    ...[...setup, { do: 'mint', n, name, wish: { scopes: SCOPES } } as const, used],
    ...[rescope(['webhooks:manage']), ...all, rescope(SCOPES)],
    ...[...all.map((step) => renewed(d, step)), ...looks()],
  ];
}

/** LIM-5, IDEM-6a: each is limited once, and runs under its key when there is room again. */
function limited(d: Drawing): readonly Step[] {
  const { setup, writes, looks } = everyWrite(d);
  const n = d.scene.label();
  const name = `m${n}`;
  const wish = { scopes: [...SCOPES, 'webhooks:manage'], perSecond: 1 };
  const tries = writes.flatMap((step): Step[] => {
    const own: CallStep = { ...step, as: name };
    const wait = () => advance(d, 1_000);
    const filler = call(d, { operation: 'listWebhooks', as: name });
    return [filler, own, wait(), again(d, own), wait(), again(d, own), wait()];
  });
  return [...setup, { do: 'mint', n, name, wish }, ...tries, ...looks()];
}

const needsPlace = ['fresh_trading_account', 'ledger'] as const;

const STRUCK = [
  ['failed-before', { effect: { kind: 'status', status: 500 } }],
  ['put-off', { effect: { kind: 'status', status: 503 } }],
  ['failed-after', { phase: 'after', effect: { kind: 'status', status: 500 } }],
  ['lost', { phase: 'after', effect: { kind: 'reset' } }],
] as const;

export const interruptedGrids: readonly Idea[] = [
  ...STRUCK.map(
    ([how, rest]): Idea => ({
      id: `fault/every-write-${how}`,
      weight: 4,
      needs: [...needsPlace, 'fault'],
      draw: interrupted(struck(rest)),
    }),
  ),
  {
    id: 'fault/every-write-held',
    weight: 4,
    needs: [...needsPlace, 'fault', 'clock'],
    draw: interrupted(held),
  },
  {
    id: 'scope/every-write-forbidden',
    weight: 4,
    needs: [...needsPlace, 'permissions'],
    draw: interrupted(forbidden),
  },
  { id: 'scope/every-write-rescoped', weight: 4, needs: [...needsPlace, 'mint'], draw: rescoped },
  {
    id: 'limit/every-write-limited',
    weight: 4,
    needs: [...needsPlace, 'mint', 'clock', 'rates'],
    draw: limited,
  },
];
