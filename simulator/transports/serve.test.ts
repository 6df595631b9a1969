// The files of the dashboard are served unchanged, under a strict policy, and never shadow the API.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestServer } from './testing/server.ts';

const page = '<!doctype html><title>page</title>';

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const test = suite<{ ask: (path: string, method?: string) => Promise<Got> }>('static files');
const folder = mkdtempSync(join(tmpdir(), 'serve-'));

// A server with a private file next to its dashboard.
test.before(async (place) => {
  const dashboard = join(folder, 'ui');
  mkdirSync(join(dashboard, 'assets'), { recursive: true });
  writeFileSync(join(dashboard, 'index.html'), page);
  writeFileSync(join(dashboard, 'assets', 'main.js'), 'start();');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const { port, close } = await startTestServer({ dashboard });
  place.ask = (path, method = 'GET') => get(port, path, method);
  test.after(close);
});
test.after(() => rmSync(folder, { recursive: true }));

/** Not `fetch`, which would normalise the path. */
async function get(port: number, path: string, method: string): Promise<Got> {
  const sent = request({ port, path, method, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

test('the page and its assets are served with a strict policy', async ({ ask }) => {
  const first = await Promise.all([ask('/'), ask('/'), ask('/assets/main.js')]);
  const served = first.map(({ status, body }) => `${status} ${body}`);
  assert.equal(served, [`200 ${page}`, `200 ${page}`, '200 start();']);
  for (const { headers } of first) {
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'.*script-src 'self'/);
    assert.is(headers['x-content-type-options'], 'nosniff');
  }
  assert.match(String(first[0]?.headers['content-type']), /^text\/html/);
  const head = await ask('/', 'HEAD');
  const length = head.headers['content-length'];
  assert.equal([head.status, head.body, length], [200, '', `${page.length}`]);
});

test('files outside the dashboard are not served', async ({ ask }) => {
  for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/assets/..%2f..%2fsecret.txt']) {
    const { status, body } = await ask(path);
    assert.is(status, 404, path);
    assert.not.match(body, /^secret/);
  }
  assert.is((await ask('/assets')).status, 404);
  assert.is((await ask('/', 'POST')).status, 404);
  const refused = await ask('/api/v1/accounts');
  assert.is(refused.status, 401);
  // The hint names the port that the request was sent to.
  assert.match(refused.body, /`npx sandbox info --port \d+` prints tokens/);
  assert.is((await ask('/_sandbox/health')).status, 200);
  assert.is((await ask('/openapi.json')).status, 200);
});

test.run();
