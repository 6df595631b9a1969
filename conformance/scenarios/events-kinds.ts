// EVT: what the operations of the API tell of themselves. Which of them brings which event is open
// (NS-11); that each event is one of its own is not.
import type { Delivered } from '../engine/arrivals.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';
import { type Envelope, envelopeIn, eventIdOf, sequenceAt } from './envelopes.ts';
import { happen, letArrive, mustArrive } from './happenings.ts';

/** An operation, and what the simulator calls the event it brings. */
interface Act {
  readonly words: string;
  readonly kind: string;
  run(): Promise<unknown>;
}

const evtKinds: Scenario = {
  id: 'evt-kinds',
  title: 'Each event that the operations bring has an id of its own and a later number',
  rules: ['EVT-2a'],
  observes: ['NS-11'],
  needs: ['receiver', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    const acts = await actsOf(t);
    const hook = await t.receiver();
    await t.given.webhook(hook);
    const told: string[] = [];
    const kinds: Record<string, string | null> = {};
    for (const act of acts) {
      const before = hook.arrivals.length;
      await act.run();
      await letArrive(t);
      const brought = kindsIn(await t.arrived(hook, 0, 0), before);
      told.push(`${act.words}: ${brought.join(', ') || 'no event'}`);
      const [only = null] = brought;
      if (brought.length <= 1 && only !== act.kind) kinds[act.kind] = only;
    }
    t.observe('NS-11', told.join('; '), { event_kinds: kinds });
    // Where none of them brings any, there are still two events to tell apart.
    if (t.has('emit')) for (const _ of [1, 2]) await mustArrive(t, hook, await happen(t));
    expectApart(t, await t.arrived(hook, 0, 0));
  },
};

/** Everything they act on is made before, so that each brings its own events alone. */
async function actsOf(t: Trial): Promise<Act[]> {
  const { api, given, fresh } = t;
  const place = await given.place();
  const account = await given.account();
  const [approvable, rejectable, cancellable] = [
    await given.transaction(place),
    await given.transaction(place),
    await given.transaction(place),
  ];
  const key = () => ({ key: fresh.key() });
  const act = (words: string, kind: string, run: () => Promise<unknown>) => ({ words, kind, run });
  const name = { first_name: 'Grace' };
  const tag = { ...key(), ifMatch: account.etag };
  return [
    act('creating an account', 'account.created', () => given.account()),
    act('updating it', 'account.updated', () => api.updateAccount(account.id, name, tag)),
    act('creating a transaction', 'transaction.created', () => given.transaction(place)),
    act('rejecting one', 'transaction.rejected', () =>
      api.rejectTransaction(rejectable.id, place.account_id, { reason: 'no' }, key()),
    ),
    act('cancelling one', 'transaction.cancelled', () =>
      api.cancelTransaction(cancellable.id, place.account_id, { reason: 'no' }, key()),
    ),
    act('approving one', 'transaction.approved', () =>
      api.approveTransaction(approvable.id, place.account_id, key()),
    ),
  ];
}

/** Members that services call the kind of an event by. */
const KIND_NAMES = ['kind', 'type', 'event', 'event_type', 'name'];

/** What the events among the deliveries from `first` on are called; a repeat is no other event. */
function kindsIn(deliveries: readonly Delivered[], first: number): string[] {
  const events = new Map<string | undefined, string>();
  for (const delivered of deliveries.slice(first)) {
    const envelope: Envelope = envelopeIn(delivered) ?? {};
    const kind = KIND_NAMES.map((name) => envelope[name]).find((each) => typeof each === 'string');
    events.set(eventIdOf(envelope), typeof kind === 'string' ? kind : 'an unnamed kind');
  }
  return [...events.values()];
}

function countOf(values: readonly unknown[]): number {
  return new Set(values).size;
}

const NONE: Envelope = {};

/** In some member, each id has one number and each number one id, however often each came. */
function expectApart(t: Trial, deliveries: readonly Delivered[]): void {
  const envelopes = deliveries.map((each) => envelopeIn(each) ?? NONE);
  const [first, ...rest] = envelopes;
  // EVT-3's subject is that there is an envelope at all.
  if (first === undefined || rest.length === 0 || envelopes.includes(NONE)) {
    t.untested('EVT-2a', 'fewer than two events came as JSON objects');
    return;
  }
  const names = Object.keys(first).filter((name) => {
    const numbers = envelopes.map((each) => sequenceAt(each, name));
    const pairs = envelopes.map((each, at) => `${eventIdOf(each)} ${numbers[at]}`);
    const counts = [envelopes.map(eventIdOf), numbers, pairs].map(countOf);
    return !/id$/i.test(name) && !numbers.includes(undefined) && new Set(counts).size === 1;
  });
  const ids = envelopes.map(({ id }) => JSON.stringify(id)).join(', ');
  const actual = `ids ${ids}; members ${Object.keys(first).join(', ')}`;
  const words = 'for each event one id, and in one member a number that no other event has';
  t.claim('EVT-2a', words, names.length > 0, actual, ...deliveries);
}

export const eventKindScenarios: readonly Scenario[] = [evtKinds];
