// `npm run bench [-- --write]`: eight figures of the built programs, as ratios against bare servers that
// are measured in the same run. `--write` puts the table into README.md; ends with 1 if an aim is missed.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { createAccountRequests, drive } from './bench/load.ts';
import {
  BenchSandbox,
  nodeHttp,
  onServerCore,
  type Program,
  pinSelf,
  startProgram,
} from './bench/programs.ts';
import { Receiver } from './bench/receiver.ts';
import { build } from './build/build.ts';
import { root } from './root.ts';

interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly aim: string;
  readonly isMet: boolean;
}

const run = promisify(execFile);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (
    sum([sorted[(sorted.length - 1) >> 1] as number, sorted[sorted.length >> 1] as number]) / 2
  );
}

/** The median of each round's ratio: what slows the machine for a while slows both sides of it. */
async function compare(
  rounds: number,
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<number> {
  const ratios: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const ratio = (await ours()) / (await bare());
    if (round > 0) ratios.push(ratio);
  }
  return median(ratios);
}

const atLeast = (what: string, ratio: number, least: number): Figure => ({
  what,
  measured: `× ${ratio.toFixed(2)}`,
  aim: `at least ${least}`,
  isMet: ratio >= least,
});
const atMost = (what: string, value: number, most: number, unit: string): Figure => ({
  what,
  measured:
    unit === '×' ? `× ${value.toFixed(2)}` : `${value.toFixed(unit === 's' ? 1 : 0)} ${unit}`,
  aim: `at most ${most}`,
  isMet: value <= most,
});

async function perSecond(program: Program, token: string, options = {}): Promise<number> {
  const next = createAccountRequests({ port: program.port, token, ...options });
  const result = await drive({ port: program.port, durationMs: 500, next });
  const created = result.statuses.get(201) ?? 0;
  if (created < 0.99 * sum([...result.statuses.values()])) {
    throw new Error(`expected 201, got ${JSON.stringify([...result.statuses])}`);
  }
  return result.perSecond;
}

/** From the start of the process to its first answer, which has to be 201. */
async function firstAnswerMs(start: () => Promise<Program>): Promise<number> {
  const startedAtMs = performance.now();
  const program = await start();
  const next = createAccountRequests({ port: program.port, token: program.token });
  const { statuses } = await drive({ port: program.port, durationMs: 0, next, connections: 1 });
  const tookMs = performance.now() - startedAtMs;
  await program.stop();
  if (!statuses.has(201)) throw new Error(`the first answer was ${[...statuses.keys()]}`);
  return tookMs;
}

async function measureStart(): Promise<Figure[]> {
  const sandboxArgs = ['bin/sandbox.js', 'start', '--port', '0', '--json'];
  const ratio = await compare(
    15,
    () => firstAnswerMs(() => startProgram(sandboxArgs)),
    () => firstAnswerMs(() => startProgram(nodeHttp)),
  );
  const program = await startProgram(sandboxArgs);
  await pause(2000);
  const megabytes = program.residentBytes() / 1024 / 1024;
  await program.stop();
  return [
    atMost('start to the first answer, against bare `node:http`', ratio, 2.2, '×'),
    atMost('memory at rest', megabytes, 80, 'MB'),
  ];
}

async function measureThroughput(): Promise<Figure[]> {
  const bare = await startProgram(nodeHttp);
  const sandbox = await BenchSandbox.start();
  const full = await BenchSandbox.start();
  await full.createAccounts(100_000);
  const onBare = () => perSecond(bare, 'none');
  const fresh = () => perSecond(sandbox, sandbox.token);
  const replay = () => perSecond(sandbox, sandbox.token, { sameKey: true });
  const figures = [
    atLeast('creates per second, against bare `node:http`', await compare(15, fresh, onBare), 0.5),
    atLeast('replays per second, against bare `node:http`', await compare(15, replay, onBare), 0.6),
    atLeast(
      'creates per second with 100,000 accounts, against few',
      await compare(7, () => perSecond(full, full.token), fresh),
      0.8,
    ),
  ];
  await Promise.all([bare.stop(), sandbox.stop(), full.stop()]);
  return figures;
}

async function measureDeliveries(): Promise<Figure[]> {
  const subscriptions = 50;
  const events = 500;
  const { sandbox, receiver } = await startSubscribed(subscriptions);
  // Events gather while the first of them is held.
  const deliver = async () => {
    receiver.answering = 'hold';
    const before = receiver.arrived;
    await sandbox.createAccounts(events);
    await receiver.until(before + subscriptions);
    const startedAtMs = performance.now();
    receiver.release();
    await receiver.until(before + subscriptions * events);
    return ((events - 1) * subscriptions * 1000) / (performance.now() - startedAtMs);
  };
  const bare = async () => {
    receiver.answering = 'ok';
    const url = `http://127.0.0.1:${receiver.port}/`;
    const script = ['bin/dev/bench/undici-request.js', url, String(subscriptions), '700'];
    const [program = '', ...args] = onServerCore([process.execPath, ...script]);
    const { stdout } = await run(program, args, { cwd: root });
    return (JSON.parse(stdout) as { perSecond: number }).perSecond;
  };
  const ratio = await compare(11, deliver, bare);
  receiver.stop();
  await sandbox.stop();
  return [atLeast('signed deliveries per second, against bare undici', ratio, 0.7)];
}

async function measureRetries(): Promise<Figure[]> {
  const subscriptions = 1000;
  const { sandbox, receiver } = await startSubscribed(subscriptions);
  receiver.answering = 'fail';
  await sandbox.createAccounts(1);
  await receiver.until(subscriptions);
  const startedAtMs = performance.now();
  await sandbox.control('POST', 'clock/advance', { by_ms: 21 * 3_600_000 });
  const tookMs = performance.now() - startedAtMs;
  const { arrived } = receiver;
  receiver.stop();
  await sandbox.stop();
  if (arrived !== 8 * subscriptions) throw new Error(`${arrived} attempts arrived`);
  return [atMost('21 hours of retries to 1,000 receivers', tookMs, 2000, 'ms')];
}

async function startSubscribed(count: number) {
  const sandbox = await BenchSandbox.start();
  const receiver = await Receiver.start();
  const from = 'https://hooks.example.com';
  await sandbox.control('PUT', 'forwards', { from, to: `http://127.0.0.1:${receiver.port}` });
  for (let n = 0; n < count; n += 1) {
    await sandbox.post('webhooks', { url: `${from}/${n}`, event_categories: ['account'] });
  }
  return { sandbox, receiver };
}

async function measureJudge(): Promise<Figure[]> {
  const sandbox = await BenchSandbox.start();
  const args = ['bin/conformance.js', 'run', '--base-url', `http://127.0.0.1:${sandbox.port}`];
  const startedAtMs = performance.now();
  await run(process.execPath, args, { cwd: root, maxBuffer: 1e9 });
  const seconds = (performance.now() - startedAtMs) / 1000;
  await sandbox.stop();
  return [atMost('`conformance run` on the sandbox', seconds, 20, 's')];
}

function tableOf(figures: readonly Figure[]): string {
  const machine = `${cpus()[0]?.model.trim() || process.arch}, ${availableParallelism()} cores`;
  const day = new Date().toISOString().slice(0, 10);
  const rows = figures.map(
    ({ what, measured, aim, isMet }) =>
      `| ${what} | ${measured} | ${aim}${isMet ? '' : ' (missed)'} |`,
  );
  const head = ['| what | measured | aim |', '|---|---|---|'];
  return [`${machine}, Node ${process.version}, ${day}.`, '', ...head, ...rows].join('\n');
}

const { write } = parseArgs({ options: { write: { type: 'boolean', default: false } } }).values;
if (!(await build({ onlyIfStale: true }))) process.exit(2);
pinSelf();
const figures: Figure[] = [];
for (const measure of [
  measureStart,
  measureThroughput,
  measureDeliveries,
  measureRetries,
  measureJudge,
]) {
  const measured = await measure();
  for (const { what, measured: value, aim } of measured) console.log(`${what}: ${value} (${aim})`);
  figures.push(...measured);
}
if (write) {
  const readme = join(root, 'README.md');
  const marks = /(<!-- bench -->\n)[\s\S]*?(\n<!-- \/bench -->)/;
  const page = readFileSync(readme, 'utf8');
  if (!marks.test(page)) throw new Error('README.md has no <!-- bench --> … <!-- /bench -->');
  writeFileSync(
    readme,
    page.replace(marks, (_, begin, end) => `${begin}\n${tableOf(figures)}\n${end}`),
  );
}
process.exitCode = figures.every(({ isMet }) => isMet) ? 0 : 1;
