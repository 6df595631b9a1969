// A real browser with hostile pages at two origins and under a rebound name: none can read or
// change data of a sandbox on the same machine.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startBench } from './testing/dashboard-page.ts';

const pages = suite('hostile pages');

/** The requests that a foreign page tries, with a known token. */
async function attack({ base, token }: { base: string; token: string }) {
  const got: string[] = [];
  const attempt = async (name: string, run: () => Promise<unknown>) => {
    const done = await run().catch(() => null);
    if (done !== null) got.push(`${name}: ${JSON.stringify(done)}`);
  };
  const read = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${base}${path}`, init);
    return response.status < 400 && response.type !== 'opaque' ? response.text() : null;
  };
  const authorization = `Bearer ${token}`;
  const body = '{"client_reference_id":"evil","email":"evil@example.com","brand_id":"10"}';
  const headers = { authorization, 'idempotency-key': 'evil', 'content-type': 'application/json' };
  await attempt('read info', () => read('/_sandbox/info'));
  await attempt('read accounts', () => read('/api/v1/accounts', { headers: { authorization } }));
  await attempt('create', () => read('/api/v1/accounts', { method: 'POST', headers, body }));
  await attempt('reset', () => read('/_sandbox/reset', { method: 'POST', mode: 'no-cors' }));
  await attempt('credentials', () =>
    read('/_sandbox/credentials', { method: 'POST', mode: 'no-cors', body: '{"scopes":[]}' }),
  );
  await attempt('follow', () => {
    const socket = new WebSocket(
      `${base.replace('http', 'ws')}/api/v1/events?after_seq=0&access_token=${token}`,
    );
    return new Promise((resolve, reject) => {
      socket.onmessage = ({ data }) => resolve(String(data));
      socket.onopen = () => resolve('open');
      socket.onerror = reject;
    });
  });
  await attempt('script', () => {
    const script = document.createElement('script');
    script.src = `${base}/_sandbox/info`;
    const loaded = new Promise((resolve, reject) => {
      script.onload = () => resolve('loaded');
      script.onerror = reject;
    });
    document.body.append(script);
    return loaded;
  });
  return got;
}

const place = startBench(pages);

if (place !== null) {
  const evil = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>');
  });
  let evilPort = 0;
  pages.before(async () => {
    evil.listen(0, '127.0.0.1');
    await once(evil, 'listening');
    evilPort = (evil.address() as AddressInfo).port;
  });
  pages.after(() => {
    evil.close();
  });

  const attackFrom = async (url: string, base: string) => {
    const page = await place.browser.newPage();
    await page.goto(url);
    // The loader of our tests wraps functions in this helper.
    await page.evaluate('globalThis.__name = (value) => value');
    const token = place.served.credentials[0]?.token ?? '';
    const got = await page.evaluate(attack, { base, token });
    await page.close();
    return got;
  };

  const stateOf = async () => {
    const { counts } = await place.served.ask('GET', 'info');
    // Before it sends a token, a browser sends an OPTIONS request, which is a call in the journal.
    const others = Object.entries(counts).filter(([name]) => !name.startsWith('requests'));
    return Object.fromEntries(others);
  };

  for (const [name, url] of [
    ['another origin on this machine', () => `http://127.0.0.1:${evilPort}/`],
    ['an origin elsewhere', () => `http://www.evil.example:${evilPort}/`],
  ] as const) {
    pages(`a page of ${name} gets nothing`, async () => {
      const before = await stateOf();
      assert.equal(await attackFrom(url(), place.served.base), []);
      assert.equal(await stateOf(), before);
    });
  }

  pages('a page under a hostname that was rebound to the sandbox gets nothing', async () => {
    const before = await stateOf();
    const { port } = new URL(place.served.base);
    // To the browser this is one origin: page and sandbox have the same name and port.
    const rebound = `http://rebound.evil.example:${port}`;
    assert.equal(await attackFrom(`${rebound}/`, rebound), []);
    assert.equal(await stateOf(), before);
  });

  pages('the same from an allowed origin succeeds', async () => {
    const page = `${place.served.base}/_sandbox/health`;
    const got = await attackFrom(page, place.served.base);
    for (const name of ['read info', 'read accounts', 'create', 'follow']) {
      const isThere = got.some((line) => line.startsWith(`${name}:`));
      assert.ok(isThere, `${name} is no attack that could succeed: ${got.length}`);
    }
  });
}

pages.run();
