// Plays the steps of an operator: each uses one capability of the target and keeps its result as JSON.
import { RefusedByOperator } from '../../engine/scenario-errors.ts';
import type { Json } from '../../engine/send/json.ts';
import { SANDBOX_PER_SECOND } from '../../providers/profile-provider.ts';
import type { CredentialOptions } from '../../providers/target.ts';
import { eventOf, subscriptionOf, subscriptionsOf } from '../compare/arrivals.ts';
import type { MintWish, OperatorStep } from '../sequence.ts';
import { resolveText } from '../values.ts';
import type { Outcome } from './outcome.ts';
import type { Player } from './player.ts';

/**
 * A refused settlement is an outcome: whether the transaction settles shows which of two concurrent
 * decisions won (TXS-5). Some control planes return the unchanged transaction instead of an error.
 */
export async function operate(step: OperatorStep, player: Player): Promise<Outcome> {
  const { n } = step;
  const { operator } = player.ground.target;
  if (step.do === 'ledger') {
    return {
      kind: 'ledger',
      n,
      ...(await operator.ledger(resolveText(step.tradingAccount, player))),
    };
  }
  if (step.do !== 'settle') return { kind: 'done', n, json: await perform(step, player) };
  const id = resolveText(step.id, player);
  const status = await operator.settle(id).catch((error: unknown) => {
    if (error instanceof RefusedByOperator && error.status === 409) return 'refused';
    throw error;
  });
  const isRefused = status !== undefined && status !== 'settled';
  if (!isRefused) player.settled.push(id);
  return { kind: 'done', n, json: null, ...(isRefused ? { isRefused } : {}) };
}

type Performed = Exclude<OperatorStep, { readonly do: 'ledger' | 'settle' }>;

async function perform(step: Performed, player: Player): Promise<Json> {
  const { target, seeds } = player.ground;
  const { operator } = target;
  switch (step.do) {
    case 'advance':
      await player.advance(step.byMs);
      return null;
    case 'open': {
      const { account, currency, provider } = step;
      const options = {
        ...(currency === undefined ? {} : { currency }),
        ...(provider === undefined ? {} : { provider }),
      };
      return { ...(await operator.openTradingAccount(resolveText(account, player), options)) };
    }
    case 'place':
      return { ...(seeds?.get(step.kind) ?? (await target.seed(step.kind))) };
    case 'mint': {
      const credential = await operator.mint(await wishOf(step.wish, player));
      player.credentials.set(step.name, { ...credential, name: step.name });
      const { plan, perSecond = plan === 'sandbox' ? SANDBOX_PER_SECOND : null } = step.wish;
      if (perSecond !== null) player.rates.set(step.name, perSecond);
      return { account_id: credential.accountId ?? null, brand_id: credential.brandId ?? null };
    }
    case 'rescope': {
      player.isRescoped = true;
      const id = player.has(step.name, 'client');
      if (id !== undefined) await operator.rescope(id, step.scopes);
      return null;
    }
    case 'hook':
      return hook(step.n, step.answers, player);
    case 'permit':
      player.isRescoped = true;
      await operator.permit('1', step.operation, step.allowed);
      return null;
  }
}

async function wishOf(wish: MintWish, player: Player): Promise<CredentialOptions> {
  const { account, mintedBy, ...rest } = wish;
  if (mintedBy !== undefined) await player.credential(mintedBy);
  const minter = mintedBy === undefined ? undefined : player.has(mintedBy, 'client');
  return {
    ...rest,
    ...(account === undefined ? {} : { accountId: resolveText(account, player) }),
    ...(minter === undefined ? {} : { mintedBy: minter }),
  };
}

/**
 * An endpoint that answers the attempts of each notice with these statuses in turn, then repeats the
 * last one. So the order in which events arrive makes no difference (NS-28).
 */
async function hook(n: number, answers: readonly number[], player: Player): Promise<Json> {
  const made = await player.ground.target.receiver();
  const attempts = new Map<string, number>();
  made.answer((arrival) => {
    const notice = `${eventOf(arrival)} ${subscriptionOf(arrival, subscriptionsOf(player))}`;
    const attempt = attempts.get(notice) ?? 0;
    attempts.set(notice, attempt + 1);
    const status = answers[Math.min(attempt, answers.length - 1)] ?? 200;
    // EVT-9a: a redirect that is followed delivers once more.
    const isRedirect = status >= 300 && status < 400;
    return { status, ...(isRedirect && { headers: { location: made.url } }) };
  });
  player.hooks.set(n, made);
  return { url: made.url };
}
