// Signed deliveries a second against a bare undici loop, hours of retries at once, and what
// receivers that are down or slow cost.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '../root.ts';
import { type Figure, median, medianRatio } from './figures.ts';
import { drive } from './load.ts';
import { Receiver } from './receiver.ts';
import { createAccountRequests } from './requests.ts';
import { type SandboxSubject, startSandbox } from './sandbox.ts';
import { isPinned, withScales } from './subject.ts';

// Many short rounds: a neighbour who takes the machine for some seconds spoils few of them.
const rounds = 11;
const loopMs = 700;
const rowsABatch = 1000;
const hour = 3_600_000;
const unlimited = 100_000_000;
const nodeOptions = [...withScales, '--max-old-space-size=8192'];

export async function deliveries(log: (line: string) => void): Promise<Figure[]> {
  return [
    ...(await speed(log, 50)),
    ...(await speed(log, 1)),
    await retries(1000, 2000),
    await retries(1, 100),
    await whileDown(log),
    await whileSlow(log),
  ];
}

/** A sandbox whose subscriptions lead to one receiver. */
class Harness {
  readonly sandbox: SandboxSubject;
  readonly receiver: Receiver;
  readonly #token: string;
  #made = 0;

  private constructor(sandbox: SandboxSubject, receiver: Receiver, token: string) {
    this.sandbox = sandbox;
    this.receiver = receiver;
    this.#token = token;
  }

  static async begin(subscriptions: number): Promise<Harness> {
    const sandbox = await startSandbox(nodeOptions);
    const receiver = await Receiver.start();
    const made = await sandbox.control('POST', 'credentials', {
      firm_id: '1',
      brand_id: '10',
      scopes: ['accounts:write', 'webhooks:manage'],
      rate_per_second: unlimited,
    });
    const harness = new Harness(sandbox, receiver, (made as { token: string }).token);
    await sandbox.control('PUT', 'forwards', {
      from: 'https://hooks.example.com',
      to: `http://127.0.0.1:${receiver.port}`,
    });
    for (let n = 0; n < subscriptions; n += 1) {
      const url = `https://hooks.example.com/${n}`;
      await harness.post('webhooks', { url, event_categories: ['account'] });
    }
    return harness;
  }

  async post(path: string, body: unknown): Promise<void> {
    this.#made += 1;
    const response = await fetch(`http://127.0.0.1:${this.sandbox.port}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        'idempotency-key': `bench-${this.#made}`,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  }

  /** So many events, made by as many new accounts. */
  async triggerEvents(count: number): Promise<void> {
    for (let from = 0; from < count; from += rowsABatch) {
      this.#made += 1;
      const accounts = Array.from({ length: Math.min(rowsABatch, count - from) }, (_, row) => {
        const name = `made-${this.#made}-${row}`;
        return { client_reference_id: name, email: `${name}@example.com` };
      });
      await this.post('accounts/bulk', { accounts });
    }
  }

  async stop(): Promise<void> {
    await this.sandbox.stop();
    this.receiver.stop();
  }
}

async function speed(log: (line: string) => void, subscriptions: number): Promise<Figure[]> {
  const events = subscriptions === 1 ? 5000 : 500;
  const harness = await Harness.begin(subscriptions);
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    for (let round = -1; round < rounds; round++) {
      const pair = [
        await deliver(harness, subscriptions, events),
        await loop(harness, subscriptions),
      ];
      log(
        `deliveries: ${subscriptions} at once: ${pair.map(Math.round).join(' and bare ')} a second`,
      );
      if (round < 0) continue;
      ours.push(pair[0] as number);
      bare.push(pair[1] as number);
    }
  } finally {
    await harness.stop();
  }
  const perSecond = (values: readonly number[]) =>
    `${Math.round(median(values)).toLocaleString('en')}/s`;
  const name =
    subscriptions === 1 ? 'one subscription, in order' : `${subscriptions} subscriptions`;
  return [
    { name: `undici.request, ${subscriptions} at once`, value: perSecond(bare) },
    {
      name: `signed deliveries, ${name}`,
      value: perSecond(ours),
      ratio: medianRatio(ours, bare),
      aim: { atLeast: subscriptions === 1 ? 0.8 : 0.7 },
    },
  ];
}

/** Events gather while the first of them is held; then time runs. */
async function deliver(harness: Harness, subscriptions: number, events: number): Promise<number> {
  const { receiver } = harness;
  receiver.answering = 'hold';
  const before = receiver.arrived;
  await harness.triggerEvents(events);
  await receiver.until(before + subscriptions);
  const beganMs = performance.now();
  receiver.release();
  await receiver.until(before + subscriptions * events);
  return ((events - 1) * subscriptions * 1000) / (performance.now() - beganMs);
}

async function loop({ receiver }: Harness, connections: number): Promise<number> {
  receiver.answering = 'ok';
  const script = 'bin/dev/bench/clients/undici-request.js';
  const url = `http://127.0.0.1:${receiver.port}/`;
  const command = [process.execPath, script, url, String(connections), String(loopMs)];
  const [program, ...args] = isPinned() ? ['taskset', '-c', '0', ...command] : command;
  const { stdout } = await promisify(execFile)(program as string, args, { cwd: root });
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

/** 21 hours of retries, asked for and answered over HTTP. */
async function retries(subscriptions: number, atMost: number): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const harness = await Harness.begin(subscriptions);
    try {
      harness.receiver.answering = 'fail';
      await harness.triggerEvents(1);
      await harness.receiver.until(subscriptions);
      const beganMs = performance.now();
      await harness.sandbox.control('POST', 'clock/advance', { by_ms: 21 * hour });
      times.push(performance.now() - beganMs);
      const { arrived } = harness.receiver;
      if (arrived !== 8 * subscriptions) throw new Error(`${arrived} attempts arrived`);
    } finally {
      await harness.stop();
    }
  }
  const measured = median(times);
  const name = `21 hours of retries of ${subscriptions.toLocaleString('en')}`;
  return { name, value: `${measured.toFixed(0)} ms`, measured, aim: { atMost } };
}

/** 100,000 events with a receiver that is down, against the same without a subscription. */
async function whileDown(log: (line: string) => void): Promise<Figure> {
  const weigh = async (subscriptions: number): Promise<number> => {
    const harness = await Harness.begin(subscriptions);
    try {
      harness.receiver.answering = 'fail';
      await harness.triggerEvents(2000);
      // What is loaded with the first delivery is not what events cost.
      await harness.receiver.until(subscriptions);
      const before = await harness.sandbox.weigh();
      await harness.triggerEvents(100_000);
      const grown = ((await harness.sandbox.weigh()) - before) / 1024 / 1024;
      log(`deliveries: ${subscriptions} receivers down: ${grown.toFixed(1)} MB more`);
      return grown;
    } finally {
      await harness.stop();
    }
  };
  const measured = (await weigh(10)) - (await weigh(0));
  return {
    name: '100,000 events while 10 receivers are down, beyond the events themselves',
    value: `${measured.toFixed(1)} MB`,
    measured,
    aim: { atMost: 2 },
  };
}

/** The API's own speed while 50 receivers never answer. */
async function whileSlow(log: (line: string) => void): Promise<Figure> {
  const [free, slow] = [await Harness.begin(0), await Harness.begin(50)];
  slow.receiver.answering = 'hold';
  const speeds = { free: [] as number[], slow: [] as number[] };
  try {
    for (let round = -1; round < rounds; round++) {
      const pair = { free: await load(free), slow: await load(slow) };
      log(`deliveries: API ${Math.round(pair.slow)}/s with slow receivers`);
      if (round < 0) continue;
      speeds.free.push(pair.free);
      speeds.slow.push(pair.slow);
    }
  } finally {
    await free.stop();
    await slow.stop();
  }
  return {
    name: 'createAccount while 50 receivers never answer, against none',
    value: `${Math.round(median(speeds.slow)).toLocaleString('en')}/s`,
    ratio: medianRatio(speeds.slow, speeds.free),
    aim: { atLeast: 0.9 },
  };
}

async function load({ sandbox: { port, token } }: Harness): Promise<number> {
  const next = createAccountRequests({ port, token });
  return (await drive({ port, durationMs: loopMs, next })).perSecond;
}
