// A target behind a gateway, a proxy or a private certificate authority is reached as the options and
// the environment say, and problems are reported with a remedy.
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Sender, withHeaders } from '../../../../conformance/engine/send/sender.ts';
import { Redactor } from '../../../../conformance/reports/redact.ts';
import { certificate } from '../../../../simulator/host/delivery/testing/receivers.ts';
import { UsageError } from '../../io.ts';
import { readHeader } from '../options.ts';
import { runJudge, withFolder, withServer } from '../testing/run-judge.ts';
import { openSender, readCa, readRoute } from './open-sender.ts';

const reach = suite('reaching a target');

async function open(env: Record<string, string>, ca?: string): Promise<Sender> {
  const io = { cwd: '/', env } as Parameters<typeof openSender>[1];
  return await openSender({ ca }, io, new Redactor());
}

async function ask(sender: Sender, url: string, headers: [string, string][] = []) {
  try {
    const wire = { method: 'GET', url, headers, body: undefined, timeoutMs: 10_000 };
    const { status, body } = await sender.send(wire);
    return `${status} ${Buffer.from(body).toString()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Returns the request: each header line as it was received. */
const echo: RequestListener = (request, response) => {
  response.end(JSON.stringify([request.url, request.rawHeaders]));
};

interface Surroundings {
  readonly tlsPort: number;
  readonly proxy: string;
  /** The requests that the proxy received. */
  readonly requests: string[];
}

/** A TLS server, and a proxy that routes any name to it or answers for it. */
async function withProxy(play: (around: Surroundings) => Promise<void>): Promise<void> {
  const tls = createTlsServer(certificate, echo) as unknown as Server;
  const tlsPort = await listen(tls);
  const requests: string[] = [];
  const proxy = createServer((request: IncomingMessage, response) => {
    requests.push(
      `${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`,
    );
    echo(request, response);
  });
  proxy.on('connect', (request: IncomingMessage, socket) => {
    requests.push(`CONNECT ${request.url}`);
    if (request.url?.startsWith('closed.')) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const onward = connect(tlsPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  const proxyPort = await listen(proxy);
  try {
    await play({ tlsPort, proxy: `http://user:pr0xy-pass@127.0.0.1:${proxyPort}`, requests });
  } finally {
    for (const server of [tls, proxy]) {
      server.closeAllConnections();
      server.close();
    }
  }
}

reach('through a proxy, unencrypted and by a tunnel with a private authority', () =>
  withProxy(({ tlsPort, proxy, requests }) =>
    withFolder(async (folder) => {
      const ca = join(folder, 'ca.pem');
      writeFileSync(ca, certificate.cert);
      const env = { HTTP_PROXY: proxy, NO_PROXY: 'direct.invalid' };
      const sender = await open(env, ca);
      const twice: [string, string][] = [
        ['x-key', 'a'],
        ['x-key', 'b'],
      ];
      const seen = await ask(sender, 'http://api.invalid/x?y=1', twice);
      assert.match(seen, '"x-key","a","x-key","b"');
      assert.match(requests[0]!, /^GET http:\/\/api\.invalid\/x\?y=1 Basic /);
      assert.match(await ask(sender, 'https://hooks.example.com/z'), /^200 \["\/z"/);
      assert.is(requests[1], 'CONNECT hooks.example.com:443');
      assert.match(await ask(sender, 'https://closed.invalid/'), /the proxy.*refused with 407/);
      assert.is(requests.length, 3);
      // NO_PROXY and loopback addresses are reached directly.
      assert.match(await ask(sender, 'http://direct.invalid/'), /direct\.invalid/);
      assert.match(await ask(sender, `https://127.0.0.1:${tlsPort}/`), 'of another name');
      assert.is(requests.length, 3);
      await sender.close();
    }),
  ),
);

reach('network problems are reported with a remedy', () =>
  withProxy(async ({ tlsPort }) => {
    await withServer(echo, async (plain) => {
      const sender = await open({});
      const https = `https://127.0.0.1:${tlsPort}/`;
      assert.match(await ask(sender, https), /signed by itself.*--ca FILE.*NODE_EXTRA_CA_CERTS/);
      const http = `http://127.0.0.1:${tlsPort}/`;
      assert.match(await ask(sender, http), /speaks TLS: give the url with https:\/\//);
      const wrong = plain.replace('http:', 'https:');
      assert.match(await ask(sender, wrong), /does not speak TLS: give the url with http:/);
      await sender.close();
      const behind = await open({ https_proxy: 'http://127.0.0.1:1' });
      assert.match(await ask(behind, 'https://api.invalid/'), /refused \(a proxy is named by/);
      await behind.close();
    });
  }),
);

reach('a redirect is reported with its location', async () => {
  const moved: RequestListener = (_request, response) => {
    response.writeHead(308, { location: 'https://api.example.com/eu/api/v1/accounts' }).end();
  };
  await withServer(moved, async (baseUrl) => {
    const { code, out } = await runJudge({ baseUrl, tokenEnv: 'TOKEN', only: ['acc-*'] });
    assert.is(code, 3);
    assert.match(out.replace(/\s+/g, ' '), 'Try --base-url https://api.example.com/eu');
  });
});

reach('added headers go only to the target, and no report shows their values', async () => {
  const seen: (string | undefined)[] = [];
  const target: RequestListener = (request, response) => {
    seen.push(request.headers['x-gateway-key']?.toString());
    const body = { id: '1', detail: `you sent ${request.headers['x-gateway-key']}` };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  await withServer(target, async (baseUrl) => {
    const header = ['X-Gateway-Key: env:GATE', 'X-Trace: planted-in-clear'];
    const given = { baseUrl, tokenEnv: 'TOKEN', only: ['ACC-4'], header, json: true };
    const { out } = await runJudge(given, { env: { TOKEN: 'tok_1234567', GATE: 'g4te-secret' } });
    assert.ok(seen.length > 2);
    assert.ok(seen.every((each) => each === 'g4te-secret'));
    assert.not.match(out, 'g4te-secret');
    assert.not.match(out, 'planted-in-clear');
    assert.match(out, "--header 'X-Gateway-Key: env:GATE' --header 'X-Trace: …'");
  });
  const passed: (readonly (readonly [string, string])[])[] = [];
  const bare: Sender = {
    send: async ({ headers }) => {
      passed.push(headers);
      return { status: 200, headers: [], body: new Uint8Array() };
    },
    close: async () => {},
  };
  const sender = withHeaders(bare, [['x-a', '1']], ['http://one.invalid']);
  await ask(sender, 'http://one.invalid/');
  await ask(sender, 'http://one.invalid:81/');
  assert.equal(passed, [[['x-a', '1']], []]);
});

const WRONG: [name: string, read: () => unknown, words: RegExp][] = [
  ['a header without a name', () => readHeader(': x', {}), /--header is not 'Name: value'/],
  ['a header without a colon', () => readHeader('t0ps3cret', {}), /--header is not 'Name: value'/],
  ['a token', () => readHeader('authorization: t0ps3cret', {}), /set by the judge.*--token-env/],
  ['a header of nothing', () => readHeader('X-A:', {}), /X-A has no value/],
  [
    'no such variable',
    () => readHeader('X-A: env:NO', {}),
    /X-A: the environment variable NO is not set/,
  ],
  ['a line break', () => readHeader('X-A: t0ps3cret\r\nX-B: 1', {}), /value of X-A has characters/],
  ['no such file', () => readCa('none.pem', '/'), /--ca: none\.pem: there is no such file/],
  ['no certificate', () => readCa('package.json', '.'), /holds no certificate; PEM begins with/],
  [
    'no proxy',
    () => readRoute(undefined, { cwd: '/', env: { HTTPS_PROXY: 'socks5://t0ps3cret' } }),
    /variable HTTPS_PROXY is no url of a proxy/,
  ],
];
for (const [name, read, words] of WRONG) {
  reach(`refused: ${name}`, () => {
    try {
      read();
      assert.unreachable();
    } catch (error) {
      assert.instance(error, UsageError);
      assert.match((error as Error).message, words);
      assert.not.match((error as Error).message, 't0ps3cret');
    }
  });
}

reach.run();
