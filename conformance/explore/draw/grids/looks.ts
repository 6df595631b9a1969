// What a story of somebody begins with, and all the ways in which what he has is looked at.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { person, phoneMembers } from '../people.ts';
import { rereadAccount, rereadTransaction } from '../rereads.ts';
import type { DrawnAccount, DrawnPlace, DrawnTransaction } from '../scene.ts';
import { updateCall } from '../updates.ts';
import { followed, subscribed } from '../webhooks.ts';

/** Who it is about, and all that is there before anything happens. */
export interface Story {
  readonly d: Drawing;
  readonly account: DrawnAccount;
  readonly stem: string;
  readonly created: CallStep;
  readonly other: DrawnAccount;
  readonly places: readonly [DrawnPlace, DrawnPlace];
  /** One of the others', who has a place as well. */
  readonly strange: DrawnTransaction;
  readonly paid: readonly [DrawnTransaction, DrawnTransaction];
  readonly hook: ReturnType<typeof followed>;
  /** Calls that are repeated at the end, each under its key. */
  readonly kept: CallStep[];
}

export function begin(d: Drawing): { readonly story: Story; readonly steps: readonly Step[] } {
  const stem = `y${d.stem()}`;
  const created = createCall(d, d.main, {
    ...{ first_name: 'ada', last_name: 'King', country: 'gb', language: 'en' },
    ...phoneMembers(stem, 'e164'),
  });
  const made = createCall(d, d.main);
  const [account, other] = [madeBy(created), madeBy(made)];
  const [here, there, elsewhere] = [account, account, other].map(({ id }) => openedAt(d, id)) as [
    Opened,
    Opened,
    Opened,
  ];
  const strange = pendingAt(d, elsewhere.place);
  const paid = [pendingAt(d, here.place), pendingAt(d, here.place)] as const;
  const hook = followed(d, [200]);
  const besides = d.offers.has('brand') ? subscribed(d, 'brand', [200], ['account']) : [];
  const story: Story = {
    ...{ d, account, stem, created, other, strange, paid, hook },
    places: [here.place, there.place],
    kept: [created],
  };
  const opened = [here, there, elsewhere].map(({ step }) => step);
  // What is kept at hand for whoever asks again is there before it changes.
  const known = [rereadAccount(d, account), rereadTransaction(d, paid[0])];
  story.kept.push(...known);
  const all = [created, made, ...opened, ...hook.steps, ...besides, strange.step];
  return { story, steps: [...all, ...paid.map(({ step }) => step), ...known] };
}

type Opened = ReturnType<typeof openedAt>;

export const VERBS = {
  approve: 'approveTransaction',
  reject: 'rejectTransaction',
  cancel: 'cancelTransaction',
} as const;

const fresh = (d: Drawing): Value => ({
  $join: [{ $fresh: `y${d.stem()}` }, '@explore.example.com'],
});

/** Nobody's but for what is said over it. */
export function stranger(d: Drawing, over: Members): Members {
  const { client_reference_id, brand_id } = person(d, d.main);
  return {
    client_reference_id: client_reference_id!,
    email: fresh(d),
    brand_id: brand_id!,
    ...over,
  };
}

/** ACC-5 to ACC-9, UPD-1, UPD-7, UPD-8: he is who he was. */
function lookAtAccount({ d, account, created, stem, other }: Story): readonly Step[] {
  const upper: Value = { $case: 'upper', of: account.reference };
  const first: Value = { $header: created.n, name: 'etag' };
  const { email } = created.body as Members;
  // Whoever else's email is beside it, the reference names him.
  const known = stranger(d, { client_reference_id: upper, email: other.email });
  const names: readonly Members[] = [{ email: email! }, phoneMembers(stem, 'spaced')];
  const [taken, again] = [0, 1].map(() => names.map((name) => stranger(d, name))) as unknown as [
    Rows,
    Rows,
  ];
  const named = updateCall(d, account, { language: 'EN' });
  return [
    { ...createCall(d, d.main), body: known },
    ...taken.map((body) => ({ ...createCall(d, d.main), body })),
    bulkCall(d, d.main, [...elsewhere(d), known, ...again, stranger(d, {})]),
    ...askedByBrand(d, { email: email! }),
    ...(account.tags.length > 1
      ? [updateCall(d, account, { status: 'Stale' }, { ifMatch: first })]
      : []),
    named,
    rereadAccount(d, account),
  ];
}

/** Of another brand than the rows that come after it. */
function elsewhere(d: Drawing): Rows {
  if (!d.offers.has('other_brand')) return [];
  return [stranger(d, { brand_id: { $role: 'other_brand', has: 'brand' } })];
}

/** Somebody of the brand alone need not name it (ACC-17), and asks about the same people. */
function askedByBrand(d: Drawing, over: Members): readonly CallStep[] {
  if (!d.offers.has('brand') || d.main !== 'firm') return [];
  const { brand_id: _, ...body } = stranger(d, over);
  return [{ ...createCall(d, 'brand'), body }];
}

type Rows = readonly Members[];

/** TXN-2, TXS-1 to TXS-16: what it came to, in whoever's name it is asked, and what comes next. */
function lookAtMoney({ d, paid, places, strange, other, account }: Story): readonly Step[] {
  const [first, second] = paid;
  const next = pendingAt(d, places[1], { amount: '8.09' });
  const named = transactionCall(d, places[1], {
    client_reference_id: { $case: 'upper', of: first.reference },
  });
  const astray = Object.values(VERBS).map((verb) =>
    decideCall(d, verb, first, { query: { account_id: other.id }, ...reason(verb) }),
  );
  return [
    ...[named, ...astray],
    decideCall(d, 'approveTransaction', second, { query: { account_id: other.id } }),
    decideCall(d, 'approveTransaction', strange, { query: { account_id: account.id } }),
    ...[decideCall(d, 'approveTransaction', second), next.step],
    decideCall(d, 'approveTransaction', next),
    decideCall(d, 'rejectTransaction', first, { body: { reason: 'late' } }),
    decideCall(d, 'approveTransaction', first),
    ...places.map(({ tradingAccount }): Step => {
      return { do: 'ledger', n: d.scene.label(), tradingAccount };
    }),
  ];
}

const reason = (verb: string) =>
  verb === 'approveTransaction' ? {} : { body: { reason: 'astray' } };

/** HOOK-2, HOOK-11, EVT-4: who is told, and what the list says. */
function lookAtHooks({ d, hook }: Story): readonly Step[] {
  const listed = call(d, { operation: 'listWebhooks', as: d.main });
  return [createCall(d, d.main), hook.about('getWebhook'), listed];
}

/** IDEM-4: each call that was kept, under its own key and under a new one. */
function lookAtKeys({ d, kept, created }: Story): readonly Step[] {
  const { email } = created.body as Members;
  const other = { ...(created.body as Members), email: email!, first_name: 'Other' };
  return [
    ...kept.map((step) => ({ ...step, n: d.scene.label() })),
    { ...created, n: d.scene.label(), body: other },
    { ...created, n: d.scene.label(), key: newKey(d), body: other },
  ];
}

/** Everything that he has, in every way there is to look at it. */
export const LOOKS = [lookAtAccount, lookAtMoney, lookAtHooks, lookAtKeys];
