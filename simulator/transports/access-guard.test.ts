// Access by Host and Origin: this machine, allowed names and origins, and nothing else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from './access-guard.ts';

const guards = suite('host and origin checks');

const ours = `
  127.0.0.1:7420 127.0.0.1 127.8.9.10:7420 localhost:7420 LOCALHOST:7420 localhost.:7420
  api.localhost:7420 [::1]:7420 [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] sandbox:7420
  Sandbox.Internal:80 10.1.2.3:7420
`;
const foreign = `
  localhost.. sandbox.. [127.0.0.1] [localhost] evil.example:7420 localhost.evil.example
  evillocalhost 127.0.0.1.evil.example 192.168.1.5:7420 0.0.0.0 1127.0.0.1 127.0.0.256 [::2]
  [::ffff:10.0.0.1] localhost:7420/x localhost@evil.example evil.example#localhost
  sandbox.evil.example
`;
const namesIn = (text: string) => text.trim().split(/\s+/);

guards('names of this machine, the bound address and allowed names are accepted', () => {
  const guard = new Guard({ host: '10.1.2.3', allowHosts: ['sandbox', 'sandbox.internal.'] });
  // Checked twice: an accepted name is cached, and nothing else.
  for (let time = 0; time < 2; time += 1) {
    for (const host of namesIn(ours)) assert.is(guard.refuseHost({ host }), null, host);
    for (const host of ['', ...namesIn(foreign)]) {
      assert.is(guard.refuseHost({ host })?.status, 403, host);
    }
    assert.is(guard.refuseHost({})?.status, 403);
  }
});

guards('bound to every address, any address and no foreign name is accepted', () => {
  for (const host of ['0.0.0.0', '::', '[::]']) {
    const guard = new Guard({ host });
    for (const called of ['192.168.1.5:7420', '[fe80::1]:7420']) {
      assert.is(guard.refuseHost({ host: called }), null, called);
    }
    assert.is(guard.refuseHost({ host: 'evil.example:7420' })?.status, 403);
  }
});

guards('the refusal names the remedy, and does not repeat text that is not a host name', () => {
  const detailFor = (host: string) => String(new Guard().refuseHost({ host })?.body);
  assert.match(detailFor('sandbox.internal:80'), '--allow-host sandbox.internal');
  assert.match(detailFor('<b>"\u009b2J'), '--allow-host NAME');
});

// [Host, Origin, own]
const pages = [
  ['127.0.0.1:7420', undefined, true],
  ['127.0.0.1:7420', 'http://127.0.0.1:7420', true],
  ['localhost:7420', 'http://localhost:7420', true],
  ['localhost:7420', 'http://127.0.0.1:7420', true],
  ['[::1]:7420', 'http://[::1]:7420', true],
  ['192.168.1.5:7420', 'http://192.168.1.5:7420', true],
  ['192.168.1.5:7420', 'http://192.168.1.6:7420', false],
  ['192.168.1.5:7420', 'http://localhost:7420', false],
  ['127.0.0.1:7420', 'http://127.0.0.1:3000', false],
  ['127.0.0.1:7420', 'http://localhost', false],
  ['127.0.0.1:7420', 'https://127.0.0.1:7420', false],
  ['127.0.0.1:7420', 'http://evil.example:7420', false],
  ['127.0.0.1:7420', 'https://evil.example', false],
  ['127.0.0.1:7420', 'null', false],
  ['127.0.0.1:7420', '', false],
  ['127.0.0.1:7420', 'file://', false],
] as const;

guards('only a page of this server can use the plane and follow the events', () => {
  const guard = new Guard({ host: '0.0.0.0' });
  for (const [host, origin, own] of pages) {
    const headers = { host, ...(origin === undefined ? {} : { origin }) };
    assert.is(guard.refusePage(headers) === null, own, `${host} from ${origin}`);
    assert.is(guard.refuseFollower(headers) === null, own, `${host} from ${origin}`);
  }
});

guards('an allowed origin can follow the events, and nothing else', () => {
  const guard = new Guard({ allowOrigins: ['http://localhost:3000'] });
  const headers = { host: 'localhost:7420', origin: 'http://localhost:3000' };
  assert.is(guard.refuseFollower(headers), null);
  assert.is(guard.refusePage(headers)?.status, 403);
  const other = { ...headers, origin: 'http://localhost:3001' };
  assert.match(String(guard.refuseFollower(other)?.body), '--allow-origin');
});

guards('a cross-site read by a browser is refused on the plane', () => {
  const guard = new Guard();
  for (const [site, own] of [
    ['cross-site', false],
    ['same-origin', true],
    ['same-site', false],
    ['cross-site, same-origin', false],
    ['none', true],
  ] as const) {
    const refused = guard.refusePage({ host: 'localhost', 'sec-fetch-site': site });
    assert.is(refused === null, own, site);
  }
  const link = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' };
  assert.is(guard.refusePage({ host: 'localhost', ...link }), null, 'a link is followed');
});

guards.run();
