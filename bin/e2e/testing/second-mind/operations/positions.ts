// Opening and closing positions. What they look like is open (NS-1); the style says.

import { bodyIdProblem, findTradingAccount } from '../checks/reach.ts';
import { emit } from '../events.ts';
import {
  answerWith,
  invalid,
  notFound,
  plainId,
  type RequestContext,
  refuse,
} from '../request-context.ts';
import { shownVolume } from '../sealed-effects.ts';
import { type JsonObject, textOr } from '../values/json.ts';
import { isDecimal, isNegative, isZero } from '../values/money.ts';
import type { Answer, Position, TradingAccount } from '../values/records.ts';
import type { Order } from '../values/style.ts';

export function openPosition(ctx: RequestContext): Answer {
  const { mind, body } = ctx;
  const names = mind.style.position;
  const tradingId = textOr(body.trading_account_id, '');
  const problem = bodyIdProblem(ctx, tradingId, 'trading_account_id') ?? volumeProblem(ctx);
  if (problem !== null) return problem;
  const side = textOr(body[names.side], '');
  if (!names.sides.includes(side)) {
    return invalid(ctx, `${names.side} must be one of ${names.sides.join(', ')}`, names.side);
  }
  if (textOr(body[names.instrument], '').trim() === '') {
    return invalid(ctx, `${names.instrument} must not be empty`, names.instrument);
  }
  const trading = findTradingAccount(ctx, tradingId);
  if (trading === undefined) return notFound(ctx);
  const position: Position = {
    id: mind.nextId(),
    tradingAccountId: trading.id,
    instrument: textOr(body[names.instrument], ''),
    side,
    volume: String(body[names.volume]),
    open: true,
  };
  mind.positions.push(position);
  return filled(ctx, trading, position, side, position.volume, 'position.opened');
}

function volumeProblem(ctx: RequestContext): Answer | null {
  const { volume } = ctx.mind.style.position;
  const given = ctx.body[volume];
  if (given === undefined || given === null) return null;
  const text = String(given);
  const isRight = isDecimal(text, ctx.mind.style.laxDecimals) && !isZero(text) && !isNegative(text);
  return isRight ? null : invalid(ctx, `${volume} must be a decimal above zero`, volume);
}

export function closePosition(ctx: RequestContext): Answer {
  const { mind, body } = ctx;
  const names = mind.style.position;
  const tradingId = textOr(body.trading_account_id, '');
  const positionId = textOr(body[names.positionId], '');
  const problem =
    bodyIdProblem(ctx, tradingId, 'trading_account_id') ??
    bodyIdProblem(ctx, positionId, names.positionId) ??
    volumeProblem(ctx);
  if (problem !== null) return problem;
  const trading = findTradingAccount(ctx, tradingId);
  const wanted = plainId(ctx, positionId);
  const position = mind.positions.find((each) => each.id === wanted);
  if (trading === undefined || position?.tradingAccountId !== trading.id) return notFound(ctx);
  if (!position.open) return refuse(ctx, 409, 'invalid_state', 'the position is closed');
  position.open = false;
  const [one = '', two = ''] = names.sides;
  const volume = String(body[names.volume] ?? position.volume);
  return filled(
    ctx,
    trading,
    position,
    position.side === one ? two : one,
    volume,
    'position.closed',
  );
}

function filled(
  ctx: RequestContext,
  trading: TradingAccount,
  position: Position,
  side: string,
  sent: string,
  kind: string,
): Answer {
  const { mind } = ctx;
  const order: Order = {
    id: mind.nextId(),
    tradingAccountId: trading.id,
    positionId: position.id,
    instrument: position.instrument,
    side,
    volume: shownVolume(ctx, sent),
    createdAtMs: mind.now(),
  };
  mind.orders.push(order);
  const account = mind.accounts.find((each) => each.id === trading.accountId)!;
  const content: JsonObject = mind.style.position.answer(order, position);
  emit(mind, 'order', 'order.filled', account, content);
  emit(mind, 'position', kind, account, content);
  return answerWith(ctx, mind.style.position.openStatus, content);
}
