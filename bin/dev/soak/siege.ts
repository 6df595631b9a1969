// Everything at once on the built sandbox, interval after interval; between two intervals all that was
// made is removed, every invariant is checked, and what the process still holds is measured.
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
import { BuiltSandbox, type Gauge, Refused } from './built-sandbox.ts';

const callers = 8;
const intervalMs = 30_000;
const leastIntervals = 3;
/** What a stream or a delivery leaves behind has ended by then. */
const restMs = 1000;
const mebibyte = 1024 * 1024;

export async function siege({ seconds, seed }: { seconds: number; seed: number }) {
  await phoneTables.load();
  const folder = mkdtempSync(join(tmpdir(), 'siege-'));
  const sandbox = await BuiltSandbox.start('--state', join(folder, 'state.json'));
  const receiver = await startReceiver(drawFrom(seed));
  const broken: string[] = [];
  const gauges: Gauge[] = [];
  const count = Math.max(leastIntervals, Math.ceil((seconds * 1000) / intervalMs));
  try {
    for (let n = 0; n < count && sandbox.isAlive; n += 1) {
      const interval = new Interval(sandbox, receiver.url, seed * 1009 + n);
      gauges.push(await interval.run((seconds * 1000) / count));
      broken.push(...[...interval.broken].map((each) => `interval ${n}: ${each}`));
      const { heapBytes, handles } = gauges.at(-1) as Gauge;
      const heap = (heapBytes / mebibyte).toFixed(1);
      console.log(`interval ${n}: ${interval.calls} calls, ${heap} MiB heap, ${handles} handles`);
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

/** The first interval warms up; then the least of the early and of the late ones are compared. */
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

class Interval {
  readonly broken = new Set<string>();
  calls = 0;
  readonly #sandbox: BuiltSandbox;
  readonly #receiverUrl: string;
  readonly #draw: Draw;
  readonly #stop = new AbortController();
  readonly #pool: Pool;
  #worlds: string[] = [];
  #targets: World[] = [];
  #made = 0;

  constructor(sandbox: BuiltSandbox, receiverUrl: string, seed: number) {
    this.#sandbox = sandbox;
    this.#receiverUrl = receiverUrl;
    this.#draw = drawFrom(seed);
    this.#pool = new Pool(sandbox.ready.base_url, { connections: 24, pipelining: 1 });
  }

  async run(lastsMs: number): Promise<Gauge> {
    await this.#prepare('');
    this.#targets = [await this.#sandbox.world()];
    const all = [
      ...Array.from({ length: callers }, () => this.#repeat(() => this.#call())),
      this.#repeat(() => this.#operate()),
      this.#repeat(() => this.#followChannel()),
      this.#repeat(() => this.#followStream()),
      this.#repeat(() => this.#refreshTargets()),
    ];
    await pause(lastsMs);
    this.#stop.abort();
    await Promise.all(all);
    for (const name of ['', ...this.#worlds]) {
      const world = await this.#sandbox.world(pathIn(name, 'state'));
      for (const problem of new Invariants().problems(world))
        this.broken.add(`${name}: ${problem}`);
    }
    await this.#clear();
    await this.#pool.destroy();
    await pause(restMs);
    return this.#sandbox.gauge();
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (!this.#stop.signal.aborted && this.#sandbox.isAlive) await step();
  }

  /** Calls are drawn from what the worlds hold by now. */
  async #refreshTargets(): Promise<void> {
    await pause(1000, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    const worlds = ['', ...this.#worlds].map((name) =>
      this.#sandbox.world(pathIn(name, 'state')).catch(() => []),
    );
    this.#targets = (await Promise.all(worlds)).flat();
  }

  async #call(): Promise<void> {
    const draw = this.#draw;
    const { method, target, headers, body } = makeCall(
      draw,
      pick(draw, this.#targets),
      '{"odd":[1e999]}',
    );
    if (!target.startsWith('/api') || method === 'BREW' || method === 'TRACE') return;
    const known = Object.entries(headers).filter(([, value]) => value !== undefined);
    try {
      const response = await this.#pool.request({
        method: method as 'GET',
        path: target,
        headers: Object.fromEntries(known) as Record<string, string>,
        body: method === 'GET' || method === 'HEAD' ? null : Buffer.from(body),
        signal: AbortSignal.timeout(2500),
      });
      const text = await response.body.text();
      this.calls += 1;
      if (method === 'HEAD' || response.headers['x-sandbox-fault'] !== undefined) return;
      const [contentType = ''] = String(response.headers['content-type'] ?? '').split(';');
      const reply = {
        status: response.statusCode,
        contentType: contentType as 'text/plain',
        body: text,
      };
      const wrong = findWrongReply({ ...reply, isForeign: true });
      if (wrong !== null) this.broken.add(`${method} ${target.slice(0, 200)}: ${wrong}`);
    } catch (error) {
      // Faults reset, cut and hang; and undici refuses to send what no header can hold.
      const { name, code, message } = error as Error & { code?: string };
      const expected = ['UND_ERR_INVALID_ARG', 'UND_ERR_SOCKET', 'ECONNRESET'].includes(code ?? '');
      if (!expected && name !== 'TimeoutError') this.broken.add(`${name} ${code}: ${message}`);
    }
  }

  async #operate(): Promise<void> {
    await pause(20 + this.#draw(60));
    try {
      await this.#order();
    } catch (error) {
      // An order may come too late or twice.
      if (error instanceof Refused && [404, 409, 422].includes(error.status)) return;
      this.broken.add(`the control plane: ${(error as Error).message.slice(0, 300)}`);
    }
  }

  async #order(): Promise<void> {
    const draw = this.#draw;
    const order = (method: string, path: string, body?: unknown) =>
      this.#sandbox.control(method, path, body);
    const kind = draw(16);
    if (kind < 4) await order('POST', 'faults', makeFault(draw));
    else if (kind < 6) await order('DELETE', 'faults');
    else if (kind < 8)
      await order('POST', 'clock/advance', { by_ms: pick(draw, [50, 2000, 40_000]) });
    else if (kind === 8) await order('POST', 'clock/advance', { to_next: true });
    else if (kind === 9) await this.#makeWorld();
    else if (kind === 10 && this.#worlds.length > 0) {
      await order('DELETE', `worlds/${this.#worlds.shift()}`);
    } else if (kind === 11) await order('POST', 'snapshots', { name: `shot-${draw(3)}` });
    else if (kind === 12) await order('DELETE', `snapshots/shot-${draw(3)}`);
    else if (kind === 13) await order('PUT', 'state', await order('GET', 'state'));
    else if (kind === 14)
      await order('POST', 'events', { category: 'account', account_id: '1001' });
    else
      await order(
        'GET',
        `${pick(draw, ['accounts', 'requests', 'deliveries'])}?limit=${1 + draw(50)}`,
      );
  }

  async #makeWorld(): Promise<void> {
    if (this.#worlds.length >= 4) return;
    this.#made += 1;
    const name = `w${this.#made}`;
    const from = this.#draw(3) === 0 ? { from: 'default' } : { world: 'default', seed: this.#made };
    await this.#sandbox.control('POST', 'worlds', { name, ...from });
    // A copy has the faults of its original, which would hit what prepares it.
    await this.#sandbox.control('DELETE', `worlds/${name}/faults`);
    this.#worlds.push(name);
    await this.#prepare(name);
  }

  /** Lifts the limits of all credentials but one, and subscribes to events. */
  async #prepare(name: string): Promise<void> {
    const from = 'https://hooks.example.com';
    await this.#sandbox.control('PUT', pathIn(name, 'forwards'), { from, to: this.#receiverUrl });
    await this.#sandbox.liftLimits(pathIn(name, ''), (credential) => credential !== 'other-firm');
    const { credentials } = (await this.#sandbox.control('GET', pathIn(name, 'credentials'))) as {
      readonly credentials: readonly { readonly name: string; readonly token: string }[];
    };
    const response = await fetch(`${this.#sandbox.ready.base_url}/api/v1/webhooks`, {
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
  async #followChannel(): Promise<void> {
    const { base_url: url } = this.#sandbox.ready;
    const query = `access_token=${this.#sandbox.tokenOf('firm')}&after_seq=0`;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/events?${query}`);
    let last = 0;
    socket.on('message', (bytes: Buffer) => {
      const { seq } = JSON.parse(bytes.toString()) as { readonly seq: number };
      if (seq <= last) this.broken.add(`the events channel sent ${seq} after ${last}`);
      last = seq;
    });
    // A fault may hit the handshake, and a world may be replaced.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await pause(200 + this.#draw(1500));
    socket.terminate();
    await closed;
  }

  async #followStream(): Promise<void> {
    const ends = AbortSignal.timeout(300 + this.#draw(2000));
    try {
      const { body } = await fetch(`${this.#sandbox.ready.control_url}/stream`, { signal: ends });
      for await (const _ of body as AsyncIterable<Uint8Array>);
    } catch (error) {
      if (!ends.aborted) this.broken.add(`the stream broke: ${(error as Error).message}`);
    }
  }

  /** Removes all that was made, so that what is left is what the process leaks. */
  async #clear(): Promise<void> {
    const { control } = this.#sandbox;
    const order = control.bind(this.#sandbox);
    await order('DELETE', 'faults');
    for (const name of this.#worlds) await order('DELETE', `worlds/${name}`);
    const { snapshots } = (await order('GET', 'snapshots')) as {
      readonly snapshots: readonly { readonly name: string }[];
    };
    for (const { name } of snapshots) await order('DELETE', `snapshots/${name}`);
    await order('POST', 'reset');
  }
}

const pathIn = (world: string, path: string) => (world === '' ? path : `worlds/${world}/${path}`);
