// All kinds of load together on the built sandbox, in intervals; between two intervals all created
// records are removed, every invariant is checked, and the remaining resources are measured.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import { findWrongReply, Invariants } from '../../../simulator/core/testing/invariants.ts';
import {
  type Draw,
  drawFrom,
  makeCall,
  makeFault,
  pick,
} from '../../../simulator/core/testing/random-inputs.ts';
import { phoneTables } from '../../../simulator/core/values/phone.ts';
import type { World } from '../../../simulator/core/world.ts';
import { type Program, Refused } from '../program.ts';
import { type Gauge, gaugeOf, mebibyte, startSandbox, worldOf } from './sandbox.ts';

const callers = 8;
const intervalMs = 30_000;
const leastIntervals = 3;
/** After this time the timers of a stream or a delivery have ended. */
const restMs = 1000;
const unlimited = { rate_per_second: 1_000_000 };

export async function siege({ seconds, seed }: { seconds: number; seed: number }) {
  await phoneTables.load();
  const folder = mkdtempSync(join(tmpdir(), 'siege-'));
  const sandbox = await startSandbox('--state', join(folder, 'state.json'));
  const receiver = await startReceiver(drawFrom(seed));
  const broken: string[] = [];
  const gauges: Gauge[] = [];
  const count = Math.max(leastIntervals, Math.ceil((seconds * 1000) / intervalMs));
  try {
    for (let n = 0; n < count && sandbox.isAlive; n += 1) {
      const lastsMs = (seconds * 1000) / count;
      const played = await playInterval(sandbox, receiver.url, seed * 1009 + n, lastsMs);
      gauges.push(played.gauge);
      broken.push(...[...played.broken].map((each) => `interval ${n}: ${each}`));
      const { heapBytes, handles } = played.gauge;
      const heap = (heapBytes / mebibyte).toFixed(1);
      console.log(`interval ${n}: ${played.calls} calls, ${heap} MiB heap, ${handles} handles`);
    }
    const exitCode = await sandbox.stop();
    if (exitCode !== 0) broken.push(`it ended with ${exitCode}: ${sandbox.stderr}`);
    if (/failure|Error/.test(sandbox.stderr)) broken.push(`stderr: ${sandbox.stderr}`);
    return [...broken, ...findGrowth(gauges)];
  } finally {
    await sandbox.stop('SIGKILL');
    receiver.close();
    rmSync(folder, { recursive: true });
  }
}

/** The first interval is a warm-up; then the minimum of the early and of the late ones is compared. */
function findGrowth([, ...gauges]: readonly Gauge[]): string[] {
  const third = Math.max(1, Math.floor(gauges.length / 3));
  const least = (part: readonly Gauge[], read: (gauge: Gauge) => number) =>
    Math.min(...part.map(read));
  const grows = (what: string, slack: number, read: (gauge: Gauge) => number) => {
    const before = least(gauges.slice(0, third), read);
    const after = least(gauges.slice(-third), read);
    return after > before + slack ? [`${what} grew from ${before} to ${after}`] : [];
  };
  return [
    ...grows('heap bytes', 6 * mebibyte, ({ heapBytes }) => heapBytes),
    ...grows('handles', 4, ({ handles }) => handles),
  ];
}

/** A receiver that fails, redirects, hangs up, is slow or answers too much. */
async function startReceiver(draw: Draw) {
  const large = Buffer.alloc(256 * 1024, 'x');
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const kind = draw(20);
      if (kind === 0) response.destroy();
      else if (kind === 1) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      else if (kind === 2) setTimeout(() => response.writeHead(204).end(), 150);
      else if (kind === 3) response.writeHead(200).end(large);
      else response.writeHead(kind < 8 ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}

/** Plays for `lastsMs`, checks every invariant, removes all records, and measures the rest. */
async function playInterval(sandbox: Program, receiverUrl: string, seed: number, lastsMs: number) {
  const draw = drawFrom(seed);
  const broken = new Set<string>();
  const stop = new AbortController();
  const pool = new Pool(sandbox.ready.base_url, { connections: 24, pipelining: 1 });
  const worlds: string[] = [];
  let targets: World[] = [];
  let count = 0;
  let calls = 0;

  const order = <Answer>(method: string, path: string, body?: unknown) =>
    sandbox.control<Answer>(method, path, body);
  const stateOf = (name: string) => worldOf(sandbox, pathIn(name, 'state'));

  async function repeat(step: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted && sandbox.isAlive) await step();
  }

  /** Calls are drawn from the current records of the worlds. */
  async function refreshTargets(): Promise<void> {
    await pause(1000, undefined, { signal: stop.signal }).catch(() => undefined);
    const found = ['', ...worlds].map((name) => stateOf(name).catch(() => []));
    targets = (await Promise.all(found)).flat();
  }

  async function call(): Promise<void> {
    const drawn = makeCall(draw, pick(draw, targets), '{"odd":[1e999]}');
    const { method, target, headers, body } = drawn;
    if (!target.startsWith('/api') || method === 'BREW' || method === 'TRACE') return;
    const known = Object.entries(headers).filter(([, value]) => value !== undefined);
    try {
      const response = await pool.request({
        method: method as 'GET',
        path: target,
        headers: Object.fromEntries(known) as Record<string, string>,
        body: method === 'GET' || method === 'HEAD' ? null : Buffer.from(body),
        signal: AbortSignal.timeout(2500),
      });
      const text = await response.body.text();
      calls += 1;
      if (method === 'HEAD' || response.headers['x-sandbox-fault'] !== undefined) return;
      const [contentType = ''] = String(response.headers['content-type'] ?? '').split(';');
      const wrong = findWrongReply({
        status: response.statusCode,
        contentType: contentType as 'text/plain',
        body: text,
        isForeign: true,
      });
      if (wrong !== null) broken.add(`${method} ${target.slice(0, 200)}: ${wrong}`);
    } catch (error) {
      // Faults reset, cut and hang connections; and undici refuses to send invalid header values.
      const { name, code, message } = error as Error & { code?: string };
      const expected = ['UND_ERR_INVALID_ARG', 'UND_ERR_SOCKET', 'ECONNRESET'].includes(code ?? '');
      if (!expected && name !== 'TimeoutError') broken.add(`${name} ${code}: ${message}`);
    }
  }

  async function operate(): Promise<void> {
    await pause(20 + draw(60));
    try {
      await drawOrder();
    } catch (error) {
      // The operator's call may be too late or a repeat.
      if (error instanceof Refused && [404, 409, 422].includes(error.status)) return;
      broken.add(`the control plane: ${(error as Error).message.slice(0, 300)}`);
    }
  }

  async function drawOrder(): Promise<unknown> {
    const kind = draw(16);
    if (kind < 4) return order('POST', 'faults', makeFault(draw));
    if (kind < 6) return order('DELETE', 'faults');
    if (kind < 8) return order('POST', 'clock/advance', { by_ms: pick(draw, [50, 2000, 40_000]) });
    if (kind === 8) return order('POST', 'clock/advance', { to_next: true });
    if (kind === 9) return makeWorld();
    if (kind === 10 && worlds.length > 0) return order('DELETE', `worlds/${worlds.shift()}`);
    if (kind === 11) return order('POST', 'snapshots', { name: `shot-${draw(3)}` });
    if (kind === 12) return order('DELETE', `snapshots/shot-${draw(3)}`);
    if (kind === 13) return order('PUT', 'state', await order('GET', 'state'));
    if (kind === 14) return order('POST', 'events', { category: 'account', account_id: '1001' });
    const list = pick(draw, ['accounts', 'requests', 'deliveries']);
    return order('GET', `${list}?limit=${1 + draw(50)}`);
  }

  async function makeWorld(): Promise<void> {
    if (worlds.length >= 4) return;
    count += 1;
    const name = `w${count}`;
    const from = draw(3) === 0 ? { from: 'default' } : { world: 'default', seed: count };
    await order('POST', 'worlds', { name, ...from });
    // A copy has the faults of its original, which would affect the requests that prepare it.
    await order('DELETE', `worlds/${name}/faults`);
    worlds.push(name);
    await prepare(name);
  }

  /** Lifts the limits of all credentials but one, and subscribes to events. */
  async function prepare(name: string): Promise<void> {
    const from = 'https://hooks.example.com';
    await order('PUT', pathIn(name, 'forwards'), { from, to: receiverUrl });
    for (const firm of [1, 2]) await order('PATCH', pathIn(name, `firms/${firm}`), unlimited);
    const { credentials } = await order<Credentials>('GET', pathIn(name, 'credentials'));
    for (const { client_id: id } of credentials.filter((each) => each.name !== 'other-firm')) {
      await order('PATCH', pathIn(name, `credentials/${id}`), unlimited);
    }
    const response = await fetch(`${sandbox.ready.base_url}/api/v1/webhooks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${credentials.find((each) => each.name === 'firm')?.token}`,
        'content-type': 'application/json',
        'idempotency-key': `siege-${name}`,
      },
      body: JSON.stringify({
        url: `${from}/${name}`,
        event_categories: ['account', 'transaction'],
      }),
    });
    await response.arrayBuffer();
  }

  /** EVT: sequence numbers only grow on one connection. */
  async function followChannel(): Promise<void> {
    const url = sandbox.ready.base_url.replace('http', 'ws');
    const query = `access_token=${sandbox.tokenOf('firm')}&after_seq=0`;
    const socket = new WebSocket(`${url}/api/v1/events?${query}`);
    let last = 0;
    socket.on('message', (bytes: Buffer) => {
      const { seq } = JSON.parse(bytes.toString()) as { readonly seq: number };
      if (seq <= last) broken.add(`the events channel sent ${seq} after ${last}`);
      last = seq;
    });
    // A fault may affect the handshake, and a world may be replaced.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await pause(200 + draw(1500));
    socket.terminate();
    await closed;
  }

  async function followStream(): Promise<void> {
    const ends = AbortSignal.timeout(300 + draw(2000));
    try {
      const { body } = await fetch(`${sandbox.ready.control_url}/stream`, { signal: ends });
      for await (const _ of body as AsyncIterable<Uint8Array>);
    } catch (error) {
      if (!ends.aborted) broken.add(`the stream broke: ${(error as Error).message}`);
    }
  }

  await prepare('');
  targets = [await stateOf('')];
  const steps = [operate, followChannel, followStream, refreshTargets];
  const playing = [...Array.from({ length: callers }, () => call), ...steps].map(repeat);
  await pause(lastsMs);
  stop.abort();
  await Promise.all(playing);
  for (const name of ['', ...worlds]) {
    const problems = new Invariants().problems(await stateOf(name));
    for (const problem of problems) broken.add(`${name}: ${problem}`);
  }
  // Removes all records, so that the remaining resources are leaks.
  await order('DELETE', 'faults');
  for (const name of worlds) await order('DELETE', `worlds/${name}`);
  const { snapshots } = await order<{ snapshots: { name: string }[] }>('GET', 'snapshots');
  for (const { name } of snapshots) await order('DELETE', `snapshots/${name}`);
  await order('POST', 'reset');
  await pool.destroy();
  await pause(restMs);
  return { broken, calls, gauge: await gaugeOf(sandbox) };
}

interface Credentials {
  readonly credentials: readonly Record<'name' | 'token' | 'client_id', string>[];
}

const pathIn = (world: string, path: string) => (world === '' ? path : `worlds/${world}/${path}`);
