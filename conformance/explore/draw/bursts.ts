// Ideas about calls at once: what must happen once, what only one may win, what must not be lost.
import type { BurstStep, CallStep, Step } from '../sequence.ts';
import { createCall } from './accounts.ts';
import { bulkCall } from './bulk.ts';
import { decideCall, isDear } from './decisions.ts';
import { type Drawing, type Idea, newKey } from './idea.ts';
import { transactionCall } from './money.ts';
import { person } from './people.ts';
import { rereadAccount, rereadTransaction } from './rereads.ts';
import type { Scene } from './scene.ts';
import { updateCall } from './updates.ts';

/** As many of them at once as may be. */
export function together(d: Drawing, calls: readonly CallStep[]): BurstStep {
  return { do: 'burst', n: d.scene.label(), calls: calls.slice(0, d.crowd) };
}

/** The last of them while the others, or what they have brought about, are on their way. */
export function trailed(d: Drawing, calls: readonly CallStep[], last: CallStep): BurstStep {
  return { ...together(d, [...calls.slice(0, d.crowd - 1), last]), trails: true };
}

/** How many at once: mostly few, for a race is lost by two. */
const count = (d: Drawing): number => Math.min(d.crowd, d.random.pick([2, 2, 3, 3, 4, 6, 8, 16]));

const times = <T>(number: number, make: (at: number) => T): T[] =>
  Array.from({ length: number }, (_, at) => make(at));

const copies = (d: Drawing, step: CallStep): CallStep[] =>
  times(count(d), () => ({ ...step, n: d.scene.label() }));

const underOtherKeys = (d: Drawing, step: CallStep): CallStep[] =>
  times(count(d), () => ({ ...step, n: d.scene.label(), key: newKey(d) }));

function burst(id: string, draw: (d: Drawing) => readonly Step[], rest: Partial<Idea> = {}): Idea {
  return { id: `burst/${id}`, draw, weight: 1.5, ...rest };
}

const placed = ({ places }: Scene) => places.length > 0;
const tagged = ({ accounts }: Scene) => accounts.some(({ tags }) => tags.length > 0);
const pending = ({ transactions }: Scene) =>
  transactions.filter((each) => each.status === 'pending' && !isDear(each));

const taggedAccount = (d: Drawing) =>
  d.random.pick(d.scene.accounts.filter(({ tags }) => tags.length > 0));

const accounts: readonly Idea[] = [
  burst('same-create', (d) => [together(d, copies(d, createCall(d, d.main)))]),
  burst('one-reference-many-keys', (d) => [together(d, underOtherKeys(d, createCall(d, d.main)))]),
  burst('one-email', (d) => {
    const first = createCall(d, d.main);
    const { email } = first.body as { email: never };
    const others = times(count(d) - 1, () => createCall(d, d.main, { email }));
    return [together(d, [first, ...others])];
  }),
  burst('one-phone', (d) => {
    const phone = { phone: { $phone: `bp${d.stem()}`, form: 'e164' as const } };
    return [
      together(
        d,
        times(count(d), () => createCall(d, d.main, phone)),
      ),
    ];
  }),
  burst('one-batch', (d) => {
    const batch = bulkCall(d, d.main, [person(d, d.main), person(d, d.main)]);
    return [together(d, copies(d, batch))];
  }),
  burst('batches-that-overlap', (d) => {
    const shared = person(d, d.main);
    const batches = times(count(d), () => bulkCall(d, d.main, [shared, person(d, d.main)]));
    return [together(d, batches)];
  }),
  burst('batch-and-create', (d) => {
    const row = person(d, d.main);
    const single = { ...createCall(d, d.main), body: row };
    return [together(d, [bulkCall(d, d.main, [person(d, d.main), row]), single])];
  }),
];

const updates: readonly Idea[] = [
  burst(
    'updates-under-one-tag',
    (d) => {
      const account = taggedAccount(d);
      const all = times(count(d), (at) => updateCall(d, account, { status: `b${d.stem()}-${at}` }));
      return [together(d, all), rereadAccount(d, account)];
    },
    { when: tagged, weight: 2 },
  ),
  burst(
    'updates-of-other-members',
    (d) => {
      const account = taggedAccount(d);
      const bodies = [
        { first_name: `b${d.stem()}` },
        { last_name: `b${d.stem()}` },
        { country: `b${d.stem()}` },
      ];
      const all = bodies.map((body) => updateCall(d, account, body));
      return [together(d, all), rereadAccount(d, account)];
    },
    { when: tagged },
  ),
  burst(
    'same-update',
    (d) => {
      const account = taggedAccount(d);
      const step = updateCall(d, account, { status: `b${d.stem()}` });
      return [together(d, copies(d, step)), rereadAccount(d, account)];
    },
    { when: tagged },
  ),
];

const VERBS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

const money: readonly Idea[] = [
  burst(
    'same-transaction',
    (d) => [together(d, copies(d, transactionCall(d, d.random.pick(d.scene.places))))],
    { when: placed },
  ),
  burst(
    'one-transaction-reference',
    (d) => {
      const step = transactionCall(d, d.random.pick(d.scene.places));
      return [together(d, underOtherKeys(d, step))];
    },
    { when: placed },
  ),
  burst(
    'same-approval',
    (d) => {
      const one = d.random.pick(pending(d.scene));
      const step = decideCall(d, 'approveTransaction', one);
      const settle: Step = { do: 'settle', n: d.scene.label(), id: one.id };
      return [together(d, copies(d, step)), rereadTransaction(d, one), settle, ledger(d, one)];
    },
    { when: (scene) => pending(scene).length > 0 },
  ),
  burst(
    'approvals-under-other-keys',
    (d) => {
      const one = d.random.pick(pending(d.scene));
      const step = decideCall(d, 'approveTransaction', one);
      const settle: Step = { do: 'settle', n: d.scene.label(), id: one.id };
      return [together(d, underOtherKeys(d, step)), settle, ledger(d, one)];
    },
    { when: (scene) => pending(scene).length > 0 },
  ),
  burst(
    'decisions-that-exclude',
    (d) => {
      const one = d.random.pick(pending(d.scene));
      const all = times(count(d), () => decideCall(d, d.random.pick(VERBS), one));
      return [together(d, all), rereadTransaction(d, one)];
    },
    { when: (scene) => pending(scene).length > 0, weight: 2.5 },
  ),
  burst(
    'two-first-deposits',
    (d) => {
      const place = d.random.pick(d.scene.places);
      const made = times(Math.max(2, Math.min(4, count(d))), () => transactionCall(d, place));
      const all = made.map((step) =>
        decideCall(d, 'approveTransaction', {
          id: { $of: step.n, at: 'id' },
          place,
          reference: '',
          step,
          status: 'pending',
        }),
      );
      return [...made, together(d, all)];
    },
    { when: placed, weight: 2.5 },
  ),
  burst(
    'cancel-settled',
    (d) => {
      const one = d.random.pick(d.scene.transactions.filter(({ status }) => status === 'settled'));
      const step = decideCall(d, 'cancelTransaction', one);
      return [together(d, underOtherKeys(d, step)), rereadTransaction(d, one), ledger(d, one)];
    },
    {
      needs: ['settle', 'ledger'],
      when: ({ transactions }) => transactions.some(({ status }) => status === 'settled'),
      weight: 2,
    },
  ),
];

function ledger(d: Drawing, { place }: Scene['transactions'][number]): Step {
  return { do: 'ledger', n: d.scene.label(), tradingAccount: place.tradingAccount };
}

const others: readonly Idea[] = [
  burst(
    'same-order',
    (d) => {
      const orders = d.scene.calls.filter(({ step }) => /Position$/.test(step.operation));
      const { step } = d.random.pick(orders);
      return [together(d, copies(d, { ...step, key: newKey(d) }))];
    },
    { when: ({ calls }) => calls.some(({ step }) => /Position$/.test(step.operation)) },
  ),
  burst(
    'calls-as-they-were',
    (d) => {
      const some = times(count(d), () => d.random.pick(d.scene.calls).step);
      return [
        together(
          d,
          some.map((step) => ({ ...step, n: d.scene.label() })),
        ),
      ];
    },
    { when: ({ calls }) => calls.length > 1 },
  ),
];

export const burstIdeas: readonly Idea[] = [...accounts, ...updates, ...money, ...others];
