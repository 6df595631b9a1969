// Opens and closes a position of a starting world at the prices it names.
import type { PositionFixture } from '../../../fixtures/worlds/world-fixture.ts';
import { emit } from '../delivery/emit-event.ts';
import type { Order, Position } from '../records.ts';
import type { SeedContext } from './seeder.ts';

export function seedPosition(
  context: SeedContext,
  fixture: PositionFixture,
  id: string,
  tradingAccountId: string,
  what: 'open' | 'close',
): string | null {
  const { world, behaviour, atMs } = context;
  const tradingAccount = world.tradingAccounts.get(tradingAccountId);
  const account = world.accounts.get(tradingAccount?.account_id ?? '');
  if (account === undefined) return 'it is older than its account';
  const opened = world.positions.get(id);
  if (what === 'close' && opened === undefined) return 'it is closed before it is opened';
  const closing = what === 'close';
  const position: Position = {
    id,
    trading_account_id: tradingAccountId,
    account_id: account.id,
    instrument: fixture.instrument,
    side: fixture.side,
    volume: closing ? '0' : fixture.volume,
    open_price: fixture.open_price,
    opened_at: opened?.opened_at ?? atMs,
    closed_at: closing ? atMs : null,
  };
  const order: Order = {
    id: String(world.counters.order + 1),
    trading_account_id: tradingAccountId,
    position_id: id,
    instrument: fixture.instrument,
    side: closing ? (fixture.side === 'buy' ? 'sell' : 'buy') : fixture.side,
    volume: fixture.volume,
    price: closing ? (fixture.closed?.price ?? fixture.open_price) : fixture.open_price,
    status: 'filled',
    created_at: atMs,
  };
  const place = { firm_id: account.firm_id, brand_id: account.brand_id, account_id: account.id };
  const kind = closing ? 'position.closed' : 'position.opened';
  context.apply([
    { type: 'position-set', position },
    { type: 'order-set', order },
    ...emit(context, 'order.filled', place, behaviour.serialize.order(order)),
    ...emit(context, kind, place, ''),
  ]);
  return null;
}
