// Checks which orders of concurrent calls are tried: each distinguishable order once.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallStep, Step, Value } from '../sequence.ts';
import { answered } from '../testing/outcomes.ts';
import { OrderSearch } from './orders.ts';
import type { Player } from './player.ts';

const orders = suite('orders of concurrent calls');

const create = (n: number, reference: string, email: Value): CallStep => ({
  ...{ do: 'call', n, operation: 'createAccount', as: 'm1', key: { $fresh: `k${n}` } },
  body: { client_reference_id: { $fresh: reference }, email },
});

function playerOf(statuses: Readonly<Record<number, number>>): Player {
  const outcomes = Object.entries(statuses).map(
    ([n, status]) => [Number(n), answered(`${status}`, { n: Number(n) })] as const,
  );
  return { outcomes: new Map(outcomes) } as unknown as Player;
}

function countOf(search: OrderSearch): number {
  let count = 1;
  while (search.next()) count += 1;
  return count;
}

const searched = (calls: readonly CallStep[], target: Player, before: readonly Step[] = []) =>
  new OrderSearch({ calls }, before, target);

const crowd = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => create(n, `r${n}`, 'a@example.com'));
const alike = playerOf(Object.fromEntries(crowd.map(({ n }) => [n, 201])));

orders('calls that differ only in fresh names have one order', () => {
  assert.is(countOf(searched(crowd, alike)), 1);
  assert.not(searched(crowd, alike).next(2));
});

orders('a call with a different answer is tried at every place', () => {
  const two = playerOf({ ...Object.fromEntries(crowd.map(({ n }) => [n, 201])), 3: 429, 5: 429 });
  const search = searched(crowd, two);
  const likeliest = [1, 2, 4, 6, 7, 8, 3, 5];
  const labels = () => search.order().map(({ n }) => n);
  assert.equal(labels(), likeliest);
  assert.is(countOf(search), 28);
  search.reset();
  assert.equal(labels(), likeliest);
  assert.ok(search.next(0));
  assert.equal(labels().slice(0, 3), [3, 1, 2]);
});

orders('calls with different bodies are tried in every order', () => {
  const three = [1, 2, 3].map((n) => create(n, 'same', `a${n}@example.com`));
  assert.is(countOf(searched(three, alike)), 6);
});

orders('a name that was used before the calls makes its call distinct', () => {
  const before: readonly Step[] = [create(9, 'r1', 'b@example.com')];
  assert.is(countOf(searched(crowd.slice(0, 3), alike, before)), 3);
});

orders.run();
