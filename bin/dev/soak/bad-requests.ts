// Requests as a broken client or an attacker sends them: framing, encodings, sizes and order, drawn
// at random. They are raw bytes, because an HTTP library would refuse to send them.
import { operationNames, operationTable } from '../../../fixtures/operations.ts';
import { type Draw, makeCall, pick } from '../../../simulator/core/testing/random-inputs.ts';
import type { World } from '../../../simulator/core/world.ts';

export interface BadRequest {
  /** As one-byte characters. */
  readonly text: string;
  /** Two parsers could split it differently, so it must be refused. */
  readonly isAmbiguous?: boolean;
  /** Later requests on the connection need not be answered. */
  readonly isLast?: boolean;
}

/** Requests that are sent on one connection. */
export function drawRequests(draw: Draw, world: World): BadRequest[] {
  const requests: BadRequest[] = [];
  for (let left = 1 + draw(12); left > 0; left -= 1) {
    const request = pick(draw, kinds)(draw, world);
    requests.push(request);
    if (request.isLast || /^(HEAD|BREW)/.test(request.text)) break;
  }
  return requests;
}

const kinds: readonly ((draw: Draw, world: World) => BadRequest)[] = [
  (draw) => ({ text: post + pick(draw, ambiguousFramings), isLast: true, isAmbiguous: true }),
  (draw) => ({ text: pick(draw, noRequests), isLast: true }),
  (draw) => ({ text: `GET ${pick(draw, oddTargets)} HTTP/1.1\r\nhost: localhost\r\n\r\n` }),
  (draw) => ({ text: `GET /api/v1/accounts HTTP/1.1\r\nhost: ${pick(draw, oddHosts)}\r\n\r\n` }),
  (draw) => ({ text: withHeaders(draw) }),
  (draw, world) => ({ text: handshake(draw, world), isLast: true }),
  (draw, world) => ({ text: drawnCall(draw, world) }),
  (draw, world) => ({ text: drawnCall(draw, world) }),
  (draw, world) => ({ text: withBody(draw, world) }),
  (draw, world) => ({ text: withBody(draw, world) }),
];

const post = 'POST /api/v1/accounts HTTP/1.1\r\nhost: localhost\r\n';

/** RFC 9112, 6.3 and 11.2: lengths that disagree, and codings that hide a length. */
const ambiguousFramings: readonly string[] = [
  'content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n3\r\n{}}\r\n0\r\n\r\n',
  'content-length: 3\r\ncontent-length: 4\r\n\r\n{}}}',
  'content-length: 3, 4\r\n\r\n{}}}',
  'content-length: +3\r\n\r\n{}}',
  'content-length: 0x3\r\n\r\n{}}',
  'content-length: -1\r\n\r\n',
  'content-length: 3 3\r\n\r\n{}}',
  'content-length: 99999999999999999999999\r\n\r\n{}',
  'content-length : 3\r\n\r\n{}}',
  'transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n',
  'transfer-encoding : chunked\r\n\r\n0\r\n\r\n',
  'transfer-encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n',
  'transfer-encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n',
  'transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n',
  'transfer-encoding: chunked\r\n\r\n2\r\n{}}0\r\n\r\n',
  'transfer-encoding: chunked\r\n\r\n2;\n{}\r\n0\r\n\r\n',
  ' content-length: 3\r\n\r\n{}}',
  'x: y\r\n\tcontent-length: 3\r\n\r\n{}}',
  'x\r\ncontent-length: 0\r\n\r\n',
  'x: \u0000\r\ncontent-length: 0\r\n\r\n',
  'x\u00a0: y\r\ncontent-length: 0\r\n\r\n',
  'host: elsewhere.example\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n',
];

/** First lines that are not valid in HTTP/1.1, with the headers that follow. */
const noRequests: readonly string[] = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/0.9\r\n\r\n',
  'GET / HTTP/3\r\nhost: localhost\r\n\r\n',
  'GET /\r\n\r\n',
  'get / http/1.1\r\nhost: localhost\r\n\r\n',
  ' GET / HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET  / HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET / HTTP/1.1\nhost: localhost\n\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  '{"client_reference_id":"x"}\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '\u0000\u0000\u0000\u0000',
  'CONNECT localhost:443 HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'BREW /coffee HTTP/1.1\r\nhost: localhost\r\n\r\n',
];

const oddTargets: readonly string[] = [
  'http://localhost/api/v1/accounts',
  'http://evil.example/api/v1/accounts',
  '//evil.example/api/v1/accounts',
  '/api/v1/accounts/../../_sandbox/state',
  '/_sandbox/../api/v1/accounts',
  '/_sandbox/%2e%2e/%2e%2e/etc/passwd',
  '/..%2f..%2f..%2fetc%2fpasswd',
  '/assets/..%5c..%5cpackage.json',
  '/api/v1/accounts/%c0%ae%c0%ae',
  '/api/v1/accounts/%ff%fe',
  '/api/v1/accounts?after=%zz&limit=1e9',
  '/api/v1/accounts?limit=9007199254740993',
  '/api/v1/__proto__/constructor',
  '/_sandbox/worlds/__proto__/state',
  '/_sandbox/worlds/constructor/health',
  '/_sandbox/requests?limit=-1',
  '/_sandbox/requests/%F0%9F%92%A9',
  '/_sandbox//health',
  '/_sandbox/snapshots/..%2f..',
  'localhost:80',
  '?',
  '/#',
  '/api/v1/accounts;jsessionid=1',
  '/\u00e9\u00ff',
];

const oddHosts = [
  'localhost',
  '',
  'evil.example',
  '[::1]',
  '127.0.0.1:99999',
  'a'.repeat(300),
  '@',
];

const oddBodies: readonly ((draw: Draw) => string)[] = [
  (draw) => '['.repeat(1 + draw(40_000)),
  (draw) => `{"a":${'{"a":'.repeat(draw(3000))}1`,
  (draw) => `{"amount":${'9'.repeat(1 + draw(5000))}}`,
  () => '{"amount":1e400,"b":-0,"c":1E-400}',
  () => '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}',
  () => '{"a":1,"a":2,"A":3}',
  () => '{"email":"\\ud800@example.com","first_name":"\\u0000\\u202e"}',
  () => '\u00ef\u00bb\u00bf{}',
  () => '\u00ff\u00fe{\u0000}\u0000',
  () => '\u00ed\u00a0\u0080\u00c0\u0080',
  (draw) => `{"${'k'.repeat(draw(20_000))}":0}`,
  (draw) => `{"accounts":[${'{},'.repeat(draw(2000))}{}]}`,
  (draw) => `"${'\\'.repeat(draw(3000))}`,
  (draw) => ' '.repeat(draw(100_000)),
  (draw) => `grant_type=${'%'.repeat(draw(1000))}&client_id=${'&'.repeat(draw(1000))}`,
];

const types = ['application/json', 'application/x-www-form-urlencoded', 'text/html', ';', '/', ''];
const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS', 'TRACE', 'PROPFIND'];
const rows = ['faults', 'credentials', 'dns/x', 'forwards', 'clock', 'events', 'firms/1'];
const paths = operationNames.map((name) => operationTable[name].path.replace(':id', '1001'));

const tokenOf = (world: World, draw: Draw) =>
  [...world.tokens.keys()][draw(world.tokens.size)] ?? '';

function withBody(draw: Draw, world: World): string {
  const body = pick(draw, oddBodies)(draw);
  const path = draw(3) === 0 ? `/_sandbox/${pick(draw, rows)}` : `/api/v1/${pick(draw, paths)}`;
  const head = [
    `${pick(draw, methods)} ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${tokenOf(world, draw)}`,
    `idempotency-key: ${draw(9) === 0 ? '\u00ff,,"' : draw(1_000_000)}`,
    `content-type: ${pick(draw, types)}`,
  ];
  if (draw(4) > 0) return `${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  let chunked = '';
  const size = 1 + draw(body.length > 3000 ? 3000 : 40);
  for (let at = 0; at < body.length; at += size) {
    const piece = body.slice(at, at + size);
    chunked += `${piece.length.toString(16)}${draw(5) === 0 ? ';x=y' : ''}\r\n${piece}\r\n`;
  }
  return `${head.join('\r\n')}\r\ntransfer-encoding: chunked\r\n\r\n${chunked}0\r\n\r\n`;
}

function withHeaders(draw: Draw): string {
  const many = Array.from({ length: draw(400) }, (_, n) => `x-${n}: ${'a'.repeat(draw(60))}\r\n`);
  const get = 'GET /api/v1/accounts?limit=1 HTTP/1.1\r\nhost: localhost\r\n';
  return `${get}${many.join('')}\r\n`;
}

function handshake(draw: Draw, world: World): string {
  const odd = [
    `sec-websocket-key: ${'a'.repeat(draw(40))}\r\n`,
    `sec-websocket-version: ${draw(20)}\r\n`,
    'sec-websocket-extensions: permessage-deflate; client_max_window_bits=99\r\n',
    'sec-websocket-protocol: ,,\r\n',
  ];
  const right = 'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
  const rest = draw(2) === 0 ? right : pick(draw, odd);
  const frames = String.fromCharCode(...Array.from({ length: draw(200) }, () => draw(256)));
  const query = draw(2) === 0 ? `?access_token=${tokenOf(world, draw)}` : '';
  return (
    `GET /api/v1/events${query} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n` +
    `upgrade: websocket\r\n${rest}\r\n${frames}`
  );
}

function drawnCall(draw: Draw, world: World): string {
  const { method, target, headers, body } = makeCall(draw, world, '{"odd":[1e999]}');
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [`${name}: ${each}\r\n`])),
  );
  const head = `${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}`;
  return `${head}content-length: ${body.byteLength}\r\n\r\n${Buffer.from(body).toString('latin1')}`;
}
