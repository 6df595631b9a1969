// The log of requests: each with its hints, as lines and as events.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestSandbox } from '../../../../simulator/host/testing/sandbox.ts';
import { logRequests, type RequestEvent, requestLine } from './request-log.ts';

const log = suite('request log');

/** The log output for a call to a path outside the API. */
async function written(json: boolean): Promise<string> {
  const sandbox = await createTestSandbox();
  const text = await new Promise<string>((resolve) => {
    logRequests(sandbox, { json, print: resolve });
    const call = { method: 'GET', target: '/accounts', headers: {}, body: new Uint8Array() };
    sandbox.call(call, () => undefined);
  });
  await sandbox.close();
  return text;
}

log('a hint is printed below its request, and part of its event', async () => {
  const [first, second] = (await written(false)).split('\n');
  assert.match(first ?? '', /GET +\/accounts +404 /);
  assert.match(second ?? '', /^ {14}hint path_beside_api: Did you mean \/api\/v1\/accounts\?/);
  const { event, status, hints } = JSON.parse(await written(true));
  assert.equal(
    [event, status, hints.length, hints[0].code],
    ['request', 404, 1, 'path_beside_api'],
  );
});

log('requests of other worlds become one line', async () => {
  const sandbox = await createTestSandbox();
  const text = await new Promise<string>((resolve) => {
    logRequests(sandbox, { json: false, print: resolve });
    void sandbox.addWorld({ name: 'judged' }).then((host) => {
      const call = { method: 'GET', target: '/x', headers: {}, body: new Uint8Array() };
      for (let n = 0; n < 3; n += 1) host.call(call, () => undefined);
      // The log line is delayed by a timer that keeps no process alive.
      setTimeout(() => resolve('no line came'), 5000);
    });
  });
  assert.match(text, /^[\d:.]+ {2}3 requests in world judged$/);
  await sandbox.close();
});

const line: RequestEvent = {
  event: 'request',
  world: 'default',
  n: 1,
  request_id: 'req_1',
  at_ms: Date.parse('2026-01-31T12:00:01.250Z'),
  method: 'POST',
  target: '/api/v1/accounts',
  operation: 'createAccount',
  client_id: 'cl_brand_a',
  client_name: 'brand-a',
  status: 201,
  held: false,
  idempotency: 'first',
  cites: ['ACC-1'],
  faults: [],
  fault_effects: [],
  hints: [],
};

const LINES: readonly (readonly [words: string, change: Partial<RequestEvent>, end: string])[] = [
  ['time, request, outcome, caller, rules', {}, '201 first brand-a ACC-1'],
  [
    'no one recognised, nothing answered',
    { status: null, idempotency: null, client_name: null, cites: [] },
    'cut -',
  ],
  [
    'rules before open questions, and three are enough',
    { cites: ['NS-17', 'IDEM-4b', 'NS-30', 'IDEM-5', 'ACC-1'] },
    '201 first brand-a IDEM-4b IDEM-5 ACC-1',
  ],
  [
    'what a fault did',
    { fault_effects: ['fault 7: held for 50 ms before it ran'] },
    '201 first brand-a ACC-1 (fault 7: held for 50 ms before it ran)',
  ],
];

for (const [words, change, end] of LINES) {
  log(words, () => {
    const text = requestLine({ ...line, ...change }).replace(/ +/g, ' ');
    assert.is(text, `12:00:01.250 POST /api/v1/accounts ${end}`);
  });
}

log.run();
