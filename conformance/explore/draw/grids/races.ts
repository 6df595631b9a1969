// Grids of calls at once: every pair that has one name, one record or one first time between them.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { together, trailed } from '../bursts.ts';
import { decideCall as decide } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { person, phoneMembers } from '../people.ts';
import { orderCall } from '../positions.ts';
import { rereadAccount, rereadTransaction } from '../rereads.ts';
import type { DrawnTransaction } from '../scene.ts';
import { updateCall } from '../updates.ts';

/** With a plain reason: what is odd in it is looked at elsewhere. */
const decideCall: typeof decide = (d, verb, made) =>
  decide(d, verb, made, verb === 'approveTransaction' ? {} : { body: { reason: 'late' } });

const pair = (d: Drawing, ...calls: readonly [CallStep, CallStep]) => together(d, calls);

/** ACC-5 to ACC-9, BULK-3: two creates, alone or as rows, of what may be there once only. */
function sameName(d: Drawing): readonly Step[] {
  const alone = (body: Members) => ({ ...createCall(d, d.main), body });
  const other = (over: Members) => ({ ...person(d, d.main), ...over });
  const [phone, spaced] = ['e164', 'spaced'] as const;
  return [0, 1, 2, 3, 4, 5].map((at) => {
    const stem = `z${d.stem()}`;
    const one = { ...person(d, d.main), ...phoneMembers(stem, phone) };
    const reference: Value = { $case: 'upper', of: one.client_reference_id! };
    const email: Value = { $case: 'upper', of: one.email! };
    const seconds: readonly CallStep[] = [
      alone({ ...one }),
      alone(other({ client_reference_id: reference })),
      alone(other({ email })),
      alone(other(phoneMembers(stem, spaced))),
      bulkCall(d, d.main, [person(d, d.main), one]),
      bulkCall(d, d.main, [other({ email })]),
    ];
    // A batch races a create, or another batch.
    const first = at === 5 ? bulkCall(d, d.main, [one]) : alone(one);
    return pair(d, first, seconds[at]!);
  });
}

/** UPD-7, ACC-5: of two updates under one tag one wins; a create finds what is being updated. */
function sameTag(d: Drawing): readonly Step[] {
  const bodies: readonly (readonly [Members, Members])[] = [
    [{ status: 'One' }, { status: 'Other' }],
    [{ first_name: 'One' }, { country: 'FR' }],
    [{ status: 'Same' }, { status: 'Same' }],
  ];
  return bodies.flatMap(([one, other]): Step[] => {
    const created = createCall(d, d.main);
    const account = madeBy(created);
    const updates = pair(d, updateCall(d, account, one), updateCall(d, account, other));
    const raced = createCall(d, d.main);
    const renamed = madeBy(raced);
    const again = () => rereadAccount(d, renamed);
    const found = pair(d, updateCall(d, renamed, one), again());
    const late = createCall(d, d.main);
    // Whichever comes first.
    const before = pair(d, rereadAccount(d, madeBy(late)), updateCall(d, madeBy(late), one));
    return [
      ...[created, updates, rereadAccount(d, account), raced, found, again()],
      ...[late, before, rereadAccount(d, madeBy(late))],
    ];
  });
}

const DECISIONS = [
  ['approveTransaction', 'approveTransaction'],
  ['approveTransaction', 'rejectTransaction'],
  ['rejectTransaction', 'cancelTransaction'],
  ['rejectTransaction', 'rejectTransaction'],
  // Whichever comes first is to win.
  ['rejectTransaction', 'approveTransaction'],
  ['cancelTransaction', 'approveTransaction'],
  ['cancelTransaction', 'rejectTransaction'],
  // Last: that an approved one is cancelled may be open (NS-4), and ends what is compared.
  ['approveTransaction', 'cancelTransaction'],
] as const;

/** TXS-2, TXS-12: of two decisions on one transaction one wins, and money moves once. */
function sameTransaction(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, { $of: created.n, at: 'id' });
  const settled = (one: DrawnTransaction): Step => {
    return { do: 'settle', n: d.scene.label(), id: one.id };
  };
  const decided = DECISIONS.flatMap(([one, other]): Step[] => {
    const made = pendingAt(d, place, { amount: '17.53' });
    const both = pair(d, decideCall(d, one, made), decideCall(d, other, made));
    // Read first: where a control plane settles what another would refuse, nothing is said of it.
    return [made.step, both, rereadTransaction(d, made), settled(made)];
  });
  const paid = pendingAt(d, place, { amount: '8.09' });
  const taken = pair(
    d,
    decideCall(d, 'cancelTransaction', paid),
    decideCall(d, 'cancelTransaction', paid),
  );
  return [
    ...[created, open, ...decided, paid.step],
    ...[decideCall(d, 'approveTransaction', paid), settled(paid), taken],
    { do: 'ledger', n: d.scene.label(), tradingAccount: place.tradingAccount },
  ];
}

/** TXN-2, TXS-2: one reference at once, and two first deposits at two places of one account. */
function sameAccount(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account: Value = { $of: created.n, at: 'id' };
  const [here, there] = [openedAt(d, account), openedAt(d, account)];
  const [one, other] = [pendingAt(d, here.place), pendingAt(d, there.place)];
  const named = pendingAt(d, here.place);
  const back = [pendingAt(d, here.place), pendingAt(d, here.place)] as const;
  const again = { ...named.step, n: d.scene.label(), key: newKey(d) };
  const amount = { ...(named.step.body as Members), amount: '3.21' };
  return [
    ...[created, here.step, there.step, one.step, other.step],
    pair(d, decideCall(d, 'approveTransaction', one), decideCall(d, 'approveTransaction', other)),
    pair(d, named.step, again),
    { ...again, n: d.scene.label(), key: newKey(d), body: amount },
    // TXS-10: two that have settled at one place are taken back at once.
    ...back.flatMap((made): Step[] => [
      ...[made.step, decideCall(d, 'approveTransaction', made)],
      { do: 'settle', n: d.scene.label(), id: made.id },
    ]),
    pair(
      d,
      decideCall(d, 'cancelTransaction', back[0]),
      decideCall(d, 'cancelTransaction', back[1]),
    ),
    { do: 'ledger', n: d.scene.label(), tradingAccount: here.place.tradingAccount },
  ];
}

/** Two people with a trading account and a transaction each. */
function grounds(d: Drawing) {
  const both = [0, 1].map(() => {
    const created = createCall(d, d.main);
    const account = madeBy(created);
    const { step, place } = openedAt(d, account.id);
    const made = [0, 1, 2, 3].map(() => pendingAt(d, place));
    return { account, place, made, steps: [created, step, ...made.map((each) => each.step)] };
  });
  const [one, other] = both as [(typeof both)[0], (typeof both)[0]];
  return { one, other, steps: [...one.steps, ...other.steps] };
}

const VERBS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

/** Calls of one kind that have nothing to do with each other but that they come at once. */
function strangers(d: Drawing) {
  const { one, other, steps } = grounds(d);
  const order = ({ place }: typeof one) => orderCall(d, place.tradingAccount);
  const update = ({ account }: typeof one) => updateCall(d, account, { status: `z${d.stem()}` });
  const pairs: readonly (readonly [CallStep, CallStep])[] = [
    [createCall(d, d.main), createCall(d, d.main)],
    [bulkCall(d, d.main, [person(d, d.main)]), bulkCall(d, d.main, [person(d, d.main)])],
    [update(one), update(other)],
    [pendingAt(d, one.place).step, pendingAt(d, other.place).step],
    ...VERBS.map(
      (verb, at) =>
        [decideCall(d, verb, one.made[at]!), decideCall(d, verb, other.made[at]!)] as const,
    ),
    [order(one), order(other)],
  ];
  const after = [
    ...[one, other].map(({ account }) => rereadAccount(d, account)),
    ...[...one.made, ...other.made].map((made) => rereadTransaction(d, made)),
  ];
  return { one, order, steps, pairs, after };
}

/** IDEM-2: each of them happens, and is answered as itself. */
function strangersAtOnce(d: Drawing): readonly Step[] {
  const { one, order, steps, pairs, after } = strangers(d);
  const ofOne = [
    pair(d, pendingAt(d, one.place).step, pendingAt(d, one.place, { amount: '8.09' }).step),
    pair(d, order(one), order(one)),
  ];
  return [...steps, ...ofOne, ...pairs.map(([a, b]) => pair(d, a, b)), ...after];
}

/** IDEM-2a: so do they under one key, which is another's for each subject. */
function strangersUnderOneKey(d: Drawing): readonly Step[] {
  const { one, steps, pairs, after } = strangers(d);
  const [created] = pairs[0]!;
  const paid = { ...pendingAt(d, one.place).step, key: created.key! };
  const same = pairs.slice(1).map(([a, b]) => pair(d, a, { ...b, key: a.key! }));
  return [...steps, pair(d, created, paid), ...same, ...after];
}

const OTHERS = ['no_scopes', 'read_only', 'brand', 'other_brand', 'other_firm'] as const;

/** AUTH-4 to AUTH-7: whoever else asks at once, each is who he is. */
function callersAtOnce(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const pairs = OTHERS.filter((role) => d.offers.has(role)).flatMap((role): Step[] => {
    const own = () => createCall(d, d.main);
    const update = (as: string) => updateCall(d, account, { status: `z${d.stem()}` }, { as });
    const list = (as: string) => call(d, { operation: 'listWebhooks', as });
    return [
      pair(d, createCall(d, role), own()),
      pair(d, own(), createCall(d, role)),
      pair(d, update(role), own()),
      pair(d, list(role), own()),
    ];
  });
  return [created, ...pairs, rereadAccount(d, account)];
}

/** HOOK-1, HOOK-4, HOOK-5: made at once they are two, and changed while an event is on its way. */
function subscribedAtOnce(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const body = { url: { $of: n, at: 'url' }, event_categories: ['account'] };
  const make = () => call(d, { operation: 'createWebhook', as: d.main, body });
  const [one, other] = [make(), make()];
  const about = ({ n: of }: CallStep, operation: CallStep['operation']) =>
    call(d, { operation, as: d.main, id: { $of: of, at: 'id' } });
  const events = (count: number) => Array.from({ length: count }, () => createCall(d, d.main));
  return [
    { do: 'hook', n, answers: [200], slow: true },
    pair(d, one, other),
    ...[about(one, 'getWebhook'), about(other, 'getWebhook')],
    pair(d, about(one, 'disableWebhook'), about(other, 'rotateWebhookSecret')),
    ...[about(one, 'getWebhook'), about(other, 'getWebhook'), ...events(1)],
    trailed(d, events(2), about(other, 'rotateWebhookSecret')),
    ...[...events(1), call(d, { operation: 'listWebhooks', as: d.main })],
  ];
}

const needsOwn = ['fresh_trading_account'] as const;
const needsPlace = ['trading_account'] as const;

export const raceGrids: readonly Idea[] = [
  { id: 'burst/same-name', weight: 6, draw: sameName },
  { id: 'burst/same-tag', weight: 5, draw: sameTag },
  {
    id: 'burst/same-money',
    weight: 5,
    needs: needsPlace,
    draw: sameTransaction,
  },
  { id: 'burst/strangers', weight: 5, needs: needsOwn, draw: strangersAtOnce },
  { id: 'burst/under-one-key', weight: 5, needs: needsOwn, draw: strangersUnderOneKey },
  { id: 'burst/callers', weight: 4, draw: callersAtOnce },
  { id: 'burst/subscriptions', weight: 4, needs: ['receiver'], draw: subscribedAtOnce },
  {
    id: 'burst/same-account',
    weight: 5,
    needs: [...needsOwn, 'settle', 'ledger'],
    draw: sameAccount,
  },
];
