// Ideas about positions: opened, closed, and repeated in every mixture (NS-1 for the payload).
import type { CallStep, Value } from '../sequence.ts';
import { call, type Drawing, type Idea, type Members, members, newKey } from './idea.ts';
import { type DrawnPlace, type DrawnPosition, type Scene, sameValue } from './scene.ts';

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

/** A position opened plainly, wherever the trading account is. */
export const orderCall = (d: Drawing, trading_account_id: Value, over: Members = {}): CallStep =>
  call(d, {
    operation: 'openPosition',
    as: d.main,
    key: newKey(d),
    body: { trading_account_id, instrument: 'EURUSD', side: 'buy', volume: '1', ...over },
  });

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
    draw: (d) => [closing(d)],
  },
  {
    id: 'position/close-as-no-scopes',
    needs: ['no_scopes'],
    weight: 0.6,
    when: opened,
    draw: (d) => [{ ...closing(d), as: 'no_scopes' }],
  },
  {
    id: 'position/close-under-key-of-open',
    weight: 2,
    when: ({ positions, calls }) =>
      positions.length > 0 && calls.some(({ step }) => step.operation === 'openPosition'),
    draw: (d) => {
      const all = d.scene.calls.filter(({ step }) => step.operation === 'openPosition');
      return [{ ...closing(d), key: d.random.pick(all).step.key! }];
    },
  },
];

const closing = (d: Drawing) => closeCall(d, d.random.pick(d.scene.positions));

export function closeCall(d: Drawing, { id, place }: DrawnPosition) {
  return call(d, {
    operation: 'closePosition',
    as: place.as,
    key: newKey(d),
    body: { trading_account_id: place.tradingAccount, position_id: id },
  });
}

/** Whether no call has closed it. */
export function isOpen({ id }: DrawnPosition, calls: Scene['calls']): boolean {
  return !calls.some(({ step: { operation, body }, status }) => {
    const { position_id: closed } = (body ?? {}) as { readonly position_id?: Value };
    return operation === 'closePosition' && status < 300 && sameValue(closed, id);
  });
}
