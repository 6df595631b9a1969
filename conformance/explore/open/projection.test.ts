// The freedom that open questions leave, as rows: a call, both answers, and whether the difference
// is open. Each pair of rows shows the limit of that freedom.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HeaderLine } from '../../engine/send/headers.ts';
import type { Json } from '../../engine/send/json.ts';
import type { CallStep } from '../sequence.ts';
import { answered } from '../testing/outcomes.ts';
import { excuseFor, type Pair } from './projection.ts';

interface Call {
  readonly operation: CallStep['operation'];
  readonly path?: string;
}

interface More extends Partial<Pair> {
  readonly path?: string;
  readonly body?: Json;
  readonly tag?: string;
  readonly cites?: readonly string[];
  readonly isReplayed?: boolean;
  /** Members that both answers contain. */
  readonly shows?: Json;
}

type Row = readonly [words: string, call: Call, target: string, model: string, more?: More];

function pairOf([, call, target, model, given = {}]: Row): Pair {
  const { operation } = call;
  const {
    path = call.path ?? '/',
    body,
    tag,
    cites = [],
    isReplayed = false,
    shows,
    ...more
  } = given;
  const tagged: HeaderLine[] = operation === 'updateAccount' ? [['if-match', tag ?? '"1"']] : [];
  const sent: HeaderLine[] = [['content-type', 'application/json'], ...tagged];
  const request = { target: path, sent, sentBody: body, json: shows };
  const basis = { cites, idempotency: isReplayed ? ('replayed' as const) : null };
  // TXN-4: the currency of the trading account itself.
  const place = { currency: { $of: 9, at: 'currency' }, trading_account_id: { $of: 9, at: 'id' } };
  const said = operation === 'createTransaction' ? { ...place, ...Object(body) } : body;
  const step = { do: 'call', n: 1, operation, as: 'firm', body: said, ifMatch: tag } as CallStep;
  const answers = {
    target: answered(target, request),
    model: answered(model, { ...request, basis }),
  };
  return { step, ...answers, hasPaused: false, ...more };
}

function isOpen(row: Row, at = 'status', target = row[2], model = row[3]): boolean {
  const pair = pairOf(row);
  const { operation } = row[1];
  const texts = { at, target, model, modelAnswer: row[3], targetAnswer: row[2] };
  return excuseFor(pair, { n: 1, operation, basis: pair.model.basis, ...texts }) !== undefined;
}

const [V422, N404, C409] = ['422 validation_failed', '404 not_found', '409 invalid_state'] as const;
const N501 = '501 not_implemented';
const create: Call = { operation: 'createTransaction' };
const order: Call = { operation: 'openPosition' };
const update: Call = { operation: 'updateAccount', path: '/api/v1/accounts/1' };
const batch: Call = { operation: 'bulkCreateAccounts' };
const approve: Call = { operation: 'approveTransaction', path: '/approve?account_id=1' };
const cancel: Call = { operation: 'cancelTransaction', path: '/cancel?account_id=1' };
const reject: Call = { operation: 'rejectTransaction', path: '/reject?account_id=1' };
const disable: Call = { operation: 'disableWebhook', path: '/api/v1/webhooks/7/disable' };
const subscribe: Call = { operation: 'createWebhook', path: '/api/v1/webhooks' };
const read: Call = { operation: 'getWebhook', path: '/api/v1/webhooks/7' };
const account: Call = { operation: 'createAccount' };
const row = { client_reference_id: 'a', email: 'a@example.org', brand_id: '10' };
const token = { do: 'call', n: 1, operation: 'createAccount', as: 'firm' } as const;
const issued: CallStep = { ...token, headers: { authorization: 'Bearer x' } };
const afterPause: More = { step: issued, hasPaused: true };
const [U401, L429, F403] = ['401 unauthorized', '429 rate_limited', '403 forbidden'] as const;

const of = (body: Json): More => ({ body });
const typed = (type: string, more: object): More => of({ transaction_type: type, ...more });
const shown = (type: string): More => ({ shows: { transaction_type: type, method: 'Withdrawal' } });
const replayed: More = { isReplayed: true };
const rows = (over: object): More => ({ body: { accounts: [{ ...row, ...over }] } });
/** LIM-2: after this many calls of a credential with an allowance of five a second. */
const after = (served: number, least = served): More => ({
  metered: { served, least, perSecond: 5 },
});

/** NS-3: the money of a concurrent call may settle in the meantime. */
function statuses(target: string, model: string): More {
  const [own, other] = [target, model].map((status) =>
    pairOf(['', approve, '200', '200', { shows: { status } }]),
  );
  return { maySettle: true, target: own!.target, model: other!.model };
}

const OPEN: readonly Row[] = [
  ['a reason of spaces', cancel, '200', V422, of({ reason: ' ' })],
  ['a currency of spaces', create, '201', V422, of({ currency: '  ' })],
  ['a word in another case', create, '400 text', V422, of({ method: 'deposit' })],
  ['a method that is not named', create, '400 text', V422, of({ method: 'Cash' })],
  ['a disabled one is disabled again', disable, C409, '200', { cites: ['HOOK-13'] }],
  ['markup in a name', account, V422, '201', of({ first_name: '<b>' })],
  ['a long email', account, V422, '201', of({ email: `${'x'.repeat(60)}@example.com` })],
  ['a method beside the type', create, V422, '201', typed('Withdrawal', { method: 'Bonus' })],
  ['a sign beside the type', create, V422, '201', typed('Deposit', { amount: '-1' })],
  ['a repeat after a scope was taken', account, F403, '201', { ...replayed, isRescoped: true }],
  ['one subscription too many', subscribe, C409, '201', { hooks: 10 }],
  ['an empty reason for a rejected one', reject, V422, '200', of({ reason: '' })],
  ['a decision without its account', cancel, '400 text', V422, { path: '/cancel' }],
  ['an order of its own form', order, '201', V422],
  ['the market is closed', order, C409, '201'],
  ['the tag of another account', update, '412 x', '200', { tagOf: '2' }],
  ['a tag that no answer has shown', update, '412 x', '200', { tag: '"1"' }],
  ['an id that no number holds', read, V422, N404, { path: '/api/v1/webhooks/9007199254740993' }],
  ['an id of a webhook that is a word', read, V422, N404, { path: '/api/v1/webhooks/abc' }],
  ['a brand that is no id', batch, F403, '200', rows({ brand_id: '10.0' })],
  ['an empty last name', update, '200', V422, of({ last_name: '' })],
  ['an unknown member', update, V422, '200', of({ shoe_size: 43 })],
  ['an unknown member, refused as unreadable', update, '400 text', '200', of({ shoe_size: 43 })],
  ['an unknown member of a row', batch, V422, '200', rows({ shoe_size: 43 })],
  ['a tag that is a word', update, V422, '412 revision_conflict', { tag: '"x"' }],
  ['what pays out by its method alone', approve, N501, '200', shown('Deposit')],
  ['a currency that the account has not', create, V422, '201', of({ currency: 'EUR' })],
  ['how a brand of another firm is refused', account, V422, F403, { cites: ['NS-63'] }],
  ['how long a token lives', account, U401, '201', afterPause],
  ['an amount of three decimals', create, V422, '201', of({ amount: '0.001' })],
  ['an amount below ten', create, V422, '201', of({ amount: '0.05' })],
  ['an amount of fifteen digits', create, V422, '201', of({ amount: '123456789012345' })],
  ['an amount of sixteen digits', create, V422, '201', of({ amount: '1234567890123456' })],
  ['a name of 101 characters', update, V422, '200', of({ first_name: 'a'.repeat(101) })],
  ['a limit that is met a little sooner', account, L429, '201', after(4)],
  ['a limit that is met a little later', account, '201', L429, after(8)],
  ['a limit that repeats do not meet', account, '201', L429, after(12, 5)],
  ['a tag before a decision on money', update, '412 x', '200', { tagOf: '1', isDecidedOn: true }],
  ['an account of a trader', account, F403, '201', { isDelegated: true }],
];

const ACCUSED: readonly Row[] = [
  ['an enabled one is disabled', disable, C409, '200', { cites: ['HOOK-5'] }],
  ['a usual name', account, V422, '201', of({ first_name: 'text1-0123456789' })],
  ['a usual email', account, V422, '201', of({ email: 'mail1-0123456789@explore.example.com' })],
  ['an empty reason', cancel, '200', V422, of({ reason: '' })],
  ['a blank reference', create, '201', V422, of({ client_reference_id: ' ' })],
  ['an amount that is a word', create, '201', V422, of({ amount: 'x' })],
  ['a read of a disabled one', read, C409, '200'],
  ['a method that fits', create, V422, '201', typed('Deposit', { amount: '25', method: 'Bonus' })],
  ['a repeat with every scope', account, F403, '201', replayed],
  ['the first subscription', subscribe, C409, '201', { hooks: 0 }],
  ['money that was not approved', approve, '200', '200', statuses('pending', 'settled')],
  ['disabling that finds nothing', disable, N404, '200'],
  ['a reason that is there', reject, V422, '200', of({ reason: 'late' })],
  ['a decision that needs no reason', approve, V422, '200'],
  ['a decision without its account, served', cancel, '200', V422, { path: '/cancel' }],
  ['an order at an unknown account', order, '201', N404],
  ['the tag of the account itself', update, '412 x', '200', { tagOf: '1' }],
  ['an id that a number holds', read, V422, N404],
  ['a brand that is an id', batch, F403, '200', rows({})],
  ['a last name', update, '200', V422, of({ last_name: 'Ada' })],
  ['an unknown member and a conflict', update, C409, '200', of({ shoe_size: 43 })],
  ['known members', update, V422, '200', of({ country: 'NO', language: 'nb' })],
  ['rows of known members', batch, V422, '200', rows({})],
  ['a tag that is a revision', update, V422, '412 revision_conflict', { tag: '"7"' }],
  ['a withdrawal that is paid out', approve, N501, '200', shown('Withdrawal')],
  ['a brand of another firm is served', account, '201', F403, { cites: ['NS-63'] }],
  ['a token that was called valid', account, U401, '201', { ...afterPause, isTokenLive: true }],
  ['an amount of two decimals', create, V422, '201', of({ amount: '25.01' })],
  ['an amount of three decimals is not found', create, N404, '201', of({ amount: '0.001' })],
  ['a limit that is met much sooner', account, L429, '201', after(2)],
  ['a limit that is met much later', account, '201', L429, after(9)],
  ['a name of 20 characters', update, V422, '200', of({ first_name: 'a'.repeat(20) })],
];

const projection = suite('freedom of open questions');

for (const each of OPEN) projection(`open: ${each[0]}`, () => assert.ok(isOpen(each)));
for (const each of ACCUSED) projection(`accused: ${each[0]}`, () => assert.not(isOpen(each)));

projection('NS-3: only the state of money that arrives during the call is open', () => {
  const arriving: Row = ['', approve, '200', '200', statuses('approved', 'settled')];
  for (const at of ['body.status', 'body.is_ftd']) assert.ok(isOpen(arriving, at), at);
  for (const at of ['body.amount', 'body.id']) assert.not(isOpen(arriving, at), at);
});

projection('NS-5: only the state and revision of an account may follow its money', () => {
  const isOpenAt = (at: string, isDecidedOn = true) =>
    isOpen(['', account, '200', '200', { isDecidedOn }], at);
  for (const at of ['body.status', 'body.revision']) assert.ok(isOpenAt(at), at);
  assert.not(isOpenAt('body.first_name'));
  assert.not(isOpenAt('body.status', false));
});

projection('IDEM-6b: a row of a batch may have to be sent again', () => {
  const isOpenAs = (code: string, status: number) => {
    const shows = { rows: [{ status, code }] };
    const { target } = pairOf(['', batch, '200', '200', { shows }]);
    return isOpen(['', batch, '200', '200', { target, body: {} }], 'body.rows.0.status');
  };
  assert.equal([isOpenAs('write_contention', 503), isOpenAs('not_found', 404)], [true, false]);
});

projection(
  'the rows of one person may be processed in any order, whatever the form of a phone',
  () => {
    const isOpenWith = (phone: string) => {
      const accounts = ['(+44) 7465-229-398', phone].map((each) => ({ ...row, phone: each }));
      const body = {
        accounts: accounts.map((each, at) => ({
          ...each,
          client_reference_id: `${at}`,
          email: `${at}@a.example`,
        })),
      };
      const [target, model] = [
        [409, 201],
        [201, 409],
      ].map((statuses) =>
        answered('200', { sentBody: body, json: { rows: statuses.map((status) => ({ status })) } }),
      );
      return isOpen(
        ['', batch, '200', '200', { target: target!, model: model! }],
        'body.rows.0.status',
      );
    };
    assert.ok(isOpenWith('07465 229 398'));
  },
);

projection('CONV-2a: the form of an order is open, but its decimals have no exponent', () => {
  const isOpenAs = (target: string) =>
    isOpen(['', order, '201', '201'], 'body.volume', target, '"0.0000001"');
  assert.equal(['"0.1"', '"1e-7"'].map(isOpenAs), [true, false]);
});

projection('NS-30: a call refused for a missing scope may run once the scope is granted', () => {
  const refused = pairOf(['', account, F403, F403]).model;
  const replayed = (step: string) => {
    const basis = { cites: [], idempotency: 'replayed', step: '' } as const;
    const first = { ...refused, basis: { cites: [], idempotency: 'first', step } as const };
    return isOpen(['', account, '201', F403, { model: { ...refused, basis }, first }]);
  };
  assert.equal([replayed('scope'), replayed('state')], [true, false]);
});

projection('NS-30: a body that one side refuses as malformed may be stored under its key', () => {
  const problem = pairOf(['', update, V422, V422]);
  const text = pairOf(['', update, '422 text', '422 text']);
  const open = ({ target }: Pair, { model }: Pair) =>
    isOpen(['', update, V422, '200', { again: { target, model } }]);
  for (const own of [problem, text]) assert.ok(open(own, text));
  assert.not(open(problem, problem));
});

projection.run();
