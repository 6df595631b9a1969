// HOOK-8, EVT-11: a connection is used only if its peer is an address that was checked.

import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refuseAddress as onlyPublic } from '../../core/values/address.ts';
import type { Deliverer, DeliveryRequest } from './deliverer.ts';
import { limitedLookup } from './resolver.ts';
import { certificate, listen, rawReceiver, requestTo, withDeliverer } from './testing/receivers.ts';
import { undiciDeliverer } from './undici-deliverer.ts';

const test = suite<{ deliverer: Deliverer }>('address pinning');
withDeliverer(test);

const toLoopback: LookupFunction = (_hostname, { all }, done) => {
  if (all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

test('a checked name connects to its address, whatever resolvers say', async ({ deliverer }) => {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.end();
  });
  const port = await listen(server);
  // No resolver knows this name; the address comes from the check.
  const url = `http://nowhere.invalid:${port}/`;
  const { status } = await deliverer.deliver(requestTo(url, { addresses: ['127.0.0.1'] }));
  assert.is(status, 200);
  assert.equal(hosts, [`nowhere.invalid:${port}`]);
});

// [the host of the URL, its checked addresses, what refuses an address, the reason]
const refusals: readonly (readonly [string, string, DeliveryRequest['refuseAddress'], string])[] = [
  // Rebinding: a public name whose connection would end at loopback.
  ['hooks.example.com', '93.184.216.34', onlyPublic, '127.0.0.1 is in 127.0.0.0/8 (loopback)'],
  // A public peer other than the checked address.
  ['hooks.example.com', '93.184.216.34', () => null, '127.0.0.1, which was not judged'],
  // An address literal, which needs no look-up.
  ['127.0.0.1', '127.0.0.1', onlyPublic, 'loopback'],
  ['127.0.0.1', '93.184.216.34', onlyPublic, 'loopback'],
];

test('nothing is sent to a peer whose address was not checked', async () => {
  let requests = 0;
  const receiver = await rawReceiver(() => {
    requests += 1;
  });
  for (const [host, address, refuseAddress, why] of refusals) {
    const deliverer = undiciDeliverer({ connect: { lookup: toLoopback } });
    const url = `http://${host}:${receiver.port}/`;
    const request = requestTo(url, { addresses: [address], refuseAddress });
    const { status, refusedTarget } = await deliverer.deliver(request);
    assert.is(status, null);
    assert.match(refusedTarget ?? '', why);
    await deliverer.close();
  }
  assert.is(requests, 0, 'not a byte was sent');
});

test('an open connection is not used after its check expires', async ({ deliverer }) => {
  const receiver = await rawReceiver((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  );
  const url = `http://hooks.example.com:${receiver.port}/`;
  const addresses = ['127.0.0.1'];
  assert.is((await deliverer.deliver(requestTo(url, { addresses }))).status, 200);
  assert.is(receiver.connections(), 1);
  // The second check of the same name refuses it, even though a connection to it is open.
  const judged = requestTo(url, { addresses, refuseAddress: onlyPublic });
  assert.match((await deliverer.deliver(judged)).refusedTarget ?? '', 'loopback');
  // The name now resolves to another address: the connection to the old address is not used.
  const moved = requestTo(url, { addresses: ['127.0.0.2'] });
  await deliverer.deliver(moved);
  assert.is(receiver.connections(), 1);
});

test('https: the certificate is for the name, the connection to the address', async () => {
  const seen: unknown[] = [];
  const server = createSecureServer(certificate, (request, response) => {
    seen.push((request.socket as TLSSocket & { servername?: string }).servername);
    response.end();
  });
  const port = await listen(server);
  const trusting = undiciDeliverer({ connect: { ca: certificate.cert } });
  const to = (name: string) => requestTo(`https://${name}:${port}/`, { addresses: ['127.0.0.1'] });
  const delivered = await trusting.deliver(to('hooks.example.com'));
  assert.equal([delivered.status, delivered.error], [200, null]);
  assert.equal(seen, ['hooks.example.com']);
  const other = await trusting.deliver(to('other.example.com'));
  assert.match(String(other.error), /^Hostname\/IP does not match certificate's altnames/);
  await trusting.close();

  const strict = undiciDeliverer();
  const selfSigned = await strict.deliver(to('hooks.example.com'));
  assert.equal([selfSigned.status, selfSigned.error], [null, 'self-signed certificate']);
  await strict.close();
  assert.is(seen.length, 1);
});

test('one reachable address of several checked addresses is enough', async ({ deliverer }) => {
  const server = createServer((_request, response) => response.end());
  const port = await listen(server);
  const url = `http://hooks.example.com:${port}/`;
  const addresses = ['127.0.0.3', '127.0.0.1'];
  const request = requestTo(url, { addresses, answerLimitMs: 4000 });
  assert.is((await deliverer.deliver(request)).status, 200);
});

test('concurrent attempts share a look-up, and the next attempt makes a new one', async () => {
  let lookups = 0;
  const resolver = limitedLookup(async () => {
    lookups += 1;
    await new Promise(setImmediate);
    return [`93.184.216.${lookups}`];
  });
  const both = await Promise.all([resolver('a.example'), resolver('a.example')]);
  assert.equal(both, [['93.184.216.1'], ['93.184.216.1']]);
  assert.equal(await resolver('a.example'), ['93.184.216.2']);
});

test('if a resolver hangs or fails, the name has no address', async () => {
  const failing = limitedLookup(() => Promise.reject(new Error('ENOTFOUND')));
  assert.equal(await failing('a.example'), []);
  const silent = limitedLookup(() => new Promise(() => undefined), 20);
  const names = ['a', 'b', 'c', 'd'].map((name) => silent(`${name}.example`));
  assert.equal(await Promise.all(names), [[], [], [], []]);
});

test.run();
