// Ideas that take one record through a mixture of what may happen to it, and meet it again in
// another way: what each of them alone does not show.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { COUNTRIES, LANGUAGES, LONG, person, phoneMembers, SCRIPTS, STATUSES } from '../people.ts';
import { rereadTransaction } from '../rereads.ts';
import type { DrawnAccount, DrawnPlace, DrawnTransaction } from '../scene.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { CATEGORIES } from '../webhooks.ts';

const some = <T>({ random }: Drawing, all: readonly T[], chance = 0.5): T[] =>
  all.filter(() => random.chance(chance));

/** A reference whose other case a careless comparison takes for another. */
function reference(d: Drawing): Value {
  const fresh: Value = { $fresh: `x${d.stem()}` };
  const script = d.random.pick(['', '', 'Анна-', 'Zoë-', 'Ñandú-', 'ΑΘΗΝΑ-', 'a b ']);
  return script === '' ? fresh : { $join: [script, fresh] };
}

const brandOf = (role: string): Value => ({ $role: role, has: 'brand' });

/** Another look at an account, as somebody may take it: one call or a row of a batch. */
function metAgain(d: Drawing, { reference: own, email, brand, as }: DrawnAccount): CallStep {
  const who = d.random.pick([as, as, as, ...['brand', 'other_brand', 'firm']]);
  const where = d.random.chance(0.7) ? brand : brandOf(d.random.pick(['brand', 'other_brand']));
  const body = members({
    client_reference_id: d.random.chance(0.6) ? own : { $case: d.random.pick(CASES), of: own },
    email: d.random.chance(0.5) ? email : { $join: [{ $fresh: `x${d.stem()}` }, '@x.example.com'] },
    brand_id: who === as ? where : brandOf(who),
    first_name: d.random.chance(0.3) ? 'Other' : undefined,
  });
  if (d.random.chance(0.65)) {
    return call(d, { operation: 'createAccount', as: who, key: newKey(d), body });
  }
  return bulkCall(d, who, d.random.pick([[body], [body, person(d, who)], [person(d, who), body]]));
}

const CASES = ['upper', 'upper', 'lower'] as const;

function accountLife(d: Drawing): readonly Step[] {
  const as = d.random.pick(['firm', 'firm', 'brand', 'other_brand']);
  const created = createCall(d, as, { client_reference_id: reference(d), brand_id: brandOf(as) });
  const made = madeBy(created);
  const updates = some(d, [1, 2], 0.4).map(() => {
    const tag: Value = { $header: made.tags[made.tags.length - 1]!, name: 'etag' };
    const step = updateCall(d, made, { status: `x${d.stem()}` }, { ifMatch: tag });
    made.tags.push(step.n);
    return step;
  });
  return [created, ...updates, metAgain(d, made), metAgain(d, made)];
}

/** The same person under another reference: by phone or by email, in another spelling. */
function personAgain(d: Drawing): readonly Step[] {
  const stem = `x${d.stem()}`;
  const forms = ['e164', 'spaced', 'zeros', 'national', 'dashes'] as const;
  const phone = () => phoneMembers(stem, d.random.pick(forms));
  const first = createCall(d, d.main, phone());
  const { email } = first.body as Members;
  const upper: Value = { $case: 'upper', of: email! };
  const again = (over: { readonly [name: string]: Value }) => {
    const row = person(d, d.main, over);
    if (d.random.chance(0.7)) return { ...createCall(d, d.main), body: row };
    return bulkCall(d, d.main, [row, person(d, d.main)]);
  };
  return [first, again(phone()), again({ email: d.random.chance(0.5) ? upper : email! })];
}

const MEMBERS: readonly (readonly [string, readonly string[]])[] = [
  ['first_name', [...SCRIPTS, '', LONG]],
  ['last_name', [...SCRIPTS, '', LONG]],
  ['country', [...COUNTRIES, '']],
  ['language', [...LANGUAGES, '']],
  ['status', STATUSES],
];

/** Any members at once, then some of them again beside others. */
function updateMixture(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main, { first_name: 'Ada', last_name: 'King', country: 'GB' });
  const made = madeBy(created);
  const steps: CallStep[] = [created];
  let before: Members = { first_name: 'Ada', last_name: 'King', country: 'GB' };
  for (let count = 1 + d.random.below(2); count >= 0; count -= 1) {
    const kept = Object.fromEntries(some(d, Object.entries(before), 0.25));
    const chosen = some(d, MEMBERS, 0.4).map(([name, values]) => [name, d.random.pick(values)]);
    const body: Members = { ...kept, ...Object.fromEntries(chosen) };
    const tag: Value = { $header: made.tags[made.tags.length - 1]!, name: 'etag' };
    const step = updateCall(d, made, body, { ifMatch: tag });
    if (d.random.chance(0.5)) made.tags.push(step.n);
    before = { ...before, ...body };
    steps.push(step);
  }
  return steps;
}

const AMOUNTS = [
  ['Deposit', '25.00'],
  ['Deposit', '10'],
  ['Withdrawal', '-5'],
  ['Withdrawal', '7.50'],
  ['Credit', '3'],
  ['Debit', '-3'],
] as const;

type Fate = 'approve' | 'reject' | 'cancel' | 'settle';
const FATES: readonly (readonly Fate[])[] = [
  ['approve'],
  ['approve'],
  ['approve'],
  ['approve', 'approve'],
  ['approve', 'settle'],
  ['approve', 'settle', 'cancel'],
  ['approve', 'settle', 'cancel', 'cancel'],
  ['approve', 'settle', 'approve'],
  ['reject'],
  ['reject', 'reject'],
  ['cancel'],
  ['cancel', 'approve'],
  ['reject', 'approve'],
  [],
];

function fated(d: Drawing, made: DrawnTransaction): Step[] {
  const verbs = { approve: 'approveTransaction', reject: 'rejectTransaction' } as const;
  return d.random.pick(FATES).map((fate): Step => {
    if (fate === 'settle') return { do: 'settle', n: d.scene.label(), id: made.id };
    const who = d.offers.has('no_amend') && d.random.chance(0.15) ? { as: 'no_amend' } : {};
    return decideCall(d, fate === 'cancel' ? 'cancelTransaction' : verbs[fate], made, who);
  });
}

function recorded(d: Drawing, place: DrawnPlace): DrawnTransaction {
  const [transaction_type, amount] = d.random.chance(0.6) ? AMOUNTS[0] : d.random.pick(AMOUNTS);
  const bonus = d.random.chance(0.3) ? { method: 'Bonus' } : {};
  return pendingAt(d, place, { transaction_type, amount, ...bonus });
}

/** A few transactions of one account at its trading accounts, each with a fate of its own. */
function moneyMixture(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = { $of: created.n, at: 'id' };
  const currencies = d.random.pick([['USD'], ['USD', 'EUR'], ['USD', 'EUR'], ['USD', 'USD']]);
  const opened = currencies.map((currency): Extract<Step, { do: 'open' }> => {
    return { do: 'open', n: d.scene.label(), account, currency };
  });
  const places = opened.map(
    ({ n }): DrawnPlace => ({
      account,
      tradingAccount: { $of: n, at: 'trading_account_id' },
      currency: { $of: n, at: 'currency' },
      provider: false,
      isSeed: false,
      as: d.main,
    }),
  );
  const made = Array.from({ length: 2 + d.random.below(3) }, () =>
    recorded(d, d.random.pick(places)),
  );
  const all = made.flatMap((each) => [each.step, ...fated(d, each)]);
  const again = made.map((each) => {
    const step = rereadTransaction(d, each);
    const other = d.random.pick(places);
    const body = { ...(step.body as Members), trading_account_id: other.tradingAccount };
    return d.random.chance(0.3) ? { ...step, body } : step;
  });
  const ledgers = places.map(({ tradingAccount }): Step => {
    return { do: 'ledger', n: d.scene.label(), tradingAccount };
  });
  return [created, ...opened, ...all, ...again, ...ledgers];
}

const KINDS = ['account.updated', 'order.filled', 'position.opened', 'transaction.created'];
const DAY_MS = 86_400_000;

/** One or two subscriptions, perhaps to one URL; rotated and disabled, with events in between. */
function subscriptionMixture(d: Drawing): readonly Step[] {
  const as = d.random.pick(['firm', 'firm', 'brand']);
  const hook = d.scene.label();
  const url: Value = { $of: hook, at: 'url' };
  const subscribed = () => {
    const event_categories = d.random.chance(0.5) ? CATEGORIES : [d.random.pick(CATEGORIES)];
    return call(d, { operation: 'createWebhook', as, body: { url, event_categories } });
  };
  const made = [subscribed(), ...(d.random.chance(0.4) ? [subscribed()] : [])];
  const about = (operation: CallStep['operation']): Step =>
    call(d, { operation, as, id: { $of: d.random.pick(made).n, at: 'id' } });
  const events = (): Step[] =>
    some(d, [0, 1, 2, 3], 0.4).map((at) => {
      return { do: 'emit', n: d.scene.label(), category: CATEGORIES[at]!, kind: KINDS[at]! };
    });
  const steps: Step[] = [...events()];
  for (let count = 2 + d.random.below(3); count > 0; count -= 1) {
    const what = d.random.pick(['rotate', 'rotate', 'rotate', 'disable', 'pause', 'get'] as const);
    if (what === 'rotate') steps.push(about('rotateWebhookSecret'));
    if (what === 'disable') steps.push(about('disableWebhook'));
    if (what === 'get') steps.push(about('getWebhook'));
    if (what === 'pause') steps.push(advance(d, d.random.pick([1_000, DAY_MS / 2, 8 * DAY_MS])));
    if (d.random.chance(0.4)) steps.push(...events());
  }
  const answers = d.random.pick([[200], [200], [200], [500, 200]]);
  return [{ do: 'hook', n: hook, answers }, ...made, ...steps, ...events(), about('getWebhook')];
}

const PAUSES_MS = [0, 0, 0, 0, DAY_MS / 24 + 1, DAY_MS / 2 + DAY_MS / 24, DAY_MS - 1, DAY_MS + 1];

/** A call that is made again after its record has gone on, once or twice, sooner or later. */
function repeatedLater(d: Drawing): readonly Step[] {
  const steps = d.random.chance(0.5) ? changedAccount(d) : changedTransaction(d);
  const keyed = steps.filter((step): step is CallStep => step.do === 'call');
  const refused = { ...d.random.pick(keyed), n: d.scene.label(), key: newKey(d) };
  const all = d.random.chance(0.3) ? [...keyed, refused] : keyed;
  const first = d.random.pick(all);
  const again = (): Step[] => {
    const byMs = d.random.pick(PAUSES_MS);
    const pause = byMs > 0 && d.offers.has('clock') ? [advance(d, byMs)] : [];
    return [...pause, { ...first, n: d.scene.label() }];
  };
  const once = [...steps, ...(all === keyed ? [] : [refused]), ...again()];
  return d.random.chance(0.5) ? [...once, ...again()] : once;
}

function changedAccount(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const made = madeBy(created);
  const updates = [1, 2].map((at) => {
    const tag: Value = { $header: made.tags[made.tags.length - 1]!, name: 'etag' };
    const step = updateCall(d, made, { status: `x${d.stem()}` }, { ifMatch: tag });
    // Now and then the next one is under a tag that is old by then.
    if (at === 1 && d.random.chance(0.8)) made.tags.push(step.n);
    return step;
  });
  return [created, ...updates];
}

function changedTransaction(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step, place } = openedAt(d, { $of: created.n, at: 'id' });
  const made = recorded(d, place);
  return [created, step, made.step, ...fated(d, made)];
}

export const crossingIdeas: readonly Idea[] = [
  { id: 'account/life', weight: 9, needs: ['firm', 'brand', 'other_brand'], draw: accountLife },
  { id: 'account/person-again', weight: 6, draw: personAgain },
  { id: 'update/mixture', weight: 6, draw: updateMixture },
  {
    id: 'again/mixture',
    weight: 12,
    needs: ['trading_account'],
    draw: repeatedLater,
  },
  {
    id: 'operator/mixture',
    weight: 16,
    needs: ['settle', 'ledger', 'clock', 'fresh_trading_account'],
    draw: moneyMixture,
  },
  {
    id: 'webhook/mixture',
    weight: 12,
    needs: ['receiver', 'clock', 'emit', 'brand', 'firm'],
    draw: subscriptionMixture,
  },
];
