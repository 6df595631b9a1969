// Ideas about positions: opened, closed, and repeated in every mixture (NS-1 for the payload).
import type { Value } from '../sequence.ts';
import { call, type Drawing, type Idea, members, newKey } from './idea.ts';
import type { DrawnPlace, Scene } from './scene.ts';

type Over = { readonly [name: string]: Value | undefined };

const placed = ({ places }: Scene) => places.length > 0;
const opened = ({ positions }: Scene) => positions.length > 0;

function openCall(d: Drawing, place: DrawnPlace, over: Over = {}, as = place.as) {
  return call(d, {
    operation: 'openPosition',
    as,
    key: newKey(d),
    body: members({
      trading_account_id: place.tradingAccount,
      instrument: d.random.pick(['EURUSD', 'GBPUSD']),
      side: d.random.pick(['buy', 'sell']),
      volume: d.random.pick(['0.10', '1', '2.5']),
      ...over,
    }),
  });
}

function open(id: string, over: Over, rest: Partial<Idea> = {}, as?: string): Idea {
  return {
    id: `position/${id}`,
    when: placed,
    draw: (d) => {
      const place = d.random.pick(d.scene.places);
      return [openCall(d, place, over, as ?? place.as)];
    },
    ...rest,
  };
}

const ROLES = [
  'brand',
  'other_brand',
  'other_firm',
  'no_scopes',
  'delegated',
  'read_only',
  'amend_only',
] as const;

export const positionIdeas: readonly Idea[] = [
  open('open', {}, { weight: 4 }),
  open('unknown', { trading_account_id: '999999999' }),
  open('text', { trading_account_id: 'abc' }, { weight: 0.5 }),
  ...ROLES.map((role) => open(`as-${role}`, {}, { needs: [role], weight: 0.6 }, role)),
  {
    id: 'position/number',
    when: placed,
    weight: 0.5,
    draw: (d) => {
      const place = d.random.pick(d.scene.places);
      return [openCall(d, place, { trading_account_id: { $number: place.tradingAccount } })];
    },
  },
  {
    id: 'position/close',
    weight: 3,
    when: opened,
    draw: (d) => [closeCall(d)],
  },
  {
    id: 'position/close-as-no-scopes',
    needs: ['no_scopes'],
    weight: 0.6,
    when: opened,
    draw: (d) => [{ ...closeCall(d), as: 'no_scopes' }],
  },
  {
    id: 'position/close-under-key-of-open',
    weight: 2,
    when: ({ positions, calls }) =>
      positions.length > 0 && calls.some(({ step }) => step.operation === 'openPosition'),
    draw: (d) => {
      const all = d.scene.calls.filter(({ step }) => step.operation === 'openPosition');
      return [{ ...closeCall(d), key: d.random.pick(all).step.key! }];
    },
  },
];

function closeCall(d: Drawing) {
  const { id, place } = d.random.pick(d.scene.positions);
  return call(d, {
    operation: 'closePosition',
    as: place.as,
    key: newKey(d),
    body: { trading_account_id: place.tradingAccount, position_id: id },
  });
}
