// Other answers to open questions: what a setting may be besides, and nothing that a rule forbids.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Difference } from '../compare/difference.ts';
import { flipsFor, isShown } from './flips.ts';

const flips = suite('other answers to open questions');
const difference = { operation: 'createAccount', at: 'status' } as Difference;

flips('the checks stand in another order, but for those that the setting fixes', () => {
  const now = ['route', 'token', 'key', 'rate', 'readable', 'replay', 'scope'];
  const orders = flipsFor(difference, { check_order: now }).flatMap(({ setting, value }) =>
    setting === 'check_order' ? [String(value)] : [],
  );
  assert.equal(orders, [
    'route,key,token,rate,readable,replay,scope',
    'route,token,rate,key,readable,replay,scope',
    'route,token,key,readable,rate,replay,scope',
    'route,token,key,rate,readable,scope,replay',
  ]);
});

flips('a choice is each of the other values, a switch the other way', () => {
  const given = flipsFor(difference, { duplicate_members: 'refused' });
  const of = (name: string) =>
    given.flatMap(({ setting, value }) => (setting === name ? [value] : []));
  assert.equal(of('duplicate_members'), ['last_wins']);
  assert.equal(of('tag_before_no_change').length, 1);
});

flips('how long a rotation lasts is tried where nobody has asked (NS-22)', () => {
  const signed = { operation: 'delivery', at: 'signature' } as Difference;
  const lengths = (...unasked: readonly string[]) =>
    flipsFor(signed, {}, new Set(unasked)).flatMap(({ setting, value }) =>
      setting === 'rotation_overlap_s' ? [value] : [],
    );
  assert.equal(lengths(), []);
  assert.ok(lengths('rotation_overlap_s').includes(900));
  assert.not.ok(isShown({ question: 'NS-22', setting: 'rotation_overlap_s', value: 900 }));
});

flips('how long something takes may be for ever', () => {
  const create = { operation: 'createTransaction', at: 'body.status' } as Difference;
  const delays = (settings: Readonly<Record<string, unknown>>) =>
    flipsFor(create, settings).flatMap(({ setting, value }) =>
      setting === 'settlement_delay_ms' ? [value] : [],
    );
  assert.equal(delays({}), [null]);
  assert.equal(delays({ settlement_delay_ms: null }), []);
});

flips('where a reference of a transaction counts is asked of transactions', () => {
  const create = { operation: 'createTransaction', at: 'status' } as Difference;
  const named = flipsFor(create, {}).filter((each) => /reference_scope/.test(each.setting));
  assert.equal(named, [
    { question: 'NS-20', setting: 'transaction_reference_scope', value: 'account' },
  ]);
});

flips('what an event carries is asked as of the record itself, and no more of the event', () => {
  const named = (at: string) => {
    const delivered = { operation: 'delivery', at } as Difference;
    return flipsFor(delivered, {}).some(({ setting }) => setting === 'account_named_after_email');
  };
  assert.ok(named('envelope.data.first_name'));
  assert.not.ok(named('envelope.seq'));
});

flips.run();
