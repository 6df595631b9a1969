// POST /api/v1/positions/open and /close, with payloads of our own choosing (NS-1).

import type { EventKind } from '../../../fixtures/event-kinds.ts';
import type { Cite, Decision } from '../call.ts';
import { type Change, put } from '../change.ts';
import { emit } from '../delivery/deliveries.ts';
import { refuse } from '../pipeline/refuse.ts';
import type { Body, RequestContext } from '../pipeline/request-context.ts';
import type { Order, Position, TradingAccount } from '../records.ts';
import { quote } from '../tables/quotes.ts';
import { compareDecimals, negateDecimal } from '../values/decimal.ts';
import { findTradingAccount, optionalText, parseMemberId } from './members.ts';

const cites: readonly Cite[] = [
  'NS-1',
  'POS-1',
  'POS-2',
  'POS-3',
  'POS-4',
  'CONV-1a',
  'CONV-2a',
  'CONV-2b',
  'CONV-4',
];
const reach: readonly Cite[] = ['NS-1'];

export function openPosition(context: RequestContext): Decision {
  const { body, world } = context;
  const refused = refuseOpen(context, body);
  if (refused !== null) return refused;
  const tradingAccount = findNamedAccount(context);
  if ('reply' in tradingAccount) return tradingAccount;
  const instrument = body.instrument as string;
  const side = body.side as string;
  const volume = body.volume as string;
  const price = quote(instrument);
  const position: Position = {
    id: String(world.counters.position + 1),
    trading_account_id: tradingAccount.id,
    account_id: tradingAccount.account_id,
    instrument,
    side,
    volume,
    open_price: price,
    opened_at: context.atMs,
    closed_at: null,
  };
  const status = context.behaviour.settings.open_position_status;
  return fill(context, position, { side, volume, price }, 'position.opened', status);
}

export function closePosition(context: RequestContext): Decision {
  const { body, behaviour } = context;
  const wanted = optionalText(body, 'volume');
  if (wanted !== null && !isPositive(context, wanted)) return refuseVolume(context);
  const positionId = parseMemberId(context, body.position_id as string, 'position_id', 'NS-1');
  if (typeof positionId !== 'string') return positionId;
  const tradingAccount = findNamedAccount(context);
  if ('reply' in tradingAccount) return tradingAccount;
  const position = context.world.positions.get(positionId);
  if (position === undefined || position.trading_account_id !== tradingAccount.id) {
    const detail = `There is no position ${positionId} on trading account ${tradingAccount.id}.`;
    return refuse(context, { code: 'not_found', detail, cites: reach });
  }
  if (position.closed_at !== null) {
    const detail = `Position ${positionId} is closed already.`;
    return refuse(context, { code: 'invalid_state', detail, cites: ['NS-1'] });
  }
  const volume = wanted ?? position.volume;
  if (compareDecimals(volume, position.volume) > 0) {
    const detail = `volume must not be more than the ${position.volume} that are open.`;
    return refuse(context, { code: 'validation_failed', detail, field: 'volume', cites: ['NS-1'] });
  }
  const left = behaviour.values.add(position.volume, negateDecimal(volume));
  const closedAtMs = behaviour.values.isZero(left) ? context.atMs : null;
  const order = {
    side: position.side === 'buy' ? 'sell' : 'buy',
    volume,
    price: quote(position.instrument),
  };
  const status = behaviour.settings.close_position_status;
  return fill(
    context,
    { ...position, volume: left, closed_at: closedAtMs },
    order,
    'position.closed',
    status,
  );
}

function findNamedAccount(context: RequestContext): TradingAccount | Decision {
  const text = context.body.trading_account_id as string;
  const id = parseMemberId(context, text, 'trading_account_id', 'NS-1');
  return typeof id === 'string' ? findTradingAccount(context, id, null, reach) : id;
}

function refuseOpen(context: RequestContext, body: Body): Decision | null {
  const wrong = (field: string, detail: string) =>
    refuse(context, { code: 'validation_failed', detail, field, cites: ['NS-1'] });
  if ((body.instrument as string).trim() === '') {
    return wrong('instrument', 'instrument must not be empty.');
  }
  if (body.side !== 'buy' && body.side !== 'sell')
    return wrong('side', 'side must be buy or sell.');
  return isPositive(context, body.volume as string) ? null : refuseVolume(context);
}

function isPositive(context: RequestContext, volume: string): boolean {
  return context.behaviour.values.isDecimal(volume) && compareDecimals(volume, '0') > 0;
}

function refuseVolume(context: RequestContext): Decision {
  const detail = 'volume must be a decimal above zero, such as "0.10".';
  return refuse(context, { code: 'validation_failed', detail, field: 'volume', cites: ['NS-1'] });
}

/** Every order fills at once, at the quote. */
function fill(
  context: RequestContext,
  position: Position,
  terms: Pick<Order, 'side' | 'volume' | 'price'>,
  kind: Extract<EventKind, `position.${string}`>,
  status: number,
): Decision {
  const { world, behaviour } = context;
  const account = world.accounts.get(position.account_id);
  if (account === undefined) throw new Error(`position ${position.id} has no account`);
  const order: Order = {
    id: String(world.counters.order + 1),
    trading_account_id: position.trading_account_id,
    position_id: position.id,
    instrument: position.instrument,
    ...terms,
    status: 'filled',
    created_at: context.atMs,
  };
  const body = behaviour.serialize.order(order);
  const place = { firm_id: account.firm_id, brand_id: account.brand_id, account_id: account.id };
  const changes: Change[] = [
    put('positions', position),
    put('orders', order),
    ...emit(context, 'order.filled', place, body),
    ...emit(context, kind, place, serializePosition(position)),
  ];
  return { reply: { status, contentType: 'application/json', body }, changes, cites };
}

export function serializePosition(position: Position): string {
  return JSON.stringify({
    id: position.id,
    trading_account_id: position.trading_account_id,
    instrument: position.instrument,
    side: position.side,
    volume: position.volume,
    open_price: position.open_price,
    status: position.closed_at === null ? 'open' : 'closed',
    opened_at: position.opened_at,
    closed_at: position.closed_at,
  });
}
