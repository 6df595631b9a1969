// Checks which values count as equal: names one to one, amounts by value, times by offset, and any
// wording.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../engine/send/json.ts';
import { reason, type Shape, SUCCESS, sequenceNumber, time } from './shapes.ts';
import { type Comparing, Match, type Sides } from './sides.ts';

const compare = suite('explore compare');

const comparing = (): Comparing => ({
  ...({} as Sides),
  ...{ match: new Match(), offsetMs: 1000, isSteady: true, seqName: 'seq' },
});

type Members = { [name: string]: Json };
const account = (over: Members = {}): Members => ({
  ...{ id: '1001', revision: 1, client_reference_id: 'a', first_name: 'Ada', last_name: '' },
  ...{ phone: null, country: null, language: null, status: 'New', brand_id: '10', firm_id: '1' },
  ...over,
});

const { createAccount: ACCOUNT, createTransaction: TRANSACTION } = SUCCESS;
const at = (shape: Shape, target: Json, model: Json, with_ = comparing()) =>
  shape(target, model, 'body', with_)?.at ?? null;

compare('names are paired one to one', () => {
  const with_ = comparing();
  assert.is(at(ACCOUNT, account({ id: '5' }), account(), with_), null);
  assert.is(at(ACCOUNT, account({ id: '5' }), account(), with_), null);
  assert.is(at(ACCOUNT, account({ id: '6' }), account(), with_), 'body.id');
  assert.is(at(ACCOUNT, account({ id: '5' }), account({ id: '1002' }), with_), 'body.id');
});

compare('an id is a decimal string, not a number and not a word', () => {
  assert.is(at(ACCOUNT, account({ id: 5 }), account()), 'body.id');
  assert.is(at(ACCOUNT, account({ id: 'acc_5' }), account()), 'body.id');
});

compare('members that the model lacks are ignored, unless they are forbidden', () => {
  assert.is(at(ACCOUNT, account({ created_at: 1 }), account()), null);
  assert.is(at(ACCOUNT, account({ email: 'a@b' }), account()), 'body.email');
  const { phone, ...lacking } = account();
  assert.is(at(ACCOUNT, lacking, account()), 'body.phone');
});

compare('no difference contains a secret', () => {
  const { getWebhook, rotateWebhookSecret } = SUCCESS;
  const read = { id: 1, disabled: false };
  const found = getWebhook({ ...read, secret: 'whsec_1' }, read, 'body', comparing());
  assert.is(found?.at, 'body.secret');
  assert.not.match(JSON.stringify(found), /whsec/);
  const with_ = comparing();
  const rotated = (target: string, model: string) =>
    rotateWebhookSecret({ secret: target }, { secret: model }, 'body', with_);
  assert.is(rotated('whsec_1', 'whsec_a'), null);
  assert.equal(rotated('whsec_1', 'whsec_b'), {
    ...{ at: 'body.secret', target: 'one given before', model: 'a new one' },
  });
});

compare('times by their offset, amounts by their value', () => {
  const transaction = (over: Members): Json => ({
    ...{ id: '1', account_id: '2', trading_account_id: '3', currency: 'USD', amount: '25.00' },
    ...{ method: 'Deposit', transaction_type: 'Deposit', status: 'pending', is_ftd: false },
    ...{ created_at: 5000, ...over },
  });
  const same = (over: Members) =>
    at(TRANSACTION, transaction({ created_at: 6000, ...over }), transaction({}));
  const alike = [
    {},
    { created_at: 6003 },
    { amount: '25' },
    { amount: '025.0' },
    { currency: ' usd' },
  ];
  for (const over of alike) assert.is(same(over), null, JSON.stringify(over));
  const [zero, minusZero] = ['0.00', '-0'].map((amount) => transaction({ amount, created_at: 0 }));
  assert.is(at(TRANSACTION, minusZero!, zero!, { ...comparing(), offsetMs: 0 }), null);
  for (const over of [
    { created_at: 6 },
    { amount: '25.10' },
    { amount: '-25' },
    { amount: 25 },
    { currency: 'EUR' },
  ]) {
    assert.is(same(over), `body.${Object.keys(over)[0]}`, JSON.stringify(over));
  }
});

compare('of a list only the known records are compared', () => {
  const with_ = comparing();
  with_.match.pair('subscription', '7', '70');
  const subscription = (id: number, disabled: boolean, createdAt = 1000): Json => ({
    ...{ id, url: 'https://a.example', brand_id: null, event_categories: ['account'] },
    ...{ disabled, disabled_reason: null, last_delivered_seq: 0, created_at: createdAt },
  });
  const list = (...all: Json[]): Json => ({ webhooks: all });
  const model = list(subscription(70, false, 0), subscription(71, false, 0));
  const shape = SUCCESS.listWebhooks;
  assert.is(at(shape, list(subscription(9, true), subscription(7, false)), model, with_), null);
  assert.is(at(shape, list(subscription(7, true)), model, with_), 'body.*.disabled');
  assert.is(at(shape, list(subscription(9, false)), model, with_), 'body');
});

compare('last_delivered_seq is the number of the same event while all are taken', () => {
  const delivered = (target: readonly number[], model: readonly number[], isAll = true) => ({
    ...comparing(),
    delivered: () => ({ target, model, isAll }),
  });
  assert.is(at(sequenceNumber, 5, 50, delivered([5], [50])), null);
  assert.is(at(sequenceNumber, 6, 50, delivered([5, 6], [50, 60])), 'body');
  assert.is(at(sequenceNumber, 5, 50, delivered([5, 6], [50])), null);
  assert.is(at(sequenceNumber, 6, 60, delivered([], [])), null);
  assert.is(at(sequenceNumber, 0, 50, delivered([5], [50])), 'body');
  // NS-28: after a failure any number up to the last delivered one may be right.
  assert.is(at(sequenceNumber, 6, 0, delivered([6], [], false)), null);
  assert.is(at(sequenceNumber, 7, 0, delivered([6], [], false)), 'body');
  assert.is(at(sequenceNumber, 1, 0, delivered([], [], false)), 'body');
  // The same is true while events are in flight.
  const atOnce = { ...comparing(), isAtOnce: true };
  assert.is(at(sequenceNumber, 0, 50), 'body');
  assert.is(at(sequenceNumber, 0, 50, atOnce), null);
  assert.is(at(sequenceNumber, 'none', 50, atOnce), 'body');
});

// NS-2
compare('in a shared list, a record may be on another page', () => {
  const steady = comparing();
  steady.match.pair('account', '5', '1001');
  const row = { record_id: 1001, account_id: 1001 };
  const [none, one] = [{ accounts: [] }, { accounts: [{ ...account(), ...row }] }];
  assert.is(at(SUCCESS.listAccounts, none, one, steady), 'body');
  assert.is(at(SUCCESS.listAccounts, none, one, { ...steady, isSteady: false }), null);
  const outsiders = (count: number) => ({
    accounts: Array.from({ length: count }, (_, each) => ({ ...row, record_id: 7000 + each })),
  });
  assert.is(at(SUCCESS.listAccounts, outsiders(100), one, steady), null);
  for (const count of [5, 9, 103]) {
    assert.is(at(SUCCESS.listAccounts, outsiders(count), one, steady), 'body');
  }
});

// HOOK-11
compare('a duplicate in a list is a difference', () => {
  const known = comparing();
  known.match.pair('subscription', '5', '1001');
  const row = { id: 5, disabled: false };
  const model = { webhooks: [{ ...row, id: 1001 }] };
  assert.is(at(SUCCESS.listWebhooks, { webhooks: [row, row] }, model, known), 'body');
  const [once, other] = [row, { ...row, id: 6 }];
  assert.is(at(SUCCESS.listWebhooks, { webhooks: [once, other, other] }, model, known), null);
});

compare('a name derived from the email may be in either member, if that is open', () => {
  const model = account({ first_name: 'ada@example.com', last_name: '' });
  const target = account({ first_name: null, last_name: 'ada@example.com' });
  assert.is(at(ACCOUNT, target, model), 'body.first_name');
  const open = { ...comparing(), mayBeAfterEmail: (text: string) => text === 'ada@example.com' };
  assert.is(at(ACCOUNT, target, model, open), null);
  const given = account({ first_name: 'Eva', last_name: null });
  assert.is(at(ACCOUNT, given, model, open), 'body.first_name');
});

compare('a subscription needs a reason if its target was at fault', () => {
  const at_ = (target: Json, model: Json) => at(reason, target, model);
  assert.is(at_(null, 'Disabled by request.'), null);
  assert.is(at_('as you wish', 'Disabled by request.'), null);
  assert.is(at_(null, 'The target is not public.'), 'body');
  assert.is(at_('as you wish', null), 'body');
});

compare('a phone is the same number, and in the same form if the form is known', () => {
  const [model, target] = ['+447911123456', '+44 7911 123456'].map((phone) => account({ phone }));
  assert.is(at(ACCOUNT, target!, model!), 'body.phone');
  const open = { ...comparing(), isPhoneFormOpen: true };
  assert.is(at(ACCOUNT, target!, model!, open), null);
  assert.is(at(ACCOUNT, account({ phone: '+44 1' }), model!, open), 'body.phone');
});

compare('times in milliseconds may have a resolution of one second', () => {
  const isAt = (target: number) => at(time, target, 1_234_567) === null;
  assert.equal([1_235_000, 1_235_001, 1_233_000].map(isAt), [true, false, false]);
});

compare.run();
