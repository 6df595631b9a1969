// Runs the webhooks commands against each other and against receivers that misbehave.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestListener, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tamperings } from '../../../conformance/receiver/checks.ts';
import { signWebhook } from '../../../simulator/webhooks.ts';
import { Program, SANDBOX } from '../../e2e/testing/program.ts';
import { runCommand, withServer } from '../conformance/testing/run-judge.ts';
import type { CommandIo } from '../io.ts';
import { defineWebhooks } from './webhooks.ts';

const test = suite('sandbox webhooks');

const secret = 'whsec_of_these_tests';
const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
test.after(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What every command of these tests printed. */
const printed: string[] = [];

/** A running command: its first line, a way to stop it, and its end. */
function start(args: readonly string[], given: Partial<CommandIo> = {}) {
  const lines: string[] = [];
  let begin = (_line: string) => {};
  const first = new Promise<string>((resolve) => {
    begin = resolve;
  });
  const stop = new AbortController();
  const out = (text: string) => {
    printed.push(text);
    lines.push(...text.trimEnd().split('\n'));
    begin(lines[0]!);
  };
  const env = { SECRET: secret, OLD: 'whsec_old' };
  const io = { env, stop: stop.signal, ...given, out };
  const end = runCommand(defineWebhooks, {}, io, args).then((ran) => {
    printed.push(ran.err);
    return { ...ran, out: lines };
  });
  return { first, stop: () => stop.abort(), end };
}

const run = (args: readonly string[], given: Partial<CommandIo> = {}) => start(args, given).end;

const withReceiver = <T>(answer: RequestListener, use: (url: string) => Promise<T>) =>
  withServer(answer, (url) => use(`${url}/hooks`));

const silent: RequestListener = () => {};
const fine: RequestListener = (_, response) => response.end('fine');

async function withListener(args: readonly string[], use: (url: string) => Promise<void>) {
  const listener = start(['listen', '--port', '0', '--secret-env', 'SECRET', '--json', ...args]);
  const { url } = JSON.parse(await listener.first);
  try {
    await use(`${url}/hooks`);
  } finally {
    listener.stop();
  }
  const { out, code } = await listener.end;
  return { code, arrivals: out.slice(1).map((line) => JSON.parse(line)) };
}

const send = async (url: string, ...args: string[]) => {
  const ran = await run(['send', url, '--secret-env', 'SECRET', '--json', ...args]);
  assert.is(ran.err, '');
  return { code: ran.code, report: JSON.parse(ran.out[0]!) };
};

const body = '{"id":"evt_1","seq":1}';
const tMs = 1_700_000_000_000;
const { header } = signWebhook({ secret, body, tMs });
const signedArgs = (path: string, value = header) => [
  ...['verify', '--secret-env', 'SECRET', '--header', value, '--body-file', path],
];
const nowArgs = ['--now', `${tMs}`];
const verifyArgs = (path: string, value = header) => [...signedArgs(path, value), ...nowArgs];

test('listen verifies the deliveries of send', async () => {
  const { arrivals, code } = await withListener([], async (url) => {
    const { code, report } = await send(url);
    assert.equal([code, report.status, report.as_expected], [0, 204, true]);
    const named = ['--kind', 'position.closed', '--seq', '42', '--event-id', 'evt_x'];
    const other = await send(url, ...named);
    assert.equal(JSON.parse(other.report.body).data.status, 'closed');
    await send(url, '--event-id', 'evt_x', '--subscription-id', '77');
    await send(url, '--category', 'account', '--data', '{"id":"1","name":"Zoë"}');
  });
  assert.is(code, 0);
  assert.equal(
    arrivals.map(({ kind, seq, verified, seen_before }) => [kind, seq, verified, seen_before]),
    [
      ['transaction.created', 1, true, false],
      ['position.closed', 42, true, false],
      ['transaction.created', 1, true, true],
      ['account.created', 1, true, false],
    ],
  );
  assert.equal([arrivals[0].subscription_id, arrivals[2].subscription_id], ['1', '77']);
  assert.is(arrivals[0].path, '/hooks');
});

test('every kind of tampering gets the expected response, or is advice', async () => {
  const { arrivals } = await withListener([], async (url) => {
    for (const [kind, check] of tamperings) {
      const { code, report } = await send(url, '--tamper', kind);
      assert.ok(code === 0 || check.group === 'advice', kind);
      assert.is(report.status, report.expected === 'accepted' ? 204 : 400, kind);
    }
  });
  const newline = arrivals[[...tamperings.keys()].indexOf('newline-added')];
  assert.equal([newline.reason, newline.causes[0].cause], ['mismatch', 'line_ends']);
});

test('EVT-5b: a delivery signed for another time is expected to be refused', async () => {
  const { arrivals } = await withListener([], async (url) => {
    assert.is((await send(url, '--at', '-4m')).report.status, 204);
    for (const at of ['-6m', '+6m', '2024-01-01T00:00:00Z', '1700000000000']) {
      const { code, report } = await send(url, '--at', at);
      assert.equal([code, report.expected, report.status], [0, 'refused', 400], at);
    }
  });
  const reasons = arrivals.map(({ reason }) => reason);
  assert.equal(reasons, [null, 'too_old', 'too_new', 'too_old', 'too_old']);
});

test('EVT-7: a previous secret signs too, and is also recognised alone', async () => {
  const { arrivals } = await withListener(['--previous-secret-env', 'OLD'], async (url) => {
    await send(url, '--previous-secret-env', 'OLD');
    await run(['send', url, '--secret-env', 'OLD']);
  });
  const [both, old] = arrivals;
  assert.equal([arrivals.length, both.verified], [2, true]);
  assert.is(both.signature.split('v1=').length, 3);
  assert.equal([old.verified, old.causes[0].cause], [false, 'previous_secret']);
});

test('a given body is sent byte for byte', async () => {
  const bytes = Buffer.from([0x7b, 0x00, 0xff, 0x0d, 0x0a]);
  const received: Buffer[] = [];
  const answer: RequestListener = async (request, response) => {
    for await (const chunk of request) received.push(chunk as Buffer);
    response.end();
  };
  await withReceiver(answer, async (url) => {
    await send(url, '--body-file', file('bytes', bytes));
    const stdin = Readable.from([bytes.subarray(0, 2), bytes.subarray(2)]);
    const args = ['send', url, '--secret-env', 'SECRET', '--body-file', '-'];
    const { code, out } = await run(args, { stdin });
    assert.equal([code, out.at(-1)], [0, '✓ the receiver accepted it, as it should']);
  });
  assert.ok(Buffer.concat(received).equals(Buffer.concat([bytes, bytes])));
});

test('the header names can be set', async () => {
  const names = ['--signature-header', 'X-Sig', '--subscription-header', 'X-Sub'];
  const { arrivals } = await withListener(names, async (url) => {
    assert.is((await send(url, ...names)).code, 0);
    assert.is((await send(url)).code, 1);
  });
  const rows = arrivals.map((arrival) => `${arrival.subscription_id} ${arrival.reason}`);
  assert.equal(rows, ['1 null', 'null no_header']);
});

test('exit code 1 when the response is not the expected one, or there is none', async () => {
  const answering = (status: number): RequestListener => {
    return (request, response) => {
      assert.is(request.url, '/hooks', 'a redirect is not followed');
      response.writeHead(status, { location: '/elsewhere' }).end();
    };
  };
  const tampered = ['--tamper', 'byte-changed', '--timeout-s', '1'];
  const table: [args: string[], answer: RequestListener, status: number | null, words: RegExp][] = [
    [tampered, fine, 200, /^fine$/],
    [tampered, silent, null, /within 1 s/],
    [tampered, (_, response) => void response.writeHead(200).write('a'), null, /within 1 s/],
    [tampered, (request) => request.destroy(), null, /other side closed|socket|ECONNRESET/i],
    [tampered, ({ socket }) => socket.end('nonsense\r\n\r\n'), null, /not HTTP: /],
    [[], answering(301), 301, /^$/],
    [[], answering(400), 400, /^$/],
    [[], answering(500), 500, /^$/],
    [[], answering(503), 503, /^$/],
  ];
  const judge = async ([args, answer, status, words]: (typeof table)[number]) =>
    withReceiver(answer, async (url) => {
      const { code, report } = await send(url, ...args);
      assert.equal([code, report.status], [1, status]);
      assert.match(status === null ? report.error : report.answer, words);
    });
  await Promise.all(table.map(judge));
  const closed = await withReceiver(silent, async (url) => url);
  assert.is((await send(closed)).report.error, 'the connection was refused');
});

test('only the beginning of an endless response is read', async () => {
  const answer: RequestListener = (_, response) => {
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    };
    response.on('drain', pour);
    pour();
  };
  await withReceiver(answer, async (url) => {
    const { report } = await send(url);
    assert.equal([report.status, report.answer.length], [200, 2000]);
  });
});

test('listen answers with the given status, and stops after a count', async () => {
  const args = ['listen', '--port', '0', '--secret-env', 'SECRET', '--status', '503'];
  const listener = start([...args, '--count', '2']);
  const url = (await listener.first).replace('listening on ', '');
  assert.is((await send(url)).report.status, 503);
  assert.is((await fetch(url)).status, 405);
  assert.is((await send(url, '--tamper', 'byte-changed')).report.status, 503);
  const { code, out } = await listener.end;
  assert.is(code, 1, 'one of them did not verify');
  assert.match(
    out.join('\n'),
    /transaction\.created evt_\w+ seq 1 to subscription 1\n {4}verified/,
  );
  assert.match(out.join('\n'), /mismatch: no v1 is/);
});

test('listen survives requests that are no deliveries', async () => {
  const { arrivals } = await withListener([], async (url) => {
    const statuses: number[] = [];
    for (const sent of ['', '[1,2', 'null', '{"id":7}', 'x'.repeat(11 * 1024 * 1024)]) {
      statuses.push((await fetch(url, { method: 'POST', body: sent })).status);
    }
    assert.equal(statuses, [400, 400, 400, 400, 413]);
    const aborted = request(url, { method: 'POST' });
    aborted.write('{');
    setTimeout(() => aborted.destroy(), 20);
    assert.is((await once(aborted, 'error'))[0].code, 'ECONNRESET');
    assert.is((await send(url)).report.status, 204);
  });
  assert.is(arrivals.length, 5);
});

test('a port in use is exit code 3', () =>
  withReceiver(silent, async (url) => {
    const { port } = new URL(url);
    const ran = await run(['listen', '--port', port, '--secret-env', 'SECRET']);
    assert.is(ran.code, 3);
    assert.match(ran.err, `--port: ${port} is in use`);
  }));

test('verify passes a good delivery, or names the first step that fails and the reason', async () => {
  const good = file('good.json', body);
  const old = signWebhook({ secret: 'whsec_old', body, tMs }).header;
  const previous = ['--previous-secret-env', 'OLD', '--json'];
  const at = (now: string) => ['--now', now];
  const table: [args: string[], code: number, ...words: RegExp[]][] = [
    [verifyArgs(good), 0, /^([^✓]*✓){5}[^✓]*\nVerified\.$/],
    [verifyArgs(good, `X-Webhook-Signature: ${header}`), 0, /Verified\.$/],
    [verifyArgs('-'), 0, /Verified\.$/],
    [
      verifyArgs(file('added.json', `${body}\n`)),
      1,
      /^✗ a v1 signs t, a dot and the 23 bytes of the body/m,
      /^Not verified: mismatch\.\nCause: .*white space/m,
    ],
    [verifyArgs(good, old), 1, /Perhaps: the secret is another one/],
    [[...verifyArgs(good, old), ...previous], 1, /"causes":\s*\[\{"cause":"previous_secret"/],
    // The signature is years old by the wall clock.
    [signedArgs(good), 1, /too_old/],
    [[...signedArgs(good), ...at('2023-11-14T22:18:20Z')], 0, /Verified/],
    [[...signedArgs(good), ...at('2023-11-14T22:18:21Z')], 1, /too_old/],
    [[...signedArgs(good), ...at('2023-11-14T22:18:21Z'), '--tolerance-s', '301'], 0, /Verified/],
  ];
  for (const [args, code, ...words] of table) {
    const ran = await run(args, { stdin: Readable.from([Buffer.from(body)]) });
    assert.is(ran.code, code, args.join(' '));
    for (const each of words) assert.match(ran.out.join('\n'), each);
  }
});

test('wrong usage is exit code 2, with the option named', async () => {
  const path = file('good.json', body);
  const sendTo = (...args: string[]) => ['send', 'http://localhost:1/', ...args];
  const signed = (...args: string[]) => sendTo('--secret-env', 'SECRET', ...args);
  const listen = (...args: string[]) => ['listen', '--secret-env', 'SECRET', ...args];
  const table: [args: string[], words: string][] = [
    [['nonsense'], 'nonsense'],
    [['send', '--secret-env', 'SECRET'], 'url'],
    [sendTo(), '--secret-env'],
    [sendTo('--secret-env', 'MISSING'), 'MISSING is not set'],
    [signed('--previous-secret-env', 'MISSING'), '--previous-secret-env'],
    [signed('--secret', 'x'), '--secret'],
    [signed('--tamper', 'bite-changed'), 'did you mean byte-changed?'],
    [signed('--category', 'nothing'), '--category'],
    [signed('--kind', 'nothing'), '--kind'],
    [signed('--kind', 'order.filled', '--category', 'account'), '--kind'],
    [signed('--data', '{"a":}'), '--data: is not JSON: line 1, column 6: unexpected'],
    [sendTo('--secret-env', secret), '--secret-env takes the name'],
    [signed('--seq', '1.5'), '--seq'],
    [signed('--at', 'yesterday'), '--at'],
    [signed('--at', '-10m', '--tamper', 'an-hour-old'), '--at'],
    [signed('--timeout-s', '0'), '--timeout-s'],
    [signed('--body-file', join(folder, 'none')), 'there is no such file'],
    [signed('--body-file', folder), 'it is a folder'],
    [signed('--body-file', path, '--kind', 'order.filled'), '--kind'],
    [signed('--signature-header', 'a b'), '--signature-header'],
    [signed('--subscription-id', 'a\nb'), '--subscription-id'],
    [['send', 'localhost:3000', '--secret-env', 'SECRET'], 'http://'],
    [['send', 'http://u:p@localhost/', '--secret-env', 'SECRET'], 'has no user name'],
    [listen('--port', '65536'), '--port'],
    [listen('--status', '100'), '--status'],
    [listen('--count', '0'), '--count'],
    [listen('--host', '203.0.113.1'), 'cannot listen'],
    [['verify', '--secret-env', 'SECRET', '--body-file', path], '--header'],
    [['verify', '--secret-env', 'SECRET', '--header', header], '--body-file'],
    [[...verifyArgs(path), '--now', 'soon'], '--now'],
    [[...verifyArgs(path), '--tolerance-s', '-1'], '--tolerance-s'],
  ];
  for (const [args, words] of table) {
    const { code, err, out } = await run(args);
    assert.equal([code, out], [2, []], args.join(' '));
    assert.match(err, words, args.join(' '));
  }
});

test('only loopback addresses are allowed, unless the host is confirmed', async () => {
  const local = ['localhost', '127.0.0.1', '127.1', '[::1]', 'LOCALHOST.', 'app.localhost'];
  const foreign = ['example.com', '10.0.0.1', '[::2]', 'localhost.example.com', '0.0.0.0'];
  for (const host of [...local, ...foreign]) {
    const { code, err } = await run(['send', `http://${host}:1/`, '--secret-env', 'SECRET']);
    // Exit code 1: it is sent, and there is no response.
    const isLocal = local.includes(host);
    assert.is(code, isLocal ? 1 : 2, host);
    assert.match(err, isLocal ? /^$/ : /--i-own-this-host/);
  }
  await withReceiver(fine, async (url) => {
    assert.is((await send(url, '--i-own-this-host')).code, 0);
  });
});

test('as a separate program it listens, reports, and stops on a signal', async () => {
  const args = ['webhooks', 'listen', '--port', '0', '--secret-env', 'SECRET', '--json'];
  const program = new Program([SANDBOX, ...args], { env: { SECRET: secret } });
  try {
    await program.says('\n');
    assert.is((await send(JSON.parse(program.out).url)).report.status, 204);
    program.signal('SIGTERM');
    const { code, out } = await program.ended;
    assert.is(code, 0);
    assert.is(JSON.parse(out.split('\n')[1]!).verified, true);
  } finally {
    program.signal('SIGKILL');
  }
});

test('vectors: the output equals the published file', async () => {
  const { out } = await run(['vectors']);
  const { vectors } = JSON.parse(out.join('\n')) as { vectors: readonly Record<string, unknown>[] };
  const verdicts = new Set(vectors.map(({ verdict }) => verdict));
  assert.equal([vectors.length > 40, [...verdicts]], [true, ['accept', 'refuse']]);
});

test('none of these commands printed the secret', () => {
  assert.ok(printed.length > 100, `${printed.length} outputs`);
  assert.not.match(printed.join('\n'), secret);
});

test.run();
