// Generates inputs for a world from numbers: valid and invalid calls, time, receiver responses,
// commands.

import {
  type OperationName,
  operationNames,
  operationTable,
} from '../../../fixtures/operations.ts';
import { Random } from '../../../fixtures/random.ts';
import type { Call } from '../call.ts';
import type { CommandName } from '../commands/commands.ts';
import type { Input } from '../step.ts';
import type { World } from '../world.ts';

/** Returns an integer from 0 up to but excluding `below`. */
export type Draw = (below: number) => number;

/** The same numbers for the same seed. */
export function drawFrom(seed: number): Draw {
  const random = new Random(seed);
  return (below) => random.bits() % below;
}

export function pick<T>(draw: Draw, items: readonly T[]): T {
  return items[draw(items.length)] as T;
}

const deep = `${'[{"a":'.repeat(2000)}1${'}]'.repeat(2000)}`;
const oddTexts = ['', ' ', '\u0000', '__proto__', '9'.repeat(300), '😀'.repeat(256), '\ud800', 'é'];
const oddValues: readonly unknown[] = [null, 7, -0.5, true, [], {}, [[]], ...oddTexts];
const oddHeaders = [
  undefined,
  '',
  '   ',
  'x'.repeat(256),
  '"1"',
  'W/"1"',
  '*',
  '\u00ff',
  ['1', '1'],
];
const oddBodies: readonly (string | Uint8Array)[] = [
  '',
  'null',
  '[]',
  '"text"',
  '{"a":1,',
  '\ufeff{}',
  deep,
  '{"__proto__":{"client_reference_id":"p"},"constructor":{"prototype":1}}',
  '{"email":"a@b","email":"c@d","client_reference_id":"twice","brand_id":"10"}',
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  new Uint8Array([0xed, 0xa0, 0x80]),
  `{"client_reference_id":"${'r'.repeat(300)}","email":"long@example.com","brand_id":"10"}`,
];
const oddTargets = [
  ...`
    / * /api /api/v1 /api/v1/ /api/v1/accounts/ /api/v1//accounts /api/v2/accounts /api/v1/accounts/%
    /api/v1/accounts/%zz /api/v1/accounts/%00 /api/v1/accounts/..%2f.. /api/v1/__proto__
    /api/v1/transactions/9001/approve?account_id=%ff /api/v1/accounts?limit=-1&after=__proto__
  `
    .trim()
    .split(/\s+/),
  `/api/v1/accounts/${'1'.repeat(9000)}`,
];
const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'BREW'];

const references = Array.from({ length: 40 }, (_, index) => `ref-${index}`);

function keyOf<K>(draw: Draw, map: ReadonlyMap<K, unknown>): K | undefined {
  const keys = [...map.keys()];
  return keys[draw(Math.max(keys.length, 1))];
}

function anyCase(draw: Draw, text: string): string {
  return draw(3) === 0 ? text.toUpperCase() : text;
}

function personOf(draw: Draw): Record<string, unknown> {
  const reference = pick(draw, references);
  return {
    client_reference_id: anyCase(draw, reference),
    email: anyCase(draw, `${pick(draw, references)}@example.com`),
    ...(draw(4) === 0 ? { phone: `+44 20 7946 0${draw(90) + 100}` } : {}),
    ...(draw(3) === 0 ? { first_name: 'Ada', last_name: pick(draw, ['Lovelace', '']) } : {}),
    brand_id: pick(draw, ['10', '11', '20', '010', '99']),
  };
}

function transactionOf(draw: Draw, world: World): Record<string, unknown> {
  const trading = world.tradingAccounts.get(keyOf(draw, world.tradingAccounts) ?? '');
  const type = pick(draw, ['Deposit', 'Deposit', 'Withdrawal', 'Credit', 'Debit']);
  return {
    client_reference_id: pick(draw, references),
    account_id: trading?.account_id ?? '1',
    trading_account_id: trading?.id ?? '1',
    currency: 'USD',
    amount: pick(draw, ['10', '0.1', '0.2', '-5.25', '1e3', '12345678901234567890.01', '0', 'x']),
    transaction_type: type,
    ...(draw(3) === 0 ? { method: pick(draw, ['Deposit', 'Withdrawal', 'Bonus']) } : {}),
  };
}

const bodies: Readonly<Partial<Record<OperationName, (draw: Draw, world: World) => object>>> = {
  createAccount: personOf,
  updateAccount: (draw) => ({
    [pick(draw, ['first_name', 'status', 'country', 'email'])]: `v${draw(50)}`,
  }),
  bulkCreateAccounts: (draw) => ({
    accounts: Array.from({ length: draw(5) }, () => personOf(draw)),
  }),
  openPosition: (draw, world) => ({
    trading_account_id: keyOf(draw, world.tradingAccounts) ?? '1',
    instrument: pick(draw, ['EURUSD', 'XAUUSD', '']),
    side: pick(draw, ['buy', 'sell', 'hold']),
    volume: pick(draw, ['1', '0.01', '-1', '0']),
  }),
  closePosition: (draw, world) => {
    const position = world.positions.get(keyOf(draw, world.positions) ?? '');
    return {
      trading_account_id: position?.trading_account_id ?? '1',
      position_id: position?.id ?? '1',
      ...(draw(2) === 0 ? { volume: pick(draw, ['0.01', '5', '1000000']) } : {}),
    };
  },
  createTransaction: transactionOf,
  createWebhook: (draw) => ({
    url: pick(draw, ['https://hooks.example.com/a', 'http://a.example', 'https://127.0.0.1/']),
    event_categories: pick(draw, [['account'], ['account', 'transaction'], [], ['none']]),
  }),
  issueToken: (draw, { credentials }) => {
    const { client_id, client_secret } = credentials.get(keyOf(draw, credentials) ?? '') ?? {};
    return { grant_type: 'client_credentials', client_id, client_secret };
  },
};
const reasonOf = (draw: Draw) => ({ reason: pick(draw, ['because', '', ' ']) });

function targetOf(draw: Draw, world: World, operation: OperationName): string {
  const { path } = operationTable[operation];
  if (path.startsWith('transactions/:id')) {
    const transaction = world.transactions.get(keyOf(draw, world.transactions) ?? '');
    const account = draw(6) === 0 ? '1001' : (transaction?.account_id ?? '1');
    const query = draw(12) === 0 ? '' : `?account_id=${account}`;
    return `/api/v1/${path.replace(':id', transaction?.id ?? '1')}${query}`;
  }
  const records: ReadonlyMap<unknown, unknown> = path.startsWith('accounts')
    ? world.accounts
    : world.subscriptions;
  return `/api/v1/${path.replace(':id', String(keyOf(draw, records) ?? '1'))}`;
}

function headersOf(draw: Draw, world: World, id: string | undefined) {
  const token = keyOf(draw, world.tokens);
  const revision = world.accounts.get(id ?? '')?.revision ?? 1;
  return {
    authorization: draw(20) === 0 ? pick(draw, ['Bearer', 'Bearer no', 'x']) : `Bearer ${token}`,
    'idempotency-key': draw(25) === 0 ? pick(draw, oddHeaders) : `key-${draw(400)}`,
    'content-type': draw(40) === 0 ? pick(draw, ['text/plain', undefined]) : 'application/json',
    'if-match': draw(15) === 0 ? pick(draw, oddHeaders) : `"${revision - (draw(6) === 0 ? 1 : 0)}"`,
  };
}

/** A call of any operation: mostly valid, about a quarter with one unusual value. */
export function makeCall(draw: Draw, world: World, odd?: string | Uint8Array): Call {
  const operation = pick(draw, operationNames);
  const target = draw(20) === 0 ? pick(draw, oddTargets) : targetOf(draw, world, operation);
  const body = (bodies[operation] ?? reasonOf)(draw, world) as Record<string, unknown>;
  if (draw(12) === 0) body[pick(draw, Object.keys(body))] = pick(draw, oddValues);
  if (draw(40) === 0) delete body[pick(draw, Object.keys(body))];
  const kind = draw(16);
  const text = kind === 0 ? pick(draw, oddBodies) : kind === 1 ? (odd ?? '') : JSON.stringify(body);
  return {
    method: draw(25) === 0 ? pick(draw, methods) : operationTable[operation].method,
    target,
    headers: headersOf(draw, world, target.split('/')[4]),
    body: typeof text === 'string' ? new TextEncoder().encode(text) : text,
    ...(draw(200) === 0 ? { oversize: true, body: new Uint8Array(0) } : {}),
  };
}

/** A fault as an operator adds it. */
export function makeFault(draw: Draw): unknown {
  if (draw(3) === 0) {
    const kind = pick(draw, ['drop', 'duplicate', 'bad_signature', 'stale_timestamp', 'delay']);
    const effect = kind === 'delay' ? { kind, ms: 5000 } : { kind };
    return { match: { webhook: true }, effect, times: 1 + draw(3) };
  }
  const effect = pick(draw, [
    { kind: 'status', status: pick(draw, [429, 500, 502, 503, 504]) },
    { kind: 'refuse', code: pick(draw, ['invalid_state', 'unauthorized', 'not_found']) },
    { kind: 'truncate', bytes: pick(draw, [0, 20, 10_000]) },
    { kind: 'slow_body', ms: pick(draw, [0, 5, 10_000]) },
    { kind: 'delay', ms: pick(draw, [0, 1000, 40_000]) },
    { kind: 'hang' },
    { kind: 'reset' },
  ]);
  const match = draw(2) === 0 ? {} : { operation: pick(draw, operationNames) };
  const phase = { refuse: 'before', truncate: 'after', slow_body: 'after' }[effect.kind as string];
  return {
    match,
    phase: phase ?? pick(draw, ['before', 'after']),
    effect,
    times: 1 + draw(3),
    ...(draw(3) === 0 ? { nth: 1 + draw(3) } : {}),
    ...(draw(3) === 0 ? { probability: pick(draw, [0, 0.5, 1]) } : {}),
  };
}

const commands: readonly ((draw: Draw, world: World) => readonly [CommandName, unknown])[] = [
  (draw, world) => ['settle', { id: keyOf(draw, world.transactions) }],
  (draw, world) => {
    const account_id = keyOf(draw, world.accounts) ?? '1';
    return ['createTradingAccount', { account_id, provider_payouts: draw(4) === 0 }];
  },
  (draw, world) => {
    const client_id = keyOf(draw, world.credentials);
    return ['changeCredential', { client_id, rate_per_second: pick(draw, [1, 5, 100_000]) }];
  },
  (draw) => {
    const permissions = { [pick(draw, operationNames)]: draw(3) > 0 };
    return ['changeFirm', { id: '1', permissions, rate_per_second: 1_000_000 }];
  },
  (draw, world) => ['makeEvent', { category: 'account', account_id: keyOf(draw, world.accounts) }],
  (draw, world) => ['resumeSubscription', { id: String(keyOf(draw, world.subscriptions) ?? 1) }],
  (draw, world) => ['retryDelivery', { id: keyOf(draw, world.deliveries) ?? '1' }],
  () => ['clearFaults', undefined],
];

function makeCommand(draw: Draw, world: World, atMs: number): Input {
  // Faults are as frequent as all other commands together.
  const command = commands[draw(14)] ?? (() => ['makeFault', makeFault(draw)] as const);
  const [name, args] = command(draw, world);
  return { kind: 'command', atMs, name, args } as Input;
}

function makeAnswer(draw: Draw, world: World, atMs: number): Input {
  const inFlightOnes = [...world.deliveries.values()].filter(({ in_flight: inFlight }) => inFlight);
  const delivery = pick(draw, inFlightOnes);
  if (delivery === undefined) return { kind: 'time', atMs };
  if (draw(60) === 0) {
    return { kind: 'target-refused', atMs, deliveryId: delivery.id, why: 'it is private now' };
  }
  const status = pick(draw, [200, 204, 302, 500, null]);
  const answer = {
    deliveryId: delivery.id,
    attempt: delivery.attempts.length + 1,
    startedAtMs: atMs,
    status,
    error: status === null ? 'no answer' : null,
    ...{ durationMs: 12, fault: null },
    signature: 't=1,v1=00',
  };
  return { kind: 'answered', atMs, answer };
}

/** The next input: usually a call; otherwise time, a receiver’s response, or a command. */
export function makeInput(draw: Draw, world: World, odd?: string | Uint8Array): Input {
  const atMs = world.nowMs + draw(400);
  const kind = draw(20);
  if (kind === 0) return makeCommand(draw, world, atMs);
  if (kind === 1) return makeAnswer(draw, world, atMs);
  if (kind === 2) {
    const steps = [0, 2000, 30_000, 3_600_000, 86_400_000 / 3, 86_400_000];
    return { kind: 'time', atMs: world.nowMs + pick(draw, steps) };
  }
  return {
    kind: 'call',
    atMs,
    call: makeCall(draw, world, odd),
    facts: { addresses: ['1.1.1.1'] },
  };
}
