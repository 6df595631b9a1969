// Brings records into the states in which a focal call needs them.
import type { Value } from '../sequence.ts';
import { type Boundary, isHarmless, LONG_TIMES } from './boundaries.ts';
import {
  accountOf,
  type Call,
  type Draft,
  type Drawn,
  type Members,
  plainCall,
  rowOf,
  withMember,
} from './draft.ts';
import { OPS, type Op, type Resource } from './operations.ts';

/** The states that a record can have, by the steps that lead there. */
const STATES: Readonly<Record<Resource, readonly string[]>> = {
  account: ['new', 'updated', 'often updated', 'from a batch', "a brand's"],
  place: ['plain', 'provider', 'second', 'in another currency'],
  transaction: ['pending', 'approved', 'settled', 'rejected', 'cancelled'],
  position: ['open', 'partly closed', 'closed'],
  subscription: ['enabled', 'disabled', 'rotated'],
};

export const UNKNOWN_ID: Value = '999999999999';

/** The record that a call is about; undefined if it needs no existing record. */
export function subjectOf({ name, subject }: Op): Resource | undefined {
  if (subject !== undefined) return subject;
  if (name === 'closePosition') return 'position';
  return name === 'createTransaction' || name === 'openPosition' ? 'place' : undefined;
}

/** None if a call is about no record. */
export function statesOf(op: Op): readonly string[] {
  const resource = subjectOf(op);
  return resource === undefined ? [] : STATES[resource];
}

type Made = Promise<Drawn | undefined>;

/** A record in the state of this number; sometimes an existing one. */
export async function recordIn(d: Draft, resource: Resource, state: number): Made {
  const name = STATES[resource][state] ?? STATES[resource][0]!;
  const met = d.of(resource).filter((each) => each.state === name);
  if (met.length > 0 && d.random.chance(0.8)) return d.random.pick(met);
  return MAKERS[resource](d, name);
}

const MAKERS: Readonly<Record<Resource, (d: Draft, state: string) => Made>> = {
  account: accountIn,
  place: placeIn,
  transaction: transactionIn,
  position: positionIn,
  subscription: subscriptionIn,
};

async function made(d: Draft, resource: Resource, make: Promise<void>): Made {
  const before = d.of(resource).length;
  await make;
  return d.of(resource)[before];
}

async function accountIn(d: Draft, state: string): Made {
  const as = state === "a brand's" && d.can('brand') ? 'brand' : d.main;
  const op = OPS[state === 'from a batch' ? 'bulkCreateAccounts' : 'createAccount'];
  const call = plainCall(d, op, { as, isFull: d.random.chance(0.3) });
  const account = await made(d, 'account', d.call(call));
  if (account === undefined) return undefined;
  const updates = { updated: 1, 'often updated': d.random.pick([2, 3, 11]) }[state] ?? 0;
  for (let at = 0; at < updates; at += 1) {
    await d.call(plainCall(d, OPS.updateAccount, { as, subject: account }));
  }
  // Only a create shows the tag of an account that was created in a batch.
  if (account.tag === undefined) {
    await d.call({ ...plainCall(d, OPS.createAccount, { as }), body: account.body });
  }
  return account;
}

async function placeIn(d: Draft, state: string): Made {
  if (!d.can('fresh_trading_account')) {
    const kinds = { plain: 'trading_account', provider: 'provider_trading_account' } as const;
    const kind = kinds[state as 'plain'] ?? 'second_trading_account';
    if (!d.can(kind)) return undefined;
    const known = d.of('place').find(({ isProvider }) => isProvider === (state === 'provider'));
    return known ?? made(d, 'place', d.add({ do: 'place', kind }));
  }
  const isKnown = d.of('account').length > 0 && d.random.chance(0.3);
  const account = isKnown
    ? d.random.pick(d.of('account'))
    : await accountIn(d, d.random.pick(['new', 'from a batch']));
  if (account === undefined) return undefined;
  if (state === 'second') await d.add({ do: 'open', account: account.id });
  const over = state === 'in another currency' ? { currency: 'EUR' } : {};
  const provider = state === 'provider' ? { provider: true } : {};
  return made(d, 'place', d.add({ do: 'open', account: account.id, ...over, ...provider }));
}

async function transactionIn(d: Draft, state: string): Made {
  const places = d.of('place').filter(({ isProvider }) => isProvider !== true);
  const isKnown = places.length > 0 && d.random.chance(0.4);
  const place = isKnown
    ? d.random.pick(places)
    : await placeIn(d, d.random.chance(0.2) ? 'second' : 'plain');
  if (place === undefined) return undefined;
  const create = plainCall(d, OPS.createTransaction, { subject: place });
  const subject = await made(d, 'transaction', d.call(create));
  if (subject === undefined) return undefined;
  const decide = (verb: 'approve' | 'reject' | 'cancel') =>
    d.call(plainCall(d, OPS[`${verb}Transaction`], { subject }));
  if (state === 'approved' || state === 'settled') await decide('approve');
  if (state === 'settled' && d.can('settle')) await d.add({ do: 'settle', id: subject.id });
  if (state === 'rejected') await decide('reject');
  if (state === 'cancelled') await decide('cancel');
  return subject;
}

async function positionIn(d: Draft, state: string): Made {
  const place = d.of('place')[0] ?? (await placeIn(d, 'plain'));
  if (!d.options.hasOrders || place === undefined) return undefined;
  const call = plainCall(d, OPS.openPosition, { subject: place });
  const position = await made(d, 'position', d.call(call));
  if (position === undefined || state === 'open') return position;
  const over = state === 'partly closed' ? { volume: '0.04' } : {};
  const subject = { ...position, parent: place };
  await d.call(plainCall(d, OPS.closePosition, { subject, over }));
  if (state === 'partly closed') position.state = state;
  return position;
}

async function subscriptionIn(d: Draft, state: string): Made {
  if (!d.can('receiver')) return undefined;
  if (d.hooks.length === 0) await d.add({ do: 'hook', answers: [200] });
  const subject = await made(d, 'subscription', d.call(plainCall(d, OPS.createWebhook)));
  if (subject === undefined || state === 'enabled') return subject;
  const verb = state === 'disabled' ? 'disableWebhook' : 'rotateWebhookSecret';
  await d.call(plainCall(d, OPS[verb], { subject }));
  if (state === 'rotated') subject.state = state;
  return subject;
}

export async function otherThan(d: Draft, record: Drawn): Made {
  const owner = JSON.stringify(accountOf(record));
  const isOther = (each: Drawn) =>
    record.resource !== 'transaction' || JSON.stringify(accountOf(each)) !== owner;
  const others = d.of(record.resource).filter((each) => each !== record && isOther(each));
  return others[0] ?? recordIn(d, record.resource, 0);
}

/** Rows of a batch, each with one odd value: a batch tries as many values as it has rows. */
export function oddRows(d: Draft, as: string, count: number): readonly Members[] {
  const plain = () => ({ ...plainCall(d, OPS.bulkCreateAccounts, { as }) });
  return d.options
    .boundaries(OPS.bulkCreateAccounts, count)
    .filter(([field, value]) => isText(value) && (!d.options.isLive || isHarmless(field, value)))
    .map(([{ name }, value]) => rowOf(withMember(d, plain(), name, value)));
}

/** Values that keep the batch readable and every row named. */
const isText = (boundary: Boundary): boolean =>
  boundary !== 'absent' && (typeof boundary.value === 'string' || Object(boundary.value).$fresh);

/** ACC-8, ACC-9: rows with the email or the phone of an account, under references of their own. */
const twinsOf = (d: Draft, accounts: readonly Drawn[]): readonly Members[] =>
  accounts.flatMap(({ body: { email, phone, phone_region } }) => {
    const known: readonly Members[] = [
      ...(email === undefined ? [] : [{ email }]),
      ...(phone === undefined ? [] : [{ phone, ...(phone_region && { phone_region }) }]),
    ];
    return known.map((each) => ({ ...rowOf(plainCall(d, OPS.bulkCreateAccounts)), ...each }));
  });

const LAST_ROWS = 8;

/** What was written holds however much later: the share of sequences that show it after a pause. */
const READ_LATE = 0.3;

/** The final reads of every sequence: each record that it used is shown again in another way. */
export async function finalReads(d: Draft): Promise<void> {
  const isLate = d.can('clock') && d.random.chance(READ_LATE);
  if (isLate) await d.add({ do: 'advance', byMs: d.random.pick(LONG_TIMES) });
  const again = (name: 'createAccount' | 'createTransaction', { body, as }: Drawn): Call => ({
    ...{ ...plainCall(d, OPS[name], { as }), body },
  });
  const accounts = d.random.shuffled(d.of('account')).slice(0, 4);
  if (accounts.length > 0) {
    if (d.random.chance(0.5)) await d.call(again('createAccount', accounts[0]!));
    // NS-26: the tag of an account is known only if an answer has shown it.
    const subject = accounts.find(({ tag }) => tag !== undefined);
    if (subject !== undefined) {
      const isFull = d.random.chance(0.5);
      await d.call(plainCall(d, OPS.updateAccount, { as: subject.as, subject, isFull }));
    }
  }
  for (const each of d.random.shuffled(d.of('transaction')).slice(0, 2)) {
    const isEnd = d.random.chance(0.4);
    const end = plainCall(d, OPS.cancelTransaction, { subject: each });
    await d.call(isEnd ? end : again('createTransaction', each));
  }
  if (d.random.chance(0.3)) {
    await d.call(plainCall(d, d.random.pick([OPS.listAccounts, OPS.listTransactions])));
  }
  const subject = d.of('subscription').at(-1);
  if (subject !== undefined) {
    await d.call(plainCall(d, d.random.pick([OPS.listWebhooks, OPS.getWebhook]), { subject }));
  }
  if (d.can('ledger')) {
    for (const { id } of d.random.shuffled(d.of('place')).slice(0, 2)) {
      await d.add({ do: 'ledger', tradingAccount: id });
    }
  }
  if (accounts.length === 0) return;
  // At the end and without deliveries: after an odd row that is open they cannot be compared.
  const odd = d.hooks.length === 0 ? oddRows(d, d.main, LAST_ROWS) : [];
  const rows = [...accounts.map(({ body }) => body), ...twinsOf(d, accounts.slice(0, 2)), ...odd];
  await d.call({ ...plainCall(d, OPS.bulkCreateAccounts), body: { accounts: rows } });
}
