// What an open question leaves free, as rows: a call, both answers, and whether the difference is
// open. Each pair of rows shows how far the freedom goes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Headers } from '../../engine/send/headers.ts';
import type { Json } from '../../engine/send/json.ts';
import type { CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import type { Pair } from './projection.ts';
import { excuseFor } from './projection.ts';

interface Row {
  readonly operation: CallStep['operation'];
  readonly target: string;
  readonly model: string;
  readonly path?: string;
  readonly body?: Json;
  readonly tag?: string;
  readonly cites?: readonly string[];
  readonly shows?: Json;
  readonly more?: Partial<Pair>;
}

/** `422 validation_failed`, `400 text`, `201`. */
function answerOf(summary: string, json: Json | undefined, sent: CallOutcome['sent']): CallOutcome {
  const [status = '', code] = summary.split(' ');
  const type = code === 'text' ? 'text/plain' : 'application/problem+json';
  const isProblem = code !== undefined && code !== 'text';
  return {
    ...{ kind: 'answer', n: 1, status: Number(status), sent, sentAtMs: 0, answeredAtMs: 0 },
    headers: new Headers([['content-type', type]]),
    body: Buffer.from(''),
    json: isProblem ? { code } : json,
  };
}

function pairOf(row: Row): Pair {
  const { operation, path = '/', body, tag, cites = [], shows, more } = row;
  const headers: [string, string][] = [['content-type', 'application/json']];
  if (operation === 'updateAccount') headers.push(['if-match', tag ?? '"1"']);
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const sent = { as: 'firm', method: 'POST', target: path, headers, body: bytes };
  const basis = { cites, idempotency: null, step: '' };
  // TXN-4: the currency of the trading account itself.
  const place = { currency: { $of: 9, at: 'currency' }, trading_account_id: { $of: 9, at: 'id' } };
  const said = operation === 'createTransaction' ? { ...place, ...Object(body) } : body;
  const step = { do: 'call', n: 1, operation, as: 'firm', body: said, ifMatch: tag } as CallStep;
  return {
    step,
    target: answerOf(row.target, shows, sent),
    model: { ...answerOf(row.model, shows, sent), basis },
    hasPaused: false,
    ...more,
  };
}

function isOpen(row: Row): boolean {
  const pair = pairOf(row);
  const status = { at: 'status', target: row.target, model: row.model };
  const { operation } = row;
  const texts = { modelAnswer: row.model, targetAnswer: row.target };
  const difference = { n: 1, operation, basis: pair.model.basis, ...texts, ...status };
  return excuseFor(pair, difference) !== undefined;
}

const V422 = '422 validation_failed';
const create = { operation: 'createTransaction', target: V422, model: '201' } as const;
const order = { operation: 'openPosition', target: '201' } as const;
const update = { operation: 'updateAccount', path: '/api/v1/accounts/1' } as const;
const batch = { operation: 'bulkCreateAccounts', model: '200' } as const;
const cancel = { operation: 'cancelTransaction', path: '/cancel?account_id=1' } as const;
const reject = { operation: 'rejectTransaction', path: '/reject?account_id=1' } as const;
const disable = { operation: 'disableWebhook', path: '/api/v1/webhooks/7/disable' } as const;
const read = { operation: 'getWebhook', target: V422, model: '404 not_found' } as const;
const row = { client_reference_id: 'a', email: 'a@example.org', brand_id: '10' };
const delegated = { isDelegated: true };
const used = { operation: 'createAccount', target: '401 unauthorized', model: '201' } as const;
const token = { do: 'call', n: 1, operation: 'createAccount', as: 'firm' } as const;
const issued: CallStep = { ...token, headers: { authorization: 'Bearer x' } };

const OPEN: readonly (readonly [words: string, row: Row])[] = [
  ['a reason of spaces', { ...cancel, target: '200', model: V422, body: { reason: ' ' } }],
  ['a currency of spaces', { ...create, target: '201', model: V422, body: { currency: '  ' } }],
  [
    'a word in another case',
    { ...create, target: '400 text', body: { method: 'deposit' }, model: V422 },
  ],
  [
    'a method that is not named',
    { ...create, target: '400 text', body: { method: 'Cash' }, model: V422 },
  ],
  ['a disabled one is disabled again', { ...disable, target: '409 invalid_state', model: '200' }],
  [
    'a method beside the type',
    { ...create, body: { transaction_type: 'Withdrawal', method: 'Bonus' } },
  ],
  ['a sign beside the type', { ...create, body: { transaction_type: 'Deposit', amount: '-1' } }],
  [
    'money that arrives during the call',
    {
      ...{ operation: 'approveTransaction', target: '200', model: '200' },
      more: { settlesMeanwhile: true, ...statuses('approved', 'settled') },
    },
  ],
  [
    'an empty reason for a rejected one',
    { ...reject, target: V422, model: '200', body: { reason: '' } },
  ],
  [
    'a decision without its account',
    { ...cancel, path: '/cancel', target: '400 text', model: V422 },
  ],
  ['an order of its own form', { ...order, model: V422 }],
  [
    'the market is closed',
    { operation: 'openPosition', target: '409 invalid_state', model: '201' },
  ],
  [
    'the tag of another account',
    { ...update, target: '412 x', model: '200', more: { tagOf: '2' } },
  ],
  ['an id that no number holds', { ...read, path: '/api/v1/webhooks/9007199254740993' }],
  ['an id of a webhook that is a word', { ...read, path: '/api/v1/webhooks/abc' }],
  [
    'a brand that is no id',
    { ...batch, target: '403 forbidden', body: { accounts: [{ ...row, brand_id: '10.0' }] } },
  ],
  ['an empty last name', { ...update, target: '200', model: V422, body: { last_name: '' } }],
  ['an unknown member', { ...update, target: V422, model: '200', body: { shoe_size: 43 } }],
  [
    'an unknown member, refused as unreadable',
    { ...update, target: '400 text', model: '200', body: { shoe_size: 43 } },
  ],
  [
    'an unknown member of a row',
    { ...batch, target: V422, body: { accounts: [{ ...row, shoe_size: 43 }] } },
  ],
  ['a tag that is a word', { ...update, tag: '"x"', target: V422, model: '412 revision_conflict' }],
  [
    'what pays out where type and method gainsay each other',
    {
      ...{ operation: 'approveTransaction', target: '501 not_implemented', model: '200' },
      shows: { transaction_type: 'Deposit', method: 'Withdrawal' },
    },
  ],
  ['a currency that the account has not', { ...create, body: { currency: 'EUR' } }],
  [
    'how a brand of another firm is refused',
    { ...used, target: V422, model: '403 forbidden', cites: ['NS-63'] },
  ],
  ['how long a token lives', { ...used, more: { step: issued, hasPaused: true } }],
  ['an amount of three decimals', { ...create, body: { amount: '0.001' } }],
  ['an amount of sixteen digits', { ...create, body: { amount: '1234567890123456' } }],
  [
    'a name of more than 100 characters',
    { ...update, target: V422, model: '200', body: { first_name: 'a'.repeat(101) } },
  ],
  ['a limit that is met a little sooner', { ...used, target: '429 rate_limited', more: met(4) }],
  ['an account of a trader', { ...used, target: '403 forbidden', more: delegated }],
];

const ACCUSED: readonly (readonly [words: string, row: Row])[] = [
  ['an empty reason', { ...cancel, target: '200', model: V422, body: { reason: '' } }],
  [
    'a blank reference',
    { ...create, target: '201', model: V422, body: { client_reference_id: ' ' } },
  ],
  ['an amount that is a word', { ...create, target: '201', model: V422, body: { amount: 'x' } }],
  [
    'a read of a disabled one',
    {
      operation: 'getWebhook',
      target: '409 invalid_state',
      model: '200',
      path: '/api/v1/webhooks/7',
    },
  ],
  [
    'a method that fits',
    { ...create, body: { transaction_type: 'Deposit', amount: '1', method: 'Bonus' } },
  ],
  [
    'money that was not approved',
    {
      operation: 'approveTransaction',
      target: '200',
      model: '200',
      more: { settlesMeanwhile: true, ...statuses('pending', 'settled') },
    },
  ],
  ['disabling that finds nothing', { ...disable, target: '404 not_found', model: '200' }],
  ['a reason that is there', { ...reject, target: V422, model: '200', body: { reason: 'late' } }],
  [
    'a decision that needs no reason',
    { operation: 'approveTransaction', path: '/approve?account_id=1', target: V422, model: '200' },
  ],
  [
    'a decision without its account, served',
    { ...cancel, path: '/cancel', target: '200', model: V422 },
  ],
  ['an order at an unknown account', { ...order, model: '404 not_found' }],
  [
    'the tag of the account itself',
    { ...update, target: '412 x', model: '200', more: { tagOf: '1' } },
  ],
  ['an id that a number holds', { ...read, path: '/api/v1/webhooks/7' }],
  ['a brand that is an id', { ...batch, target: '403 forbidden', body: { accounts: [row] } }],
  ['a last name', { ...update, target: '200', model: V422, body: { last_name: 'Ada' } }],
  [
    'an unknown member and a conflict',
    { ...update, target: '409 invalid_state', model: '200', body: { shoe_size: 43 } },
  ],
  [
    'known members',
    { ...update, target: V422, model: '200', body: { country: 'NO', language: 'nb' } },
  ],
  ['rows of known members', { ...batch, target: V422, body: { accounts: [row] } }],
  [
    'a tag that is a revision',
    { ...update, tag: '"7"', target: V422, model: '412 revision_conflict' },
  ],
  [
    'a withdrawal that is paid out',
    {
      ...{ operation: 'approveTransaction', target: '501 not_implemented', model: '200' },
      shows: { transaction_type: 'Withdrawal', method: 'Withdrawal' },
    },
  ],
  [
    'a brand of another firm is served',
    { ...used, target: '201', model: '403 forbidden', cites: ['NS-63'] },
  ],
  [
    'a token that the target called valid',
    { ...used, more: { step: issued, hasPaused: true, isTokenLive: true } },
  ],
  ['an amount of two decimals', { ...create, body: { amount: '0.01' } }],
  ['an amount of fifteen digits', { ...create, body: { amount: '123456789012345' } }],
  [
    'an amount of three decimals is not found',
    { ...create, target: '404 not_found', body: { amount: '0.001' } },
  ],
  ['a limit that is met much sooner', { ...used, target: '429 rate_limited', more: met(2) }],
  [
    'a name of 20 characters',
    { ...update, target: V422, model: '200', body: { first_name: 'a'.repeat(20) } },
  ],
];

/** LIM-2: after so many of five calls in a second. */
function met(served: number): Partial<Pair> {
  return { metered: { served, perSecond: 5 } };
}

function statuses(target: string, model: string): Partial<Pair> {
  const answer = { operation: 'approveTransaction', target: '200', model: '200' } as const;
  const [own, other] = [target, model].map((status) => pairOf({ ...answer, shows: { status } }));
  return { target: own!.target, model: other!.model };
}

const projection = suite('what open questions leave free');

for (const [words, given] of OPEN) {
  projection(`open: ${words}`, () => assert.ok(isOpen(given)));
}
for (const [words, given] of ACCUSED) {
  projection(`accused: ${words}`, () => assert.not(isOpen(given)));
}

const shown = (operation: 'openPosition', target: string): boolean => {
  const pair = pairOf({ operation, target: '201', model: '201' });
  const texts = { modelAnswer: '201', targetAnswer: '201' };
  const at = { at: 'body.volume', target, model: '"0.0000001"' };
  return excuseFor(pair, { n: 1, operation, basis: undefined, ...texts, ...at }) !== undefined;
};

projection('CONV-2a: the form of an order is open, but its decimals have no exponent', () => {
  assert.ok(shown('openPosition', '"0.1"'));
  assert.not(shown('openPosition', '"1e-7"'));
});

projection('NS-30: what is refused for want of a scope may run when the scope is there', () => {
  const refused = pairOf({ ...used, target: '403 forbidden', model: '403 forbidden' }).model;
  const replayed = (step: string) => {
    const basis = { cites: [], idempotency: 'replayed', step: '' } as const;
    const first = { ...refused, basis: { cites: [], idempotency: 'first', step } as const };
    const more = { model: { ...refused, basis }, first };
    return isOpen({ ...used, target: '201', model: '403 forbidden', more });
  };
  assert.equal([replayed('scope'), replayed('state')], [true, false]);
});

projection('NS-30: what one side refuses as unreadable may be kept under its key', () => {
  const problem = pairOf({ ...update, target: V422, model: V422 });
  const text = pairOf({ ...update, target: '422 text', model: '422 text' });
  const open = (target: Pair, model: Pair) =>
    isOpen({
      ...{ ...update, target: V422, model: '200' },
      more: { again: { target: target.target, model: model.model } },
    });
  assert.equal(
    [open(problem, text), open(text, text), open(problem, problem)],
    [true, true, false],
  );
});

projection.run();
