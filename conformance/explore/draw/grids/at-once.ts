// Grids of calls at once: whatever somebody may do, five things of it together; and calls that are
// alike but for one part, side by side. What they may have touched is looked at afterwards.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { together } from '../bursts.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, mintedBeside, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { person, phoneMembers } from '../people.ts';
import { orderCall } from '../positions.ts';
import { rereadAccount, rereadTransaction } from '../rereads.ts';
import type { DrawnTransaction } from '../scene.ts';
import { updateCall } from '../updates.ts';
import { followed, subscribed } from '../webhooks.ts';

const VERBS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

const decided = (d: Drawing, verb: (typeof VERBS)[number], made: DrawnTransaction) =>
  decideCall(d, verb, made, verb === 'approveTransaction' ? {} : { body: { reason: 'late' } });

/** One person, two places, a transaction for each decision, and two subscriptions. */
function grounds(d: Drawing) {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const [here, there] = [openedAt(d, account.id), openedAt(d, account.id)];
  const made = [0, 1, 2, 3].map((at) => pendingAt(d, at === 3 ? there.place : here.place));
  const hooks = [followed(d, [200]), followed(d, [200])] as const;
  const steps = [
    ...[created, here.step, there.step, ...made.map(({ step }) => step)],
    ...hooks.flatMap((each) => each.steps),
  ];
  return { created, account, places: [here.place, there.place] as const, made, hooks, steps };
}

type Grounds = ReturnType<typeof grounds>;

/** What may be done with them, each in a call; who is told of it at that moment is chance. */
function acts(d: Drawing, { created, account, places, made }: Grounds) {
  const [approved, rejected, cancelled, other] = made as [Made, Made, Made, Made];
  const { email } = created.body as Members;
  const upper: Value = { $case: 'upper', of: account.reference };
  const named = { client_reference_id: other.reference };
  return [
    updateCall(d, account, { status: `q${d.stem()}` }),
    updateCall(d, account, { country: `q${d.stem()}` }),
    rereadAccount(d, account),
    bulkCall(d, d.main, [
      person(d, d.main),
      { ...(created.body as Members), ...{ client_reference_id: upper } },
    ]),
    createCall(d, d.main, { email: email! }),
    createCall(d, d.main),
    pendingAt(d, places[0]).step,
    transactionCall(d, places[1], { ...named, amount: '7.77' }),
    ...[decided(d, VERBS[0], approved), decided(d, VERBS[0], other)],
    ...[decided(d, VERBS[1], rejected), decided(d, VERBS[2], cancelled)],
    orderCall(d, places[0].tradingAccount),
  ];
}

type Made = DrawnTransaction;

/** So few that every order of them can be tried. */
const AT_ONCE = 5;

/** UPD-1, TXS-1, HOOK-5, IDEM-15: each has happened as if it had been alone. */
function doneAtOnce(from: number): Idea['draw'] {
  return (d) => {
    const ground = grounds(d);
    const all = acts(d, ground);
    // Steps of another width in each turn, so that over a few of them every two have met.
    const by = d.random.pick([1, 2, 4, 7]);
    const chosen = Array.from({ length: AT_ONCE }, (_, at) => all[(from + at * by) % all.length]!);
    // Of what is left as many, after them: what is there serves both.
    const left = all.filter((each) => !chosen.includes(each));
    const others = d.random.shuffled(left).slice(0, AT_ONCE);
    const { account, made, hooks, places } = ground;
    const again = [...chosen, ...others].flatMap((step) =>
      step.key === undefined ? [] : [{ ...step, n: d.scene.label() }],
    );
    const next = pendingAt(d, places[1], { amount: '8.09' });
    return [
      ...[...ground.steps, together(d, chosen), rereadAccount(d, account)],
      ...[together(d, others), rereadAccount(d, account)],
      ...made.map((each) => rereadTransaction(d, each)),
      together(d, [hooks[0].about('rotateWebhookSecret'), hooks[0].about('disableWebhook')]),
      ...hooks.map(({ about }) => about('getWebhook')),
      ...[createCall(d, d.main), call(d, { operation: 'listWebhooks', as: d.main })],
      ...[...again, next.step, decided(d, VERBS[0], next)],
      ...places.map(({ tradingAccount }): Step => {
        return { do: 'ledger', n: d.scene.label(), tradingAccount };
      }),
    ];
  };
}

const emailOf = (stem: Value): Value => ({ $join: [stem, '@explore.example.com'] });

type Pair = readonly [CallStep, CallStep];

const played = (d: Drawing, pairs: readonly Pair[]): readonly Step[] => [
  ...pairs.map((both) => together(d, both)),
  ...pairs.flat().map((step) => ({ ...step, n: d.scene.label() })),
];

/** IDEM-2b, IDEM-15: the same call under the same key by two who may. */
function byTwo(d: Drawing): readonly Step[] {
  const { account, places, made, steps } = grounds(d);
  const minted = mintedBeside(d);
  const calls = [
    createCall(d, d.main),
    updateCall(d, account, { status: `q${d.stem()}` }),
    bulkCall(d, d.main, [person(d, d.main), person(d, d.main)]),
    pendingAt(d, places[0]).step,
    decided(d, VERBS[1], made[0]!),
  ];
  const pairs = calls.map((step): Pair => [step, { ...step, n: d.scene.label(), as: minted.name }]);
  return [...steps, minted, ...played(d, pairs)];
}

/** IDEM-2, IDEM-10: under one key, about two records. */
function aboutTwo(d: Drawing): readonly Step[] {
  const { places, made, steps } = grounds(d);
  const other = createCall(d, d.main);
  const elsewhere = openedAt(d, madeBy(other).id);
  const strange = pendingAt(d, elsewhere.place);
  const [one, two, three, four] = made as [Made, Made, Made, Made];
  const under = (first: CallStep, second: CallStep): Pair => [
    first,
    { ...second, key: first.key! },
  ];
  const order = (at: Value) => orderCall(d, at);
  const pairs = [
    under(decided(d, VERBS[1], one), decided(d, VERBS[1], two)),
    under(decided(d, VERBS[0], three), decided(d, VERBS[0], strange)),
    under(pendingAt(d, places[0]).step, pendingAt(d, places[0]).step),
    under(order(places[0].tradingAccount), order(places[1].tradingAccount)),
  ];
  return [
    ...[...steps, other, elsewhere.step, strange.step],
    ...played(d, pairs),
    ...[one, two, three, four, strange].map((each) => rereadTransaction(d, each)),
  ];
}

/** ACC-5, TXN-2, BULK-12: one name at two places, two brands or in two batches. */
function atTwoPlaces(d: Drawing): readonly Step[] {
  const { places, steps } = grounds(d);
  const other = createCall(d, d.main);
  const elsewhere = openedAt(d, madeBy(other).id);
  const named = (reference: Value, place: (typeof places)[number]) =>
    transactionCall(d, place, { client_reference_id: reference });
  const [near, far, both] = [0, 1, 2].map((): Value => ({ $fresh: `q${d.stem()}` })) as [
    Value,
    Value,
    Value,
  ];
  const shared = person(d, d.main);
  // ACC-10: at another brand nobody is in the way.
  const [email, phone] = [emailOf(both), phoneMembers(`q${d.stem()}`, 'e164')];
  const names: readonly Members[] = [{ client_reference_id: both }, { email }, phone];
  const brands = !d.offers.has('other_brand')
    ? []
    : names.map((name): Pair => [createCall(d, d.main, name), createCall(d, 'other_brand', name)]);
  const pairs: readonly Pair[] = [
    [named(near, places[0]), named(near, places[1])],
    [named(far, places[0]), named(far, elsewhere.place)],
    [
      bulkCall(d, d.main, [shared, person(d, d.main)]),
      bulkCall(d, d.main, [person(d, d.main), shared]),
    ],
    ...brands,
  ];
  const found = [named(near, places[0]), named(far, places[0])].map((step) => {
    return { ...step, n: d.scene.label(), key: newKey(d) };
  });
  // EVT-12: each hears of its own, whoever else is about.
  const hooks = brands.length === 0 ? [] : subscribed(d, 'other_brand', [200], ['account']);
  return [...steps, ...hooks, other, elsewhere.step, ...played(d, pairs), ...found];
}

const needsAll = ['fresh_trading_account', 'receiver', 'ledger'] as const;
const TURNS = [0, 4, 8];

export const atOnceGrids: readonly Idea[] = [
  ...TURNS.map(
    (from, at): Idea => ({
      id: `burst/any-five-${at + 1}`,
      weight: 4,
      needs: needsAll,
      draw: doneAtOnce(from),
    }),
  ),
  { id: 'burst/by-two', weight: 5, needs: [...needsAll, 'mint'], draw: byTwo },
  { id: 'burst/about-two', weight: 5, needs: needsAll, draw: aboutTwo },
  { id: 'burst/at-two-places', weight: 5, needs: needsAll, draw: atTwoPlaces },
];
