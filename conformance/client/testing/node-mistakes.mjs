// Correct clients in Node with one mistake each: `node node-mistakes.mjs NAME`; without a name, none.
import { createHash, randomUUID } from 'node:crypto';
import { Client, right } from './node-client.mjs';

/** The mistake only affects the attempt after a certain answer, by its status or its code. */
const keyAfter = (...whats) => ({
  keyOf: ({ key }, n, status, code) =>
    n > 0 && (whats.includes(status) || whats.includes(code)) ? `${key}-${n}` : key,
});
const bodyAfterBreak = (change) => ({
  bodyOf: ({ body }, n, last) => (n > 0 && last.code === 'cut' ? change(body) : body),
});
const never = (what) => ({
  mayRepeat: (status, code) => status !== what && code !== what && right.mayRepeat(status, code),
});
const also = (...whats) => ({
  mayRepeat: (status, code) => whats.includes(status) || right.mayRepeat(status, code),
});

const mistakes = {
  none: {},
  'no-key': { keyOf: () => undefined },
  'no-key-on-approve': {
    keyOf: ({ target, key }) => (target.includes('/approve') ? undefined : key),
  },
  'key-too-long': { newKey: () => randomUUID().repeat(8) },
  'key-a-day': { newKey: (target) => `${target.split('?')[0].replace(/\d+/, '')}-monday` },
  'key-of-account': {
    newKey: (target) =>
      target?.startsWith('transactions/') ? 'one-for-this-account' : randomUUID(),
  },
  'new-key-each-try': { keyOf: ({ key }, n) => (n > 0 ? `${key}-${n}` : key) },
  'new-key-after-break': keyAfter('cut'),
  'new-key-after-silence': keyAfter('timeout'),
  'key-dropped-after-break': {
    keyOf: ({ key }, _n, _status, code) => (code === 'cut' ? undefined : key),
  },
  'new-reference-after-break': bodyAfterBreak((body) =>
    body?.client_reference_id === undefined
      ? body
      : { ...body, client_reference_id: `again-${randomUUID()}` },
  ),
  'body-changed-after-break': bodyAfterBreak((body) =>
    body?.currency === undefined ? body : { ...body, currency: 'EUR' },
  ),
  'lost-is-done': { onBroken: 'done' },
  'lost-is-fatal': { repeatsBroken: false },
  'waits-for-ever': { timeLimitMs: null },
  'never-repeats-500': never(500),
  'never-repeats-503': never(503),
  'new-key-after-500': keyAfter(500),
  'new-key-after-503': keyAfter(503),
  'never-gives-up': { tries: 10_000, waitMs: () => 450 },
  'twenty-tries': { tries: 20, waitMs: () => 400 },
  'key-of-update': {
    newKey: (target) => (target?.startsWith('accounts/') ? `update-${target}` : randomUUID()),
    updatesTwice: true,
  },
  'hammers-on': { tries: 40, waitMs: () => 5 },
  hammers: { tries: 8, waitMs: () => 100 },
  'given-up-is-done': {
    onGivenUp: (error) => {
      if (error.status < 500) throw error;
      return { json: { id: '1' }, etag: '"1"' };
    },
  },
  'deaf-to-retry-after': { retryAfterMs: () => 300 },
  'retry-after-in-ms': {
    retryAfterMs: (headers) => Number(headers['retry-after']),
    tries: 9,
    waitMs: () => 500,
  },
  'fixed-wait-on-429': { retryAfterMs: () => 2_600 },
  'new-key-after-429': keyAfter(429),
  'never-repeats-429': never(429),
  'in-flight-is-final': never('idempotency_in_flight'),
  'in-flight-new-key': keyAfter('idempotency_in_flight'),
  'in-flight-hammered': { inFlightMs: 20, countsInFlight: false },
  'repeats-422': also(422),
  'repeats-403': also(403),
  'repeats-404': also(404),
  'repeats-every-409': also(409),
  'repeats-501': also(501),
  'same-tag-again': { onStale: 'same-tag' },
  'same-key-again': { onStale: 'same-key' },
  'guesses-the-tag': { onStale: 'guess' },
  'ignores-412': { onStale: 'done' },
  'never-refreshes': { refreshes: false },
  'new-key-after-401': keyAfter(401),
  'token-each-call': { keepsToken: false },
  'ids-as-numbers': { idOf: (id) => String(Number(id)) },
  'amounts-as-numbers': { amountOf: (amount) => Number(amount) },
  'amounts-with-exponent': { amountOf: (amount) => Number(amount).toExponential() },
  'counts-members': {
    read: (text) => {
      const json = JSON.parse(text);
      if (json.amount !== undefined && Object.keys(json).length !== 10) {
        throw new Error('an answer has members that nobody knows');
      }
      return json;
    },
  },
  'reads-by-place': {
    read: (text) => {
      const json = JSON.parse(text);
      return 'amount' in json ? { ...json, id: String(Object.values(json)[0]) } : json;
    },
  },
  'wants-201': {
    isSuccess: (status, { method, target }) =>
      method === 'POST' && /\/(accounts|transactions)$/.test(target)
        ? status === 201
        : right.isSuccess(status),
  },
  'parses-anything': { parsesAnything: true },
  'token-in-url': {
    targetOf: (target, { token }) =>
      `${target}${target.includes('?') ? '&' : '?'}access_token=${token}`,
  },
  'secret-in-reference': {
    reference: (name) => `${name}-${process.env.SANDBOX_CLIENT_SECRET}-${randomUUID()}`,
  },
  // Not a mistake: the key is derived from the intent instead of random.
  'derived-keys': {
    newKey: (...wanted) => createHash('sha256').update(JSON.stringify(wanted)).digest('hex'),
  },
};

const [name = 'none'] = process.argv.slice(2);
if (!(name in mistakes)) throw new Error(`no such mistake: ${name}`);
const client = new Client(mistakes[name]);

// One write of each kind is enough to show a mistake, and faster than all nine.
const account = await client.createAccount('person');
const updated = await client.updateAccount(account, { first_name: 'Augusta' });
if (mistakes[name].updatesTwice) {
  const { json, etag } = updated;
  await client.updateAccount({ ...json, etag }, { last_name: 'King' });
}
const first = await client.createTransaction('first', '250.00');
await client.move(first, 'approve');
// A second write of a kind only for mistakes that need it: every write costs a dozen runs.
if (['none', 'derived-keys', 'new-key-each-try', 'key-of-account'].includes(name)) {
  const second = await client.createTransaction('second', '75.50');
  await client.move(second, 'approve');
}
