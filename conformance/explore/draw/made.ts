// Records that the steps before have made, as the scene would know them.
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

/** A trading account that is opened for it, and where it stands then. */
export function openedAt(d: Drawing, account: Value, provider = false) {
  const n = d.scene.label();
  const step: Step = { do: 'open', n, account, ...(provider ? { provider } : {}) };
  const place: DrawnPlace = {
    account,
    tradingAccount: { $of: n, at: 'trading_account_id' },
    currency: { $of: n, at: 'currency' },
    provider,
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
