// POST /api/v1/positions/open and /close, with payloads of our own choosing (NS-1).
import type { EventKind } from '../../../fixtures/event-kinds.ts';
import type { Cite, Decision } from '../call.ts';
import { type Change, put } from '../change.ts';
import type { CommandContext } from '../commands/commands.ts';
import { emit } from '../delivery/deliveries.ts';
import { invalid, type RequestContext, refuse } from '../pipeline/request-context.ts';
import type { Order, Position, TradingAccount } from '../records.ts';
import { addDecimals, compareDecimals, isZeroDecimal, negateDecimal } from '../values/decimal.ts';
import { existing } from '../world.ts';
import { findTradingAccount, optionalText, parseNamedId } from './members.ts';

/** Prices at which orders are filled: fixed, so that a run can be repeated (NS-1). */
const quotes: Readonly<Record<string, string>> = {
  EURUSD: '1.08500',
  GBPUSD: '1.27100',
  USDJPY: '151.250',
  XAUUSD: '2345.60',
  BTCUSD: '64250.00',
  US500: '5210.50',
};

/** The price of an instrument; one without a quote trades at 100.00. */
export function quote(instrument: string): string {
  return quotes[instrument.toUpperCase()] ?? '100.00';
}

export function openPosition(context: RequestContext): Decision {
  const { body, world, behaviour, atMs } = context;
  const instrument = body.instrument as string;
  const side = body.side as string;
  const volume = body.volume as string;
  if (instrument.trim() === '') {
    return invalid(context, 'instrument', 'instrument must not be empty.', 'NS-1');
  }
  if (side !== 'buy' && side !== 'sell') {
    return invalid(context, 'side', 'side must be buy or sell.', 'NS-1');
  }
  const refused = refuseVolume(context, volume);
  if (refused !== null) return refused;
  const tradingAccount = findNamedAccount(context);
  if ('reply' in tradingAccount) return tradingAccount;
  const price = quote(instrument);
  const position: Position = {
    id: String(world.counters.position + 1),
    trading_account_id: tradingAccount.id,
    account_id: tradingAccount.account_id,
    instrument,
    side,
    volume,
    open_price: price,
    opened_at: atMs,
    closed_at: null,
  };
  const { order, changes } = fillOrder(context, position, { side, volume, price });
  return answerOrder(context, order, changes, behaviour.settings.open_position_status);
}

export function closePosition(context: RequestContext): Decision {
  const { body, world } = context;
  const requestedVolume = optionalText(body, 'volume');
  const refused = requestedVolume === null ? null : refuseVolume(context, requestedVolume);
  if (refused !== null) return refused;
  const positionId = parseNamedId(context, body.position_id as string, 'position_id', 'NS-1');
  if (typeof positionId !== 'string') return positionId;
  const tradingAccount = findNamedAccount(context);
  if ('reply' in tradingAccount) return tradingAccount;
  const position = world.positions.get(positionId);
  if (position === undefined || position.trading_account_id !== tradingAccount.id) {
    const detail = `There is no position ${positionId} on trading account ${tradingAccount.id}.`;
    return refuse(context, 'not_found', ['NS-1'], detail);
  }
  if (position.closed_at !== null) {
    const detail = `Position ${positionId} is closed already.`;
    return refuse(context, 'invalid_state', ['NS-1'], detail);
  }
  const volume = requestedVolume ?? position.volume;
  if (compareDecimals(volume, position.volume) > 0) {
    const detail = `volume must not be more than the ${position.volume} that are open.`;
    return invalid(context, 'volume', detail, 'NS-1');
  }
  const left = addDecimals(position.volume, negateDecimal(volume));
  const closedAtMs = isZeroDecimal(left) ? context.atMs : null;
  const closed = { ...position, volume: left, closed_at: closedAtMs };
  const { order, changes } = fillOrder(context, closed, {
    side: otherSide(position.side),
    volume,
    price: quote(position.instrument),
  });
  return answerOrder(context, order, changes, context.behaviour.settings.close_position_status);
}

export const otherSide = (side: string): string => (side === 'buy' ? 'sell' : 'buy');

function findNamedAccount(context: RequestContext): TradingAccount | Decision {
  const named = context.body.trading_account_id as string;
  const id = parseNamedId(context, named, 'trading_account_id', 'NS-1');
  return typeof id === 'string' ? findTradingAccount(context, id, null, ['NS-1']) : id;
}

function refuseVolume(context: RequestContext, volume: string): Decision | null {
  if (context.behaviour.values.isDecimal(volume) && compareDecimals(volume, '0') > 0) return null;
  const detail = 'volume must be a decimal above zero, such as "0.10".';
  return invalid(context, 'volume', detail, 'NS-1');
}

const cites: readonly Cite[] = ['NS-1', 'POS-1', 'CONV-1a', 'CONV-2a', 'CONV-2b', 'CONV-4'];

function answerOrder(
  { behaviour }: RequestContext,
  order: Order,
  changes: readonly Change[],
  status: number,
): Decision {
  const body = behaviour.serialize.order(order);
  return { reply: { status, contentType: 'application/json', body }, changes, cites };
}

/** Every order is filled immediately; `position` is the result. */
export function fillOrder(
  { world, behaviour, atMs }: CommandContext,
  position: Position,
  terms: Pick<Order, 'side' | 'volume' | 'price'>,
): { readonly order: Order; readonly changes: readonly Change[] } {
  const account = existing(world.accounts, position.account_id);
  const order: Order = {
    id: String(world.counters.order + 1),
    trading_account_id: position.trading_account_id,
    position_id: position.id,
    instrument: position.instrument,
    ...terms,
    status: 'filled',
    created_at: atMs,
  };
  const isOpening = terms.side === position.side;
  const kind: EventKind = isOpening ? 'position.opened' : 'position.closed';
  return {
    order,
    changes: [
      put('positions', position),
      put('orders', order),
      ...emit({ behaviour }, 'order.filled', account, behaviour.serialize.order(order)),
      ...emit({ behaviour }, kind, account, behaviour.serialize.position(position)),
    ],
  };
}
