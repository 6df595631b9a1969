// The log of requests: each with its hints, as lines and as events.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestSandbox } from '../../../../simulator/host/testing/sandbox.ts';
import { batchLines, logRequests } from './request-log.ts';

const log = suite('request log');

/** What is written of a call to a path beside the API. */
async function written(json: boolean): Promise<string> {
  const sandbox = await createTestSandbox();
  const text = await new Promise<string>((resolve) => {
    logRequests(sandbox, { json, say: resolve });
    const call = { method: 'GET', target: '/accounts', headers: {}, body: new Uint8Array() };
    sandbox.call(call, () => undefined);
  });
  await sandbox.close();
  return text;
}

log('a hint stands under its request', async () => {
  const [first, second] = (await written(false)).split('\n');
  assert.match(first ?? '', /GET +\/accounts +404 /);
  assert.match(second ?? '', /^ {14}hint path_beside_api: Did you mean \/api\/v1\/accounts\?/);
});

log('an event has its hints', async () => {
  const { event, status, hints } = JSON.parse(await written(true));
  assert.equal(
    [event, status, hints.length, hints[0].code],
    ['request', 404, 1, 'path_beside_api'],
  );
});

log('requests of other worlds become one line', async () => {
  const sandbox = await createTestSandbox();
  const text = await new Promise<string>((resolve) => {
    logRequests(sandbox, { json: false, say: resolve });
    void sandbox.addWorld({ name: 'judged' }).then((host) => {
      const call = { method: 'GET', target: '/x', headers: {}, body: new Uint8Array() };
      for (let n = 0; n < 3; n += 1) host.call(call, () => undefined);
      // The line is timed with a timer that keeps no process alive.
      setTimeout(() => resolve('no line came'), 5000);
    });
  });
  assert.match(text, /^[\d:.]+ {2}3 requests in world judged$/);
  await sandbox.close();
});

log('lines of one turn share a write, in the order in which they were told', async () => {
  const writes = await new Promise<string[]>((resolve) => {
    const written: string[] = [];
    const say = batchLines((text) => {
      written.push(text);
      if (text.includes('last')) resolve(written);
    });
    say('a request');
    say('its delivery');
    setTimeout(say, 5, 'the last');
  });
  assert.equal(writes, ['a request\nits delivery\n', 'the last\n']);
});

log.run();
