// Opening and closing positions (POS). Their form is open (NS-1); the style decides.
import type { Context } from './context.ts';
import { aboutOf, type Position, type Reply, type TradingAccount } from './records.ts';
import { isDecimal, isNegative, isZero } from './values.ts';

export function openPosition(context: Context): Reply {
  const { style, store } = context;
  const names = style.position;
  const trading = context.id(context.text('trading_account_id'), 'trading_account_id');
  checkVolume(context);
  const [side, instrument] = [context.text(names.side), context.text(names.instrument)];
  const words = `${names.side} must be one of ${names.sides.join(', ')}`;
  context.need(names.sides.includes(side), words, names.side);
  context.need(instrument.trim() !== '', `${names.instrument} is empty`, names.instrument);
  const place = context.tradingAccount(trading) ?? context.notFound();
  checkMarket(context);
  const volume = String(context.body[names.volume]);
  const position = {
    id: store.nextId('position'),
    trading_account_id: place.id,
    instrument,
    side,
    volume,
  };
  return filled(context, place, store.savePosition({ ...position, open: true }), 'position.opened');
}

export function closePosition(context: Context): Reply {
  const { style, store } = context;
  const names = style.position;
  const trading = context.id(context.text('trading_account_id'), 'trading_account_id');
  const positionId = context.id(context.text(names.positionId), names.positionId);
  checkVolume(context);
  const place = context.tradingAccount(trading) ?? context.notFound();
  const position = store.position(positionId) ?? context.notFound();
  if (position.trading_account_id !== place.id) context.notFound();
  checkMarket(context);
  if (!position.open) context.refuse(409, 'invalid_state', 'the position is closed');
  store.savePosition({ ...position, open: false });
  const side = names.sides.find((each) => each !== position.side)!;
  const volume = String(context.body[names.volume] ?? position.volume);
  return filled(context, place, { ...position, side, volume }, 'position.closed');
}

function checkMarket(context: Context): void {
  const { marketClosed } = context.style;
  if (marketClosed === null) return;
  context.refuse(marketClosed.status, marketClosed.code, 'the market is closed');
}

function checkVolume(context: Context): void {
  const { position, laxDecimals } = context.style;
  const text = String(context.body[position.volume] ?? '1');
  const isRight = isDecimal(text, laxDecimals) && !isZero(text) && !isNegative(text);
  context.need(isRight, `${position.volume} must be a decimal above zero`, position.volume);
}

/** The order that opened or closed a position. */
function filled(context: Context, place: TradingAccount, position: Position, kind: string): Reply {
  const { world, store, style, nowMs } = context;
  const { id: positionId, open: _, ...order } = position;
  const content = style.position.answer({ ...order, id: store.nextId('order'), positionId, nowMs });
  const about = aboutOf(store.account(place.account_id)!);
  world.emit('order', 'order.filled', about, content);
  world.emit('position', kind, about, content);
  return context.reply(style.position.status, content);
}
