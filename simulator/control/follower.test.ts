// The stream for one reader: in order, bounded, told of what was lost, ended by either side.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Follower, type StreamItem } from './follower.ts';

const follow = suite('control: follow');

function begin() {
  let add: (item: StreamItem) => void = () => {};
  let end = () => {};
  let stopped = 0;
  const follower = new Follower((adding, ending) => {
    add = adding;
    end = ending;
    return () => {
      stopped += 1;
    };
  });
  return {
    follower,
    addItem: (item: StreamItem) => add(item),
    add: (json: string | null) => add({ kind: 'thing', show: () => json }),
    end: () => end(),
    stops: () => stopped,
  };
}

const frame = (id: number, json: string) => `id: ${id}\nevent: thing\ndata: ${json}\n\n`;

follow('gives what happened, then waits for more', async () => {
  const { follower, add, end } = begin();
  add('1');
  add('2');
  assert.equal(await follower.next(), { done: false, value: frame(1, '1') + frame(2, '2') });
  const waiting = follower.next();
  add(null);
  add('3');
  assert.equal(await waiting, { done: false, value: frame(3, '3') });
  end();
  assert.equal(await follower.next(), { done: true, value: undefined });
});

follow('prints only when it is read', async () => {
  const { follower, addItem } = begin();
  let printed = 0;
  const print = () => {
    printed += 1;
    return '0';
  };
  for (let n = 0; n < 5; n += 1) addItem({ kind: 'thing', show: print });
  assert.is(printed, 0);
  await follower.next();
  assert.is(printed, 5);
  addItem({ kind: 'thing', show: print });
  await follower.return();
  assert.is(printed, 5);
});

follow('a slow reader loses the oldest and is told how many', async () => {
  const { follower, add } = begin();
  for (let n = 1; n <= 2600; n += 1) add(String(n));
  const { value = '' } = await follower.next();
  const first = value.split('\n\n')[0] ?? '';
  assert.match(first, /^id: 1\nevent: lost\ndata: \{"count":(\d+)\}$/);
  const lost = Number(/\d+(?=\}$)/.exec(first)?.[0]);
  assert.ok(lost >= 1600 && lost < 2600, String(lost));
  assert.match(value, new RegExp(`id: 2\nevent: thing\ndata: ${lost + 1}\n`));
  let last = value;
  let kept = value.match(/event: thing/g)?.length ?? 0;
  while (!last.includes('data: 2600\n')) {
    last = (await follower.next()).value ?? '';
    kept += last.match(/event: thing/g)?.length ?? 0;
  }
  assert.is(kept + lost, 2600);
  await follower.return();
});

follow('stops following once, whichever side ends it', async () => {
  const left = begin();
  const waiting = left.follower.next();
  await left.follower.return();
  assert.equal(await waiting, { done: true, value: undefined });
  left.end();
  assert.is(left.stops(), 1);
  const right = begin();
  right.add('1');
  right.end();
  assert.equal(await right.follower.next(), { done: false, value: frame(1, '1') });
  assert.equal(await right.follower.next(), { done: true, value: undefined });
  await right.follower.return();
  assert.is(right.stops(), 1);
});

follow.run();
