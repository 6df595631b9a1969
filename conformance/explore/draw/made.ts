// Records that the steps before have made, as the scene would know them.
import type { SeedKind } from '../../providers/target.ts';
import type { CallStep, Step, Value } from '../sequence.ts';
import type { Drawing, Members } from './idea.ts';
import { transactionCall } from './money.ts';
import type { DrawnAccount, DrawnPlace, DrawnTransaction } from './scene.ts';

/** One that was just made, as the scene would know it. */
export function madeBy(step: CallStep): DrawnAccount {
  const body = step.body as Members;
  return {
    id: { $of: step.n, at: 'id' },
    brand: body.brand_id!,
    as: step.as,
    reference: body.client_reference_id!,
    email: body.email!,
    phone: body.phone,
    tags: [step.n],
  };
}

/**
 * A trading account that is opened for it, and where it stands then. Where none can be opened it is
 * one that the profile names, of an account of its own.
 */
export function openedAt(d: Drawing, account: Value, kind: SeedKind = 'trading_account') {
  const n = d.scene.label();
  const isSeed = !d.offers.has('fresh_trading_account');
  const provider = kind === 'provider_trading_account';
  const opened: Step = { do: 'open', n, account, ...(provider ? { provider } : {}) };
  const step: Step = isSeed ? { do: 'place', n, kind } : opened;
  const place: DrawnPlace = {
    account: isSeed ? { $of: n, at: 'account_id' } : account,
    tradingAccount: { $of: n, at: 'trading_account_id' },
    currency: { $of: n, at: 'currency' },
    provider,
    isSeed,
    as: d.main,
  };
  return { step, place };
}

/** A transaction that is recorded there. */
export function pendingAt(
  d: Drawing,
  place: DrawnPlace,
  over: { readonly [name: string]: Value } = {},
): DrawnTransaction {
  const step = transactionCall(d, place, over);
  const { client_reference_id } = step.body as Members;
  const id: Value = { $of: step.n, at: 'id' };
  return { id, place, reference: client_reference_id!, step, status: 'pending' };
}

/** Another credential of the firm, which may do all that the usual one does. */
export function mintedBeside(d: Drawing): Extract<Step, { do: 'mint' }> {
  const n = d.scene.label();
  const scopes = ['accounts:write', 'trades:write', 'transactions:write', 'webhooks:manage'];
  return { do: 'mint', n, name: `m${n}`, wish: { scopes } };
}
