// A state is loaded completely or refused with the invalid path, and no document causes another
// exception.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nextDueMs, step } from '../step.ts';
import { behaviour, seedWorld } from '../testing/begin-world.ts';
import { drawFrom, makeInput } from '../testing/random-inputs.ts';
import { phoneTables } from '../values/phone.ts';
import { dumpWorld, loadWorld, StateError } from './snapshot.ts';

const check = suite('invalid states');

// biome-ignore lint/suspicious/noExplicitAny: documents are broken here in every possible way.
type Loose = any;

/** A world that contains a record of every kind. */
async function liveDocument(): Promise<string> {
  await phoneTables.load();
  const world = seedWorld();
  for (let n = 0; n < 600; n += 1) step(world, behaviour, makeInput(drawFrom(n), world));
  const document = dumpWorld(world) as Loose;
  const held = {
    id: '900',
    n: 1,
    requestId: 'req',
    askedAtMs: 1,
    call: { method: 'POST', target: '/api/v1/accounts', headers: { a: 'b', c: ['d'] }, body: '' },
    clientId: document.world.credentials[0].client_id,
    keyId: null,
    facts: { addresses: null },
    reply: null,
    wakeAtMs: null,
    faultId: '1',
    abandoned: false,
  };
  document.world.suspendedCalls.push(held);
  document.world.counters.suspendedCall = 900;
  document.world.names.push({ key: 'a.example', value: ['127.0.0.1'] });
  document.world.forwards.push({ key: 'https://a.example', value: 'http://127.0.0.1:9000/' });
  const late = { id: '901', match: {}, phase: 'before', effect: { kind: 'hang' } };
  document.world.faults.push({ ...late, times: null, hits: 0 });
  document.world.counters.fault = 901;
  return JSON.stringify(document);
}

const text = await liveDocument();
const fresh = (): Loose => JSON.parse(text);

const refusal = (document: unknown): string => {
  try {
    loadWorld(document, behaviour);
    return 'taken';
  } catch (error) {
    return error instanceof StateError ? error.message : `thrown: ${(error as Error).stack}`;
  }
};

const broken: readonly (readonly [string, (world: Loose) => void, string])[] = [
  ['a firm of an id', (w) => (w.firms = [{ id: '1' }]), 'world.firms[0].name is missing'],
  ['a url', (w) => (w.subscriptions[0].url = 'no'), 'world.subscriptions[0].url must be a URL'],
  ['a delivery', (w) => (w.deliveries = [{ id: '1' }]), 'world.deliveries[0].subscription_id is'],
  ['a bucket', (w) => (w.buckets = [{}]), 'world.buckets[0].key is missing'],
  ['a bucket twice', (w) => w.buckets.push(w.buckets[0]), '.key is there twice'],
  ['a forward', (w) => (w.forwards = [{ key: 'a', value: 'b' }]), '[0].value must be a URL'],
  ['a member that no state has', (w) => Object.assign(w, { acounts: [] }), 'world.acounts is not'],
  ['a time before 1970', (w) => (w.nowMs = -5), 'world.nowMs must be from 0'],
  ['a time with a fraction', (w) => (w.nowMs = 1.5), 'world.nowMs must be a whole number'],
  ['a time of no date', (w) => (w.nowMs = 9e15), 'world.nowMs must be from 0'],
  ['a time before the start', (w) => (w.nowMs = 1), 'world.nowMs must not be before world.started'],
  ['a counter at its end', (w) => (w.counters.account = 2 ** 53 - 1), '.counters.account must be'],
  ['a tag at its end', (w) => (w.accounts[0].revision = 2 ** 53 - 1), 'accounts[0].revision must'],
  ['an option', (w) => (w.options = {}), 'world.options.allowLocalWebhooks is missing'],
  ['a key', (w) => (w.keys = [{ key: 'k', value: { atMs: 1 } }]), 'keys[0].value.reply is missing'],
  ['an event', (w) => (w.events.records[3] = {}), 'world.events.records[3].seq is missing'],
  ['a gap', (w) => w.events.records.splice(3, 1), 'world.events.records[3].seq must be'],
  ['the last event', (w) => w.events.records.pop(), 'world.events.lastSeq must be'],
  ['a body', (w) => (w.events.records[0].body = 'x'), 'world.events.records[0].body must be JSON'],
  ['a token', (w) => delete w.tokens[0].client_id, 'world.tokens[0].client_id is missing'],
  ['an id of no text', (w) => (w.accounts[0].id = 5), 'world.accounts[0].id must be a string'],
  ['an id twice', (w) => w.accounts.push(w.accounts[0]), '.id is there twice: "1001"'],
  ['a balance', (w) => (w.tradingAccounts[0].balance = 'NaN'), 'world.tradingAccounts[0].balance'],
  ['a status', (w) => (w.transactions[0].status = 'lost'), 'world.transactions[0].status must be'],
  ['no account', (w) => (w.accounts = []), ', not in world.accounts'],
  ['no firm', (w) => (w.firms = []), 'world.credentials[0].firm_id is "1", not in world.firms'],
  ['an effect', (w) => (w.faults[0].effect = { kind: 'delay' }), 'world.faults[0].effect.ms is'],
  ['a held call', (w) => delete w.suspendedCalls.at(-1).call.headers, '.call.headers is missing'],
  ['no caller', (w) => (w.suspendedCalls.at(-1).clientId = 'x'), '.clientId is "x", not in world'],
  [
    'a timer without answer',
    (w) => (w.timers = [{ dueAtMs: 1, sequence: 1, kind: 'answer', ref: '900' }]),
    'world.timers: suspended call 900 has no reply to send',
  ],
];

for (const [name, spoil, words] of broken) {
  check(`${name}: refused with its path`, () => {
    const document = fresh();
    spoil(document.world);
    const message = refusal(document);
    assert.ok(message.startsWith('world.') && message.includes(words), message);
  });
}

/** The path of every member and item of a document; of long lists only the first items. */
function* placesOf(value: Loose, path: readonly (string | number)[] = []): Generator<Loose[]> {
  if (typeof value !== 'object' || value === null) return;
  const names = Array.isArray(value) ? [...value.keys()].slice(0, 4) : Object.keys(value);
  for (const name of names) {
    yield [...path, name];
    yield* placesOf(value[name], [...path, name]);
  }
}

check('any value at any path is either loaded and works, or refused with a StateError', () => {
  assert.is(refusal(fresh()), 'taken');
  const places = [...placesOf(fresh().world)];
  assert.ok(places.length > 500, `${places.length} places`);
  const odd = [null, -1, 1.5, 'x', '', [], {}, [null], true, undefined];
  let taken = 0;
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.constantFrom(...odd), (place, value) => {
      const document = fresh();
      const holder = place.slice(0, -1).reduce((at: Loose, name) => at[name], document.world);
      holder[place.at(-1)] = value;
      const message = refusal(JSON.parse(JSON.stringify(document)));
      assert.ok(message === 'taken' || message.startsWith('world.'), `${place}: ${message}`);
      assert.not.match(message, /Cannot read|undefined/);
      if (message !== 'taken') return;
      taken += 1;
      const world = loadWorld(JSON.parse(JSON.stringify(document)), behaviour);
      nextDueMs(world);
      dumpWorld(world);
    }),
    { numRuns: 150, seed: 7 },
  );
  assert.ok(taken > 10 && taken < 390, `${taken} of 400 taken`);
});

check('unsorted timers, and a counter below its ids, are corrected', () => {
  const document = fresh();
  const wake = { sequence: 1, kind: 'wake', ref: '900' };
  document.world.timers = [2, 1].map((dueAtMs) => ({ ...wake, dueAtMs }));
  document.world.counters.account = 1;
  const world = loadWorld(document, behaviour);
  assert.is(nextDueMs(world), 1);
  assert.ok(world.accounts.has(String(world.counters.account)));
});

check('changes to a loaded world do not change its document', () => {
  const document = fresh();
  const before = JSON.stringify(document);
  const world = loadWorld(document, behaviour);
  for (let n = 0; n < 400; n += 1) step(world, behaviour, makeInput(drawFrom(n + 700), world));
  assert.is.not(JSON.stringify(dumpWorld(world)), before);
  assert.is(JSON.stringify(document), before);
});

check.run();
