// Time without a turn does not count as waiting, and what was missed in it is no one's fault.
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Receiver } from '../providers/receiver.ts';
import { Patience } from './patience.ts';
import { Turns } from './turns.ts';

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Nothing else of this program runs meanwhile. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const patience = suite<{ turns: Turns }>('patience');

patience.before.each((own) => {
  own.turns = new Turns();
  own.turns.start();
});
patience.after.each(({ turns }) => turns.stop());

patience('what comes while there is no turn is still waited for', async ({ turns }) => {
  const own = new Patience(turns, sleep);
  let steps = 0;
  let came = false;
  const test = () => {
    steps += 1;
    // It takes a few turns to come, each of which is longer than all of the patience.
    if (steps < 4) block(200);
    else if (steps === 5) came = true;
    return came;
  };
  assert.ok(await own.until(test, 100));
  assert.is(own.starved, undefined, 'nothing was missed');
});

patience('what never comes is given up, and blamed on the lack of turns', async ({ turns }) => {
  const own = new Patience(turns, sleep);
  let blocked = false;
  const never = () => {
    if (!blocked) block(500);
    blocked = true;
    return false;
  };
  assert.not.ok(await own.until(never, 50));
  assert.match(own.starved ?? '', /no turn for \d+ ms/);
  assert.is(new Patience(turns, sleep).starved, undefined, 'another trial begins anew');
});

patience('with turns enough, what does not come was not sent', async ({ turns }) => {
  const own = new Patience(turns, async () => {});
  assert.not.ok(await own.until(() => false, 5));
  const { worstMs } = turns.since(turns.mark());
  assert.is(worstMs, 0);
});

patience(
  'before it gives up it looks once more, behind a request of its own',
  async ({ turns }) => {
    const receiver = await Receiver.listen();
    const own = new Patience(turns, sleep);
    const hook = receiver.hook((name) => `${receiver.origin}/${name}`);
    own.listens(hook);
    const { hostname, port, pathname } = new URL(hook.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`);
    assert.is(hook.arrivals.length, 0, 'it has reached this machine, and nobody has looked yet');
    assert.ok(await own.until(() => hook.arrivals.length > 0, 0));
    socket.destroy();
    await receiver.close();
  },
);

patience('a long gap spoils a trial that listens, whatever it found', async ({ turns }) => {
  const receiver = await Receiver.listen();
  const own = new Patience(turns, sleep);
  const bystander = new Patience(turns, sleep);
  own.listens(receiver.hook((name) => `${receiver.origin}/${name}`));
  block(1_000);
  assert.match(own.starved ?? '', 'no turn');
  assert.is(bystander.starved, undefined, 'who waits for nothing loses nothing');
  await receiver.close();
});

patience('calm is waited for, but not forever', async ({ turns }) => {
  await turns.calm(5_000);
  const busy = setInterval(() => block(90), 1);
  const startedAtMs = performance.now();
  await turns.calm(300);
  clearInterval(busy);
  assert.ok(performance.now() - startedAtMs >= 300);
});

patience.run();
