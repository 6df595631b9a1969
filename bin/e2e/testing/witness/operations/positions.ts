// Opening and closing positions (POS). What they look like is open (NS-1); the style decides.
import type { Position, Reply } from '../records.ts';
import { invalid, notFound, refuse, replyWith } from '../replies.ts';
import type { Context } from '../types.ts';
import { isDecimal, isNegative, isZero, textOr } from '../values.ts';
import { findTradingAccount, idProblem, plainId } from './ids.ts';

export function openPosition(context: Context): Reply {
  const { world, body } = context;
  const { position: names } = world.style;
  const tradingId = textOr(body.trading_account_id, '');
  const problem = idProblem(context, tradingId, 'trading_account_id') ?? volumeProblem(context);
  if (problem !== null) return problem;
  const side = textOr(body[names.side], '');
  const instrument = textOr(body[names.instrument], '');
  if (!names.sides.includes(side)) {
    const words = `${names.side} must be one of ${names.sides.join(', ')}`;
    return invalid(context, words, names.side);
  }
  if (instrument.trim() === '') {
    return invalid(context, `${names.instrument} must not be empty`, names.instrument);
  }
  const place = findTradingAccount(context, tradingId);
  if (place === undefined) return notFound(context);
  const closed = marketProblem(context);
  if (closed !== null) return closed;
  const position = world.store.savePosition({
    id: world.store.nextId(),
    trading_account_id: place.id,
    instrument,
    side,
    volume: String(body[names.volume]),
    open: true,
  });
  return filled(context, position, 'position.opened');
}

export function closePosition(context: Context): Reply {
  const { world, body } = context;
  const { position: names } = world.style;
  const tradingId = textOr(body.trading_account_id, '');
  const positionId = textOr(body[names.positionId], '');
  const problem =
    idProblem(context, tradingId, 'trading_account_id') ??
    idProblem(context, positionId, names.positionId) ??
    volumeProblem(context);
  if (problem !== null) return problem;
  const place = findTradingAccount(context, tradingId);
  const position = world.store.position(plainId(world, positionId));
  if (place === undefined || position?.trading_account_id !== place.id) return notFound(context);
  const closed = marketProblem(context);
  if (closed !== null) return closed;
  if (!position.open) return refuse(context, 409, 'invalid_state', 'the position is closed');
  world.store.savePosition({ ...position, open: false });
  const side = names.sides.find((each) => each !== position.side)!;
  const volume = String(body[names.volume] ?? position.volume);
  return filled(context, { ...position, side, volume }, 'position.closed');
}

function marketProblem(context: Context): Reply | null {
  const { marketClosed } = context.world.style;
  if (marketClosed === null) return null;
  return refuse(context, marketClosed.status, marketClosed.code, 'the market is closed');
}

function volumeProblem(context: Context): Reply | null {
  const { position, laxDecimals } = context.world.style;
  const given = context.body[position.volume];
  if (given === undefined || given === null) return null;
  const text = String(given);
  const isRight = isDecimal(text, laxDecimals) && !isZero(text) && !isNegative(text);
  const words = `${position.volume} must be a decimal above zero`;
  return isRight ? null : invalid(context, words, position.volume);
}

/** The order that opened or closed a position. */
function filled(context: Context, position: Position, kind: string): Reply {
  const { world } = context;
  const { answer, status } = world.style.position;
  const { trading_account_id: tradingAccountId, instrument, side, volume } = position;
  const createdAtMs = world.clock.now();
  const id = world.store.nextId();
  const content = answer({ id, tradingAccountId, instrument, side, volume, createdAtMs }, position);
  const place = world.store.tradingAccount(tradingAccountId)!;
  const account = world.store.account(place.account_id)!;
  const about = { firmId: account.firm_id, brandId: account.brand_id, accountId: account.id };
  world.emit('order', 'order.filled', about, content);
  world.emit('position', kind, about, content);
  return replyWith(context, status, content);
}
