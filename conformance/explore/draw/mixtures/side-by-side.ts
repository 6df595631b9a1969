// Ideas about calls at once on several records of one kind, and on the one that all of them change;
// each is looked at afterwards: an answer may say what was lost.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { tokenCall } from '../access.ts';
import { createCall } from '../accounts.ts';
import { together } from '../bursts.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { orderCall } from '../positions.ts';
import { rereadAccount, rereadTransaction } from '../rereads.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { subscribed } from '../webhooks.ts';

const EVERYTHING = ['account', 'order', 'position', 'transaction'];

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Two or three, for a race is lost by two. */
const few = (d: Drawing): number => Math.min(d.crowd, d.random.pick([2, 2, 3]));

function updatesOfSeveral(d: Drawing): readonly Step[] {
  const made = times(few(d), () => createCall(d, d.main));
  const accounts = made.map(madeBy);
  const members = ['status', 'first_name', 'last_name', 'country', 'language'];
  const updates = accounts.map((account) =>
    updateCall(d, account, { [d.random.pick(members)]: `c${d.stem()}` }),
  );
  return [...made, together(d, updates), ...accounts.map((account) => rereadAccount(d, account))];
}

/** Of one account or of two, decided alike at the same moment, then settled. */
function decisionsOfSeveral(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const first = openedAt(d, { $of: created.n, at: 'id' });
  const other = d.random.chance(0.5) ? createCall(d, d.main) : undefined;
  const kind = other === undefined ? 'trading_account' : 'second_trading_account';
  const second = openedAt(d, { $of: (other ?? created).n, at: 'id' }, kind);
  const verb = d.random.pick([
    'approveTransaction',
    'approveTransaction',
    'rejectTransaction',
    'cancelTransaction',
  ] as const);
  const all = [first, second].map(({ place }) => pendingAt(d, place));
  const after = all.flatMap((each): Step[] => [
    rereadTransaction(d, each),
    ...(verb === 'approveTransaction'
      ? [{ do: 'settle' as const, n: d.scene.label(), id: each.id }]
      : []),
    { do: 'ledger', n: d.scene.label(), tradingAccount: each.place.tradingAccount },
  ]);
  return [
    created,
    ...(other === undefined ? [] : [other]),
    first.step,
    second.step,
    ...all.map(({ step }) => step),
    together(
      d,
      all.map((each) => decideCall(d, verb, each)),
    ),
    ...after,
  ];
}

/** Made at once under names of their own, and each found again. */
function makesOfSeveral(d: Drawing): readonly Step[] {
  const made = times(few(d), () => createCall(d, d.main));
  return [together(d, made), ...made.map((step) => rereadAccount(d, madeBy(step)))];
}

/** One subscription or two, rotated at once; what is delivered then shows which secrets count. */
function rotationsOfSeveral(d: Drawing): readonly Step[] {
  const made = times(d.random.pick([1, 1, 2]), () => subscribed(d, d.main, [200], EVERYTHING));
  const ids = made.map((steps): Value => ({ $of: steps[1]!.n, at: 'id' }));
  const count = Math.min(d.crowd, Math.max(2, ids.length));
  const rotations = times(count, (at) =>
    call(d, { operation: 'rotateWebhookSecret', as: d.main, id: ids[at % ids.length]! }),
  );
  return [...made.flat(), together(d, rotations), createCall(d, d.main)];
}

/** Disabled at the moment of a rotation: it stays so, whichever came first (HOOK-13). */
function disabledMeanwhile(d: Drawing): readonly Step[] {
  const steps = subscribed(d, d.main, [200], EVERYTHING);
  const id: Value = { $of: steps[1]!.n, at: 'id' };
  const about = (operation: CallStep['operation']) => call(d, { operation, as: d.main, id });
  return [
    ...steps,
    together(d, [about('disableWebhook'), about('rotateWebhookSecret')]),
    createCall(d, d.main),
    about('getWebhook'),
  ];
}

function orders(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step, place } = openedAt(d, { $of: created.n, at: 'id' });
  const order = () => orderCall(d, place.tradingAccount);
  const all = times(few(d), order);
  const closes = all.map(({ n }) =>
    call(d, {
      operation: 'closePosition',
      as: d.main,
      key: newKey(d),
      body: {
        trading_account_id: place.tradingAccount,
        position_id: { $of: n, at: 'position_id' },
      },
    }),
  );
  return [created, step, together(d, all), together(d, closes)];
}

/** Alike but for their names, so that their order does not matter. */
const PLAIN = {
  ...{ first_name: undefined, last_name: undefined, country: undefined, language: undefined },
  ...{ phone: undefined, phone_region: undefined },
  brand_id: { $role: 'firm', has: 'brand' },
} as const;

/** At once and over the rate, then again when some of it has come back (LIM-1, LIM-2). */
function overTheRate(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const name = `m${n}`;
  const wish = { scopes: ['accounts:write'], perSecond: d.random.pick([2, 3, 5]) };
  const crowd = () =>
    together(
      d,
      times(Math.min(d.crowd, 8), () => createCall(d, name, PLAIN)),
    );
  return [{ do: 'mint', n, name, wish }, crowd(), advance(d, d.random.pick([400, 1_000])), crowd()];
}

/** AUTH-3b: ten a minute, however many come at once. */
function tokensAtOnce(d: Drawing): readonly Step[] {
  const crowd = () =>
    together(
      d,
      times(Math.min(d.crowd, 8), () => tokenCall(d)),
    );
  return [crowd(), crowd()];
}

const needsPlace = ['trading_account'] as const;

export const sideBySideIdeas: readonly Idea[] = [
  { id: 'burst/updates-of-several', weight: 2, draw: updatesOfSeveral },
  { id: 'burst/makes-of-several', weight: 1, draw: makesOfSeveral },
  {
    id: 'burst/decisions-of-several',
    weight: 2,
    needs: [...needsPlace, 'second_trading_account'],
    draw: decisionsOfSeveral,
  },
  { id: 'burst/rotations-of-several', weight: 2, needs: ['receiver'], draw: rotationsOfSeveral },
  { id: 'burst/disabled-meanwhile', weight: 1, needs: ['receiver'], draw: disabledMeanwhile },
  { id: 'burst/orders-of-several', weight: 1, needs: needsPlace, draw: orders },
  { id: 'burst/over-the-rate', weight: 1.5, needs: ['mint', 'clock', 'rates'], draw: overTheRate },
  {
    id: 'burst/tokens',
    weight: 4,
    isGrid: true,
    needs: ['client', 'clock'],
    draw: tokensAtOnce,
  },
];
