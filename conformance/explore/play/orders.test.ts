// Checks which orders of calls at once are tried: each that may tell, and none twice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Headers } from '../../engine/send/headers.ts';
import type { CallStep, Step, Value } from '../sequence.ts';
import { OrderSearch } from './orders.ts';
import type { CallOutcome } from './outcome.ts';
import type { Player } from './player.ts';

const orders = suite('orders of calls at once');

const create = (n: number, reference: string, email: Value): CallStep => ({
  ...{ do: 'call', n, operation: 'createAccount', as: 'm1', key: { $fresh: `k${n}` } },
  body: { client_reference_id: { $fresh: reference }, email },
});

function answered(statuses: Readonly<Record<number, number>>): Player {
  const outcomes = Object.entries(statuses).map(([n, status]): [number, CallOutcome] => [
    Number(n),
    {
      ...{ kind: 'answer', n: Number(n), status, sentAtMs: 0, answeredAtMs: 0, json: undefined },
      sent: { as: 'firm', method: 'POST', target: '/', headers: [], body: undefined },
      headers: new Headers([]),
      body: new Uint8Array(0),
    },
  ]);
  return { outcomes: new Map(outcomes) } as unknown as Player;
}

function countOf(search: OrderSearch): number {
  let count = 1;
  while (search.another()) count += 1;
  return count;
}

const crowd = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => create(n, `r${n}`, 'a@example.com'));
const alike = answered(Object.fromEntries(crowd.map(({ n }) => [n, 201])));

orders('calls alike except for names of their own have one order', () => {
  assert.is(countOf(new OrderSearch(crowd, alike)), 1);
  assert.not(new OrderSearch(crowd, alike).refuse(2));
});

orders('of those that were answered otherwise every place is tried', () => {
  const two = answered({ ...Object.fromEntries(crowd.map(({ n }) => [n, 201])), 3: 429, 5: 429 });
  const search = new OrderSearch(crowd, two);
  assert.equal(
    search.order().map(({ n }) => n),
    [1, 2, 4, 6, 7, 8, 3, 5],
  );
  assert.is(countOf(search), 28);
});

orders('calls that say different things stand in every order', () => {
  const three = [1, 2, 3].map((n) => create(n, 'same', `a${n}@example.com`));
  assert.is(countOf(new OrderSearch(three, alike)), 6);
});

orders('a name that was met before the calls makes its call no twin of another', () => {
  const before: readonly Step[] = [create(9, 'r1', 'b@example.com')];
  assert.is(countOf(new OrderSearch(crowd.slice(0, 3), alike, before)), 3);
});

orders('a create under a known reference has to do with what names its record by its id', () => {
  const before: readonly Step[] = [create(9, 'same', 'b@example.com')];
  const update: CallStep = {
    ...{ do: 'call', n: 1, operation: 'updateAccount', as: 'm1', key: { $fresh: 'k' } },
    ...{ id: { $of: 9, at: 'id' }, body: { status: 'One' } },
  };
  const both = answered({ 1: 200, 2: 200 });
  const related = [update, create(2, 'same', 'a@example.com')].map((each) => ({
    ...each,
    as: 'firm',
  }));
  assert.is(countOf(new OrderSearch(related, both, before)), 2);
  const apart = [update, create(2, 'other', 'a@example.com')].map((each) => ({
    ...each,
    as: 'firm',
  }));
  assert.is(countOf(new OrderSearch(apart, both, before)), 1);
});

orders.run();
