// Each hint appears where it applies and names its cause; correct calls get no hint.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depositOf, personOf } from '../../../fixtures/testing/bodies.ts';
import { findEntry } from '../journal.ts';
import type { Credential } from '../records.ts';
import { step } from '../step.ts';
import { behaviour, seedWorld, startMs } from '../testing/begin-world.ts';
import { phoneTables } from '../values/phone.ts';
import type { World } from '../world.ts';
import { type Hint, hintWords } from './hints.ts';

const hints = suite<{ world: World }>('hints');
hints.before(() => phoneTables.load());
hints.before.each((place) => {
  place.world = seedWorld();
});

function credentialOf({ credentials, lastingTokens }: World, name: string) {
  const credential = [...credentials.values()].find((each) => each.name === name) as Credential;
  return { ...credential, token: lastingTokens.get(credential.client_id) };
}

interface Sent {
  /** Method and target; a target without a leading slash is below `/api/v1/`. */
  readonly line: string;
  readonly body?: unknown;
  readonly key?: string | null;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly frozen?: boolean;
}

let keys = 0;

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The hints on a call, and its status. */
function send(world: World, { line, body, key, as = 'firm', headers = {}, frozen }: Sent) {
  const [method = '', target = ''] = line.split(' ');
  keys += 1;
  const isKeyed = key !== null && method !== 'GET' && !/webhooks|token/.test(target);
  const call = {
    method,
    target: target.startsWith('/') ? target : `/api/v1/${target}`,
    headers: {
      ...(as === '' ? {} : { authorization: `Bearer ${credentialOf(world, as).token}` }),
      'content-type': 'application/json',
      ...(isKeyed || typeof key === 'string' ? { 'idempotency-key': key ?? `key-${keys}` } : {}),
      ...headers,
    },
    body:
      body instanceof Uint8Array ? body : bytesOf(body === undefined ? '' : JSON.stringify(body)),
  };
  const facts = { addresses: ['93.184.216.34'], frozen: frozen === true };
  const { n = 0 } = step(world, behaviour, { kind: 'call', atMs: world.nowMs, call, facts });
  const entry = findEntry(world.journal, n);
  const hints: readonly Hint[] = entry?.hints ?? [];
  return { status: entry?.reply?.status ?? 0, told: hints, codes: hints.map(({ code }) => code) };
}

const ada = personOf('ada');
const deposit = { ...depositOf('d1'), amount: '25.00' };
const hook = { url: 'https://hooks.example.com/', event_categories: ['account'] };

/** The requests, the one hint they produce, and its text. */
const cases: readonly (readonly [Sent, string, RegExp])[] = [
  [
    { line: 'POST accounts', body: { ...ada, firstName: 'Ada' } },
    'unknown_member',
    /^createAccount ignores firstName \(did you mean first_name\?\)\.$/,
  ],
  [
    { line: 'POST accounts', body: { ...ada, frist_name: 'Ada', nick: 1, status: 'VIP' } },
    'unknown_member',
    /frist_name \(did you mean first_name\?\), nick, status \(a new account is New/,
  ],
  [
    { line: 'POST accounts', body: { client_reference_id: 'ada', emial: 'ada@example.com' } },
    'unknown_member',
    /^createAccount ignores emial \(did you mean email\?\)/,
  ],
  [
    { line: 'POST accounts/bulk', body: { accounts: [ada, { ...ada, nick: 1 }] } },
    'unknown_member',
    /ignores accounts\.1\.nick\./,
  ],
  [
    {
      line: 'PATCH accounts/1001',
      headers: { 'if-match': '"1"' },
      body: { email: 'new@example.com', status: 'VIP' },
    },
    'unknown_member',
    /email \(it cannot be changed through the API/,
  ],
  [
    {
      line: 'PATCH accounts/1001',
      headers: { 'if-match': '"1"' },
      body: { country: null, status: 'VIP' },
    },
    'unknown_member',
    /country \(null clears nothing/,
  ],
  [
    { line: 'POST webhooks', body: { ...hook, brand_id: '10' } },
    'unknown_member',
    /brand_id \(a subscription is bound as its credential is/,
  ],
  [{ line: 'GET accounts?page=2' }, 'unknown_parameter', /takes after and limit: page/],
  [
    { line: 'POST webhooks', body: { ...hook, url: 'http://localhost:3000/hooks' } },
    'local_url',
    /^The platform takes public https urls only.*--forward-to/,
  ],
  [
    { line: 'POST webhooks', body: { ...hook, url: 'https://127.0.0.1/hooks' } },
    'local_url',
    /PUT \/_sandbox\/forwards/,
  ],
  [
    { line: 'POST transactions', body: { ...deposit, transaction_type: 'Withdrawal' } },
    'sign_against_type',
    /a Withdrawal is subtracted from the balance/,
  ],
  [
    { line: 'POST transactions', body: { ...deposit, method: 'Withdrawal', amount: '-25.00' } },
    'sign_against_type',
    /a Deposit is added to the balance/,
  ],
  [{ line: 'POST /accounts', body: ada }, 'path_beside_api', /mean \/api\/v1\/accounts\?/],
  [{ line: 'GET /api/v1/accounts/' }, 'path_beside_api', /mean \/api\/v1\/accounts\?/],
  [{ line: 'GET /api/v1/acounts' }, 'path_beside_api', /mean \/api\/v1\/accounts\?/],
  [
    { line: 'GET /v1/transaction/9/approve' },
    'path_beside_api',
    /mean \/api\/v1\/transactions\/9\/approve, which takes POST\?/,
  ],
  [
    { line: 'GET accounts/1001' },
    'path_beside_api',
    /^Read it with GET \/api\/v1\/accounts or GET \/api\/v1\/accounts\/1001\/status\.$/,
  ],
  [
    { line: 'GET transactions/9001' },
    'path_beside_api',
    /^Read it with GET \/api\/v1\/transactions\.$/,
  ],
];

for (const [sent, code, words] of cases) {
  hints(`${code}: ${sent.line} ${JSON.stringify(sent.body ?? '')}`, ({ world }) => {
    const { told: found, codes } = send(world, sent);
    assert.equal(codes, [code]);
    assert.match(found[0]?.words ?? '', words);
  });
}

hints('another body under the same key: the hint names the members that differ', ({ world }) => {
  const line = 'POST accounts';
  send(world, { line, key: 'k', body: { ...ada, first_name: 'Ada', password: 'one' } });
  const second = { ...ada, first_name: 'Eda', password: 'two' };
  const { told: found, codes } = send(world, { line, key: 'k', body: second });
  assert.equal(codes, ['body_unlike_first']);
  assert.match(found[0]?.words ?? '', 'used this key first, with another first_name, password.');
});

hints('a repeat with an ignored body gets the same hint, whatever its bytes', ({ world }) => {
  const line = 'POST transactions/9004/approve?account_id=1001';
  const first = send(world, { line, key: 'k', body: new Uint8Array([255, 254]) });
  const second = send(world, { line, key: 'k', body: bytesOf('{"other":') });
  assert.equal([first.status, second.status], [200, 200]);
  assert.not(second.codes.includes('body_unlike_first'));
});

hints('a corrected request, or a new tag, under the key of a refused request', ({ world }) => {
  const line = 'POST accounts';
  send(world, { line, key: 'k', body: { ...ada, email: 'ada' } });
  const corrected = send(world, { line, key: 'k', body: ada });
  assert.is(corrected.status, 422);
  assert.equal(corrected.codes, ['body_unlike_first']);
  const update = { line: 'PATCH accounts/1001', key: 'u', body: { status: 'VIP' } };
  const { revision = 0 } = world.accounts.get('1001') ?? {};
  send(world, { ...update, key: 'first', headers: { 'if-match': `"${revision}"` } });
  send(world, { ...update, headers: { 'if-match': `"${revision}"` } });
  const again = send(world, { ...update, headers: { 'if-match': `"${revision + 1}"` } });
  assert.is(again.status, 412);
  assert.equal(again.codes, ['body_unlike_first']);
  assert.match(again.told[0]?.words ?? '', 'with another If-Match, and was refused');
});

hints('one key on two transactions of an account', ({ world }) => {
  const approve = (id: string) => `POST transactions/${id}/approve?account_id=1001`;
  const created = send(world, { line: 'POST transactions', body: deposit });
  assert.is(created.status, 201);
  const id = String(world.counters.transaction);
  send(world, { line: approve('9004'), key: 'k' });
  const { codes, told: found } = send(world, { line: approve(id), key: 'k' });
  assert.equal(codes, ['body_unlike_first']);
  assert.match(found[0]?.words ?? '', 'Nothing was done to this transaction');
});

hints('a known reference with a different body', ({ world }) => {
  send(world, { line: 'POST accounts', body: { ...ada, first_name: 'Ada' } });
  const person = { ...ada, email: 'ADA@example.com', first_name: 'Eda' };
  const { codes, told: found } = send(world, { line: 'POST accounts', body: person });
  assert.equal(codes, ['converged_unlike']);
  assert.match(found[0]?.words ?? '', 'which has another first_name.');
  send(world, { line: 'POST transactions', body: deposit });
  const paid = send(world, { line: 'POST transactions', body: { ...deposit, amount: '30' } });
  assert.is(paid.status, 200);
  assert.match(paid.told[0]?.words ?? '', 'which has another amount.');
  const same = { ...deposit, amount: '25', account_id: '01001' };
  assert.equal(send(world, { line: 'POST transactions', body: same }).codes, []);
});

hints('a call before Retry-After has passed', ({ world }) => {
  const args = { client_id: credentialOf(world, 'firm').client_id, rate_per_second: 1 };
  step(world, behaviour, { kind: 'command', atMs: startMs, name: 'changeCredential', args });
  const create = { line: 'POST accounts', key: 'k', body: ada };
  while (send(world, { line: 'GET accounts' }).status === 200);
  assert.is(send(world, create).status, 429);
  // A concurrent call had not been told to wait yet.
  assert.equal(send(world, { line: 'GET transactions' }).codes, []);
  assert.equal(send(world, { line: 'GET transactions' }).status, 429);
  assert.is(send(world, create).status, 429);
  assert.equal(send(world, create).codes, ['before_retry_after']);
  step(world, behaviour, { kind: 'time', atMs: startMs + 2000 });
  const late = send(world, create);
  assert.is(late.status, 201);
  assert.equal(late.codes, []);
});

hints('a 429 under a frozen clock says how far to advance it', ({ world }) => {
  const read: Sent = { line: 'GET accounts', key: 'k', frozen: true };
  while (send(world, read).status === 200);
  for (const again of [read, { ...read, line: 'POST accounts', body: ada }]) {
    const { told: found, codes } = send(world, again);
    assert.equal(codes, ['frozen_clock']);
    assert.match(found[0]?.words ?? '', 'advance it by Retry-After (1000 ms).');
  }
  step(world, behaviour, { kind: 'time', atMs: startMs + 1000 });
  assert.equal(send(world, read).codes, []);
  const effect = { kind: 'status', status: 429 } as const;
  step(world, behaviour, {
    kind: 'command',
    atMs: world.nowMs,
    name: 'makeFault',
    args: { match: {}, effect },
  });
  const ordered = send(world, read);
  assert.equal([ordered.status, ordered.codes], [429, []]);
});

hints('correct calls get no hint', ({ world }) => {
  const tag = { 'if-match': `"${world.accounts.get('1001')?.revision}"` };
  const withdrawal = { ...deposit, client_reference_id: 'w1', transaction_type: 'Withdrawal' };
  const bo = personOf('bo');
  const { brand_id, ...rest } = bo;
  const right: readonly Sent[] = [
    { line: 'POST accounts', key: 'k', body: bo },
    // The same members in another order.
    { line: 'POST accounts', key: 'k', body: { brand_id, ...rest } },
    { line: 'POST accounts', key: 'a', body: { ...ada, phone: '030 1234567', phone_region: 'DE' } },
    { line: 'POST accounts', key: 'a', body: { ...ada, phone: '030 1234567', phone_region: 'DE' } },
    { line: 'POST accounts', body: { ...ada, phone: '+49 30 1234567', first_name: null } },
    { line: 'POST accounts/bulk', body: { accounts: [{ ...ada, last_name: 'L' }] } },
    { line: 'PATCH accounts/1001', headers: tag, body: { status: 'VIP' } },
    { line: 'PATCH accounts/1001', headers: tag, body: { status: 'Gold' } },
    { line: 'POST transactions', key: 't', body: deposit },
    { line: 'POST transactions', key: 't', body: deposit },
    { line: 'POST transactions', body: { ...withdrawal, amount: '-25.00' } },
    { line: 'POST transactions/9004/approve?account_id=1001', body: {} },
    { line: 'POST webhooks', body: hook },
    { line: 'GET webhooks' },
    { line: 'GET accounts?limit=2&after=1001' },
    { line: 'GET accounts/1001/status' },
    { line: 'GET nowhere' },
  ];
  for (const sent of right) {
    const { codes, told: found } = send(world, sent);
    assert.equal(codes, [], `${sent.line}: ${found[0]?.words}`);
  }
});

hints('the guide lists the register, word for word', () => {
  const guide = readFileSync(new URL('../../TROUBLESHOOTING.md', import.meta.url), 'utf8');
  for (const [code, words] of Object.entries(hintWords)) {
    assert.match(guide, `| \`${code}\` | ${words} |`);
  }
});

hints.run();
