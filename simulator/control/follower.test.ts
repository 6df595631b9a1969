// The stream of one reader: ordered, bounded, with a count of lost events.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type StreamItem, streamItems } from './follower.ts';

const follow = suite('control: follow');

function begin() {
  let add: (item: StreamItem) => void = () => {};
  let end = () => {};
  let isStopped = false;
  const pieces = streamItems((adding, ending) => {
    add = adding;
    end = ending;
    return () => {
      isStopped = true;
    };
  })[Symbol.asyncIterator]();
  return {
    /** The next chunk; undefined at the end. */
    next: async () => {
      const { done, value } = await pieces.next();
      return done ? undefined : String(value);
    },
    add: (json: string | undefined) => add({ kind: 'thing', show: () => json }),
    end: () => end(),
    isStopped: () => isStopped,
  };
}

const frame = (id: number, json: string) => `id: ${id}\nevent: thing\ndata: ${json}\n\n`;

follow('the stream yields past events, then waits for more, and ends with its source', async () => {
  const { next, add, end, isStopped } = begin();
  add('1');
  add('2');
  assert.is(await next(), frame(1, '1') + frame(2, '2'));
  const waiting = next();
  await new Promise(setImmediate);
  add(undefined);
  add('3');
  assert.is(await waiting, frame(3, '3'));
  end();
  assert.ok(isStopped());
  assert.is(await next(), undefined);
});

follow('a slow reader loses the oldest events and gets their count', async () => {
  const { next, add } = begin();
  for (let n = 1; n <= 2600; n += 1) add(String(n));
  const value = (await next()) ?? '';
  const first = value.split('\n\n')[0] ?? '';
  assert.match(first, /^id: 1\nevent: lost\ndata: \{"count":(\d+)\}$/);
  const lost = Number(/\d+(?=\}$)/.exec(first)?.[0]);
  assert.ok(lost >= 1600 && lost < 2600, String(lost));
  assert.match(value, new RegExp(`id: 2\nevent: thing\ndata: ${lost + 1}\n`));
  let last = value;
  let kept = value.match(/event: thing/g)?.length ?? 0;
  while (!last.includes('data: 2600\n')) {
    last = (await next()) ?? '';
    kept += last.match(/event: thing/g)?.length ?? 0;
  }
  assert.is(kept + lost, 2600);
});

follow.run();
