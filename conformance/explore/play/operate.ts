// Plays what an operator does: each step is one power of the target's, its result kept as JSON.
import { RefusedByOperator } from '../../engine/scenario-errors.ts';
import type { Json } from '../../engine/send/answer.ts';
import type { CredentialOptions } from '../../providers/target.ts';
import { eventOf, subscriptionOf } from '../compare/arrivals.ts';
import type { MintWish, OperatorStep } from '../sequence.ts';
import { resolveText } from '../values.ts';
import type { Outcome } from './outcome.ts';
import type { Player } from './player.ts';

type Of<K extends OperatorStep['do']> = Extract<OperatorStep, { readonly do: K }>;

export async function operate(
  step: Exclude<OperatorStep, Of<'await'>>,
  player: Player,
): Promise<Outcome> {
  const { n } = step;
  if (step.do === 'ledger') {
    const id = resolveText(step.tradingAccount, player);
    const { balance, entries } = await player.ground.target.operator.ledger(id);
    return { kind: 'ledger', n, balance, entries };
  }
  if (step.do === 'settle') return settle(step, player);
  return { kind: 'done', n, json: await perform(step, player) };
}

/**
 * Which of two decisions at once has won shows in whether the transaction settles (TXS-5): else a
 * control plane refuses to settle it, or shows it as it has stayed.
 */
async function settle({ n, id }: Of<'settle'>, player: Player): Promise<Outcome> {
  const named = resolveText(id, player);
  const status = await player.ground.target.operator.settle(named).catch(unlessRefused);
  if (status !== undefined && status !== 'settled') {
    return { kind: 'done', n, json: null, isRefused: true };
  }
  player.settled.push(named);
  return { kind: 'done', n, json: null };
}

function unlessRefused(error: unknown): 'refused' {
  if (error instanceof RefusedByOperator && error.status === 409) return 'refused';
  throw error;
}

async function perform(
  step: Exclude<OperatorStep, Of<'ledger'> | Of<'settle'> | Of<'await'>>,
  player: Player,
): Promise<Json> {
  const { target } = player.ground;
  const { operator } = target;
  switch (step.do) {
    case 'advance':
      // A delivery on its way is answered first: else its 15 s run out by the clock that is moved,
      // on the one side that happens to be slower.
      if (!player.isFlushed) await player.flush();
      await operator.advance(step.byMs);
      return null;
    case 'open':
      return open(step, player);
    case 'place':
      return { ...(await target.seed(step.kind)) };
    case 'mint':
      return mint(step, player);
    case 'rescope': {
      const id = player.has(step.name, 'client');
      if (id !== undefined) await operator.rescope(id, step.scopes);
      return null;
    }
    case 'hook':
      return hook(step, player);
    case 'permit':
      await operator.permit('1', step.operation, step.allowed);
      return null;
    case 'emit': {
      const { category, kind, account } = step;
      const named = account === undefined ? {} : { accountId: resolveText(account, player) };
      await operator.emit({ category, kind, ...named });
      return null;
    }
    case 'fault': {
      const { match, phase, effect, times } = step;
      const given = { match, effect };
      const fault = await operator.fault({
        ...given,
        ...(phase === undefined ? {} : { phase }),
        ...(times === undefined ? {} : { times }),
      });
      player.faults.push(fault);
      return null;
    }
  }
}

async function open({ account, currency, provider }: Of<'open'>, player: Player): Promise<Json> {
  const place = await player.ground.target.operator.openTradingAccount(
    resolveText(account, player),
    {
      ...(currency === undefined ? {} : { currency }),
      ...(provider === undefined ? {} : { provider }),
    },
  );
  return { ...place };
}

async function mint({ name, wish }: Of<'mint'>, player: Player): Promise<Json> {
  const credential = await player.ground.target.operator.mint(await wishOf(wish, player));
  player.credentials.set(name, { ...credential, name });
  return { account_id: credential.accountId ?? null, brand_id: credential.brandId ?? null };
}

async function wishOf(wish: MintWish, player: Player): Promise<CredentialOptions> {
  const { account, mintedBy, ...rest } = wish;
  if (mintedBy !== undefined) await player.prepare(mintedBy);
  const minter = mintedBy === undefined ? undefined : player.has(mintedBy, 'client');
  return {
    ...rest,
    ...(account === undefined ? {} : { accountId: resolveText(account, player) }),
    ...(minter === undefined ? {} : { mintedBy: minter }),
  };
}

/**
 * An endpoint that answers the attempts of each notice with these statuses in turn, and with the
 * last of them from then on. So the order in which events arrive decides nothing (NS-28).
 */
async function hook({ n, answers }: Of<'hook'>, player: Player): Promise<Json> {
  const made = await player.ground.target.receiver();
  const attempts = new Map<string, number>();
  made.answer((arrival) => {
    const notice = `${eventOf(arrival)} ${subscriptionOf(arrival, player)}`;
    const attempt = attempts.get(notice) ?? 0;
    attempts.set(notice, attempt + 1);
    return { status: answers[Math.min(attempt, answers.length - 1)] ?? 200 };
  });
  player.hooks.set(n, made);
  return { url: made.url };
}
