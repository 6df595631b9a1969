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
  const account = world.accounts.get(tradingAccount?.accountId ?? '');
  if (account === undefined) return 'it is older than its account';
  const opened = world.positions.get(id);
  if (what === 'close' && opened === undefined) return 'it is closed before it is opened';
  const closing = what === 'close';
  const position: Position = {
    id,
    tradingAccountId,
    accountId: account.id,
    instrument: fixture.instrument,
    side: fixture.side,
    volume: closing ? '0' : fixture.volume,
    openPrice: fixture.open_price,
    openedAtMs: opened?.openedAtMs ?? atMs,
    closedAtMs: closing ? atMs : null,
  };
  const order: Order = {
    id: String(world.counters.order + 1),
    tradingAccountId,
    positionId: id,
    instrument: fixture.instrument,
    side: closing ? (fixture.side === 'buy' ? 'sell' : 'buy') : fixture.side,
    volume: fixture.volume,
    price: closing ? (fixture.closed?.price ?? fixture.open_price) : fixture.open_price,
    status: 'filled',
    createdAtMs: atMs,
  };
  const place = { firmId: account.firmId, brandId: account.brandId, accountId: account.id };
  const kind = closing ? 'position.closed' : 'position.opened';
  context.apply([
    { type: 'position-set', position },
    { type: 'order-set', order },
    ...emit(context, 'order.filled', place, behaviour.serialize.order(order)),
    ...emit(context, kind, place, ''),
  ]);
  return null;
}
