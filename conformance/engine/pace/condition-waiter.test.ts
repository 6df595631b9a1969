// A stall does not count as waiting, and the target is not blamed for deliveries missed in it. A target
// that has stopped is not called repeatedly; the run waits for a target that restarts.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebhookReceiver } from '../../providers/webhook-receiver.ts';
import { ConditionWaiter } from './condition-waiter.ts';
import { EventLoopMonitor } from './event-loop-monitor.ts';
import { Reachability } from './reachability.ts';

/** Blocks the event loop of this program. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const patience = suite<{ eventLoop: EventLoopMonitor }>('patience');

patience.before.each((own) => {
  own.eventLoop = new EventLoopMonitor();
  own.eventLoop.start();
});
patience.after.each(({ eventLoop }) => eventLoop.stop());

patience('a delivery during a stall is still awaited', async ({ eventLoop }) => {
  const own = new ConditionWaiter(eventLoop, sleep);
  let steps = 0;
  let hasArrived = false;
  const test = () => {
    steps += 1;
    // Arriving takes several turns of the event loop, and each turn is longer than the whole
    // timeout.
    if (steps < 4) block(200);
    else if (steps === 5) hasArrived = true;
    return hasArrived;
  };
  assert.ok(await own.until(test, 150));
  assert.is(own.starvation, undefined, 'nothing was missed');
});

patience('it tests once more after a request to itself', async ({ eventLoop }) => {
  const receiver = await WebhookReceiver.listen();
  const own = new ConditionWaiter(eventLoop, sleep);
  const hook = receiver.hook((name) => `${receiver.origin}/${name}`);
  own.watchDeliveries(hook);
  const { hostname, port, pathname } = new URL(hook.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`);
  assert.is(hook.deliveries.length, 0, 'it has reached this machine, and no one has looked yet');
  assert.ok(await own.until(() => hook.deliveries.length > 0, 0));
  socket.destroy();
  await receiver.close();
});

patience('a long stall makes a listening scenario doubtful', async ({ eventLoop }) => {
  const receiver = await WebhookReceiver.listen();
  const own = new ConditionWaiter(eventLoop, sleep);
  const other = new ConditionWaiter(eventLoop, sleep);
  own.watchDeliveries(receiver.hook((name) => `${receiver.origin}/${name}`));
  block(1_000);
  assert.match(own.starvation ?? '', 'no turn');
  assert.is(other.starvation, undefined, 'who waits for nothing loses nothing');
  await receiver.close();
});

patience('it waits for a calm event loop, but not forever', async ({ eventLoop }) => {
  await eventLoop.waitUntilCalm(5_000);
  const busy = setInterval(() => block(90), 1);
  const startedAtMs = performance.now();
  await eventLoop.waitUntilCalm(300);
  clearInterval(busy);
  assert.ok(performance.now() - startedAtMs >= 300);
});

type Event = 'refused' | 'answered' | 'silent';
const refused = (count: number): Event[] => Array(count).fill('refused');

const CASES: readonly (readonly [words: string, events: Event[], stepMs: number, gone: boolean])[] =
  [
    ['refused connections in a row', refused(16), 400, true],
    ['too few of them', refused(15), 400, false],
    ['within a restart', refused(40), 100, false],
    ['an answer between them', [...refused(15), 'answered', ...refused(15)], 400, false],
    ['scenarios without an answer', Array(8).fill('silent'), 0, true],
    ['an answer between those', [...Array(7).fill('silent'), 'answered', 'silent'], 0, false],
  ];
for (const [words, events, stepMs, gone] of CASES) {
  patience(`${words}: ${gone ? 'gone' : 'there'}`, () => {
    const reachability = new Reachability();
    events.forEach((event, at) => {
      if (event === 'refused') reachability.noteRefusal(at * stepMs);
      else if (event === 'silent') reachability.noteSilentScenario();
      else reachability.noteAnswer();
    });
    assert.is(reachability.isGone, gone);
  });
}

patience.run();
