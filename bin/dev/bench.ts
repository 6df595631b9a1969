// `npm run bench [-- --write]`: eight figures of the built programs, as ratios to bare servers in
// the same run. `--write` puts the table into README.md; exit code 1 if a target is missed.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createAccountRequests, drive } from './bench/load.ts';
import { Receiver } from './bench/receiver.ts';
import {
  FastSandbox,
  nodeCommand,
  pinSelf,
  residentBytes,
  startBare,
  startSandbox,
} from './bench/sandbox.ts';
import { build } from './build/build.ts';
import type { Program } from './program.ts';
import { readArgs } from './read-args.ts';
import { root } from './root.ts';

const run = promisify(execFile);

/** Servers that several figures measure; they run until the end of the benchmark. */
const bare = startOnce(async () => ({ program: await startBare(), token: 'none' }));
const few = startOnce(() => FastSandbox.start());
const full = startOnce(async () => {
  const sandbox = await FastSandbox.start();
  await sandbox.createAccounts(100_000);
  return sandbox;
});

const starts = () => compare(15, firstAnswerOf(startSandbox), firstAnswerOf(startBare));
const creates = () => percent(15, perSecond(few), perSecond(bare));
const replays = () => percent(15, perSecond(few, true), perSecond(bare));
const createsOnFull = () => percent(7, perSecond(full), perSecond(few));
const percent = async (...sides: Parameters<typeof compare>) => 100 * (await compare(...sides));

type Unit = 'times' | '%' | 'MB' | 'ms' | 's';
type Bound = 'at least' | 'at most';
const figures: readonly [string, Bound, number, Unit, () => Promise<number>][] = [
  ['start to the first answer, against bare `node:http`', 'at most', 2.2, 'times', starts],
  ['memory at rest', 'at most', 80, 'MB', megabytesAtRest],
  ['creates per second, against bare `node:http`', 'at least', 50, '%', creates],
  ['replays per second, against bare `node:http`', 'at least', 60, '%', replays],
  ['creates per second with 100,000 accounts, against few', 'at least', 80, '%', createsOnFull],
  ['signed deliveries per second, against bare undici', 'at least', 70, '%', deliveries],
  ['21 hours of retries to 1,000 receivers', 'at most', 2000, 'ms', retryMs],
  ['`conformance run` on the sandbox', 'at most', 20, 's', judgeSeconds],
];

function startOnce<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

/** The median of the ratios of all rounds: a temporary slowdown affects both sides of a ratio. */
async function compare(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<number> {
  const ratios: number[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    const ratio = (await ours()) / (await theirs());
    if (round > 0) ratios.push(ratio);
  }
  // The number of rounds is odd.
  return ratios.sort((a, b) => a - b)[rounds >> 1] as number;
}

/** Answers per second over half a second; 99 % of them have to be 201. */
function perSecond(
  start: () => Promise<{ readonly program: Program; readonly token: string }>,
  sameKey = false,
) {
  return async () => {
    const { program, token } = await start();
    const { port } = program;
    const next = createAccountRequests({ port, token, sameKey });
    const { statuses, answered, seconds } = await drive({ port, durationMs: 500, next });
    if ((statuses.get(201) ?? 0) >= 0.99 * answered) return answered / seconds;
    throw new Error(`expected 201, got ${JSON.stringify([...statuses])}`);
  };
}

/** Milliseconds from the start of the process to its first response, which has to be 201. */
function firstAnswerOf(start: () => Promise<Program>) {
  return async () => {
    const startedAtMs = performance.now();
    const program = await start();
    const { port } = program;
    const next = createAccountRequests({ port, token: program.tokenOf('brand-a') });
    const { statuses } = await drive({ port, durationMs: 0, next, connections: 1 });
    const tookMs = performance.now() - startedAtMs;
    await program.stop('SIGKILL');
    if (!statuses.has(201)) throw new Error(`the first answer was ${[...statuses.keys()]}`);
    return tookMs;
  };
}

async function megabytesAtRest(): Promise<number> {
  const program = await startSandbox();
  await pause(2000);
  const bytes = residentBytes(program);
  await program.stop('SIGKILL');
  return bytes / 1024 / 1024;
}

async function deliveries(): Promise<number> {
  const subscriptions = 50;
  const events = 500;
  const { sandbox, receiver } = await startSubscribed(subscriptions);
  // Events queue up while the first one is held.
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
  const undici = async () => {
    receiver.answering = 'ok';
    const given = [`http://127.0.0.1:${receiver.port}/`, String(subscriptions), '700'];
    const [program, ...args] = nodeCommand('bin/dev/bench/undici-request.js', ...given);
    const { stdout } = await run(program, args, { cwd: root });
    return (JSON.parse(stdout) as { perSecond: number }).perSecond;
  };
  const share = await percent(11, deliver, undici);
  await sandbox.program.stop('SIGKILL');
  return share;
}

async function retryMs(): Promise<number> {
  const subscriptions = 1000;
  const { sandbox, receiver } = await startSubscribed(subscriptions);
  receiver.answering = 'fail';
  await sandbox.createAccounts(1);
  await receiver.until(subscriptions);
  const startedAtMs = performance.now();
  await sandbox.program.control('POST', 'clock/advance', { by_ms: 21 * 3_600_000 });
  const tookMs = performance.now() - startedAtMs;
  await sandbox.program.stop('SIGKILL');
  const { arrived } = receiver;
  if (arrived !== 8 * subscriptions) throw new Error(`${arrived} attempts arrived`);
  return tookMs;
}

async function startSubscribed(count: number) {
  const sandbox = await FastSandbox.start();
  const receiver = await Receiver.start();
  const from = 'https://hooks.example.com';
  const to = `http://127.0.0.1:${receiver.port}`;
  await sandbox.program.control('PUT', 'forwards', { from, to });
  for (let n = 0; n < count; n += 1) {
    await sandbox.post('webhooks', { url: `${from}/${n}`, event_categories: ['account'] });
  }
  return { sandbox, receiver };
}

async function judgeSeconds(): Promise<number> {
  const { program } = await FastSandbox.start();
  const args = ['bin/conformance.js', 'run', '--base-url', `http://127.0.0.1:${program.port}`];
  const startedAtMs = performance.now();
  await run(process.execPath, args, { cwd: root, maxBuffer: 1e9 });
  return (performance.now() - startedAtMs) / 1000;
}

const options = { write: { type: 'boolean', default: false } } as const;
const { write } = readArgs(import.meta.url, { options }).values;
if (!(await build({ onlyIfStale: true }))) process.exit(2);
pinSelf();
const rows: string[] = [];
let missed = 0;
for (const [what, bound, aim, unit, measure] of figures) {
  const value = await measure();
  const isMet = bound === 'at least' ? value >= aim : value <= aim;
  const digits = { times: 2, '%': 0, MB: 0, ms: 0, s: 1 }[unit];
  const words = `${value.toFixed(digits)} ${unit}`;
  if (!isMet) missed += 1;
  console.log(`${what}: ${words} (${bound} ${aim} ${unit})`);
  rows.push(`| ${what} | ${words} | ${bound} ${aim} ${unit}${isMet ? '' : ' (missed)'} |`);
}
if (write) {
  // Not those that are available: this process is pinned to one of them.
  const machine = `${cpus()[0]?.model.trim() || process.arch}, ${cpus().length} cores`;
  const day = new Date().toISOString().slice(0, 10);
  const head = ['| what | measured | aim |', '|---|---|---|'];
  const title = `\`npm run bench\` on ${machine}, Node ${process.version}, ${day}. 100 % is what the bare server or client does in the same run:`;
  const table = [title, '', ...head, ...rows].join('\n');
  const readme = join(root, 'README.md');
  const marks = /(<!-- bench -->\n)[\s\S]*?(\n<!-- \/bench -->)/;
  const page = readFileSync(readme, 'utf8');
  if (!marks.test(page)) throw new Error('README.md has no <!-- bench --> … <!-- /bench -->');
  writeFileSync(
    readme,
    page.replace(marks, (_, begin, end) => `${begin}\n${table}\n${end}`),
  );
}
process.exit(missed === 0 ? 0 : 1);
