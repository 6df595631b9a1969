// Malformed requests on the socket of the built sandbox: every answer has to be well-formed and known,
// and at the end the process holds what it held before.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Draw, drawFrom } from '../../../simulator/core/testing/random-inputs.ts';
import { phoneTables } from '../../../simulator/core/values/phone.ts';
import { readAnswers } from './answers.ts';
import { type BadRequest, drawRequests } from './bad-requests.ts';
import { BuiltSandbox } from './built-sandbox.ts';

/** What the specification and HTTP have for such requests; 500 is not one of them. */
const known = [
  101, 200, 201, 204, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 426, 429, 431, 501,
];
const connections = 24;
/** After this many requests the world is reset. */
const roundLength = 20_000;
const mebibyte = 1024 * 1024;
const quietMs = 5000;

export async function abuse({ count, seed }: { count: number; seed: number }): Promise<string[]> {
  await phoneTables.load();
  const sandbox = await BuiltSandbox.start();
  const broken = new Set<string>();
  const statuses = new Map<number, number>();
  const measure = async () => {
    await sandbox.control('POST', 'reset');
    await pause(1000);
    return sandbox.gauge();
  };
  try {
    // Whatever is loaded when it is first needed is loaded before it is measured.
    await playRound(sandbox, drawFrom(seed), 500, broken, statuses);
    const before = await measure();
    for (let sent = 0; sent < count && sandbox.isAlive; sent += roundLength) {
      const length = Math.min(roundLength, count - sent);
      await playRound(sandbox, drawFrom(seed + 1 + sent), length, broken, statuses);
      const { residentBytes } = await sandbox.gauge();
      console.log(`${sent + length} sent, ${Math.round(residentBytes / mebibyte)} MiB resident`);
      if (residentBytes > 700 * mebibyte) broken.add(`it took ${residentBytes} bytes`);
      await sandbox.control('POST', 'reset');
    }
    console.log([...statuses].map(([status, many]) => `${many} × ${status}`).join(', '));
    if (!sandbox.isAlive) return [...broken, `it ended: ${sandbox.stderr}`];
    // Slow connections get their time, and then they are closed.
    let after = await measure();
    for (let n = 0; n < 15 && after.handles > before.handles; n += 1) after = await measure();
    if (after.handles > before.handles)
      broken.add(`handles: ${before.handles}, then ${after.handles}`);
    if (after.heapBytes > before.heapBytes + 24 * mebibyte)
      broken.add(`heap: ${after.heapBytes} bytes`);
    if (sandbox.stderr !== '') broken.add(`stderr: ${sandbox.stderr.slice(0, 1000)}`);
    return [...broken];
  } finally {
    await sandbox.stop('SIGKILL');
  }
}

async function playRound(
  sandbox: BuiltSandbox,
  draw: Draw,
  count: number,
  broken: Set<string>,
  statuses: Map<number, number>,
): Promise<void> {
  const world = await sandbox.world();
  const port = Number(new URL(sandbox.ready.base_url).port);
  let sent = 0;
  const play = async () => {
    while (sent < count && sandbox.isAlive) {
      const requests = drawRequests(draw, world);
      sent += requests.length;
      const { answers, isWhole } = await exchange(port, requests, draw);
      const last = requests.at(-1) as BadRequest;
      const { statuses: answered, malformed } = readAnswers(
        answers,
        last.isHead && requests.length === 1,
      );
      const text = JSON.stringify(last.bytes.toString('latin1').slice(0, 300));
      for (const status of answered) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (!known.includes(status)) broken.add(`${status} to ${text}`);
      }
      if (malformed !== null && !last.isHead) broken.add(`${malformed}, to ${text}`);
      if (answered.length > requests.length) broken.add(`more answers than requests, to ${text}`);
      const isAnswered = isWhole && answered.length === requests.length;
      if (isAnswered && last.isAmbiguous && answered.at(-1) !== 400) {
        broken.add(`${answered.at(-1)} to what two parsers read differently: ${text}`);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, play));
}

/** Writes the requests at once, in pieces, cut or followed by a reset, and reads until it is quiet. */
async function exchange(port: number, requests: readonly BadRequest[], draw: Draw) {
  const bytes = Buffer.concat(requests.map((request) => request.bytes));
  const chunks: Buffer[] = [];
  let answers = 0;
  let lastMs = performance.now();
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
    lastMs = performance.now();
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const way = draw(12);
  if (way === 2) {
    const size = 1 + draw(Math.max(1, bytes.length >> 2));
    for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
      socket.write(bytes.subarray(at, at + size));
      await pause(1);
    }
  } else socket.write(way === 3 ? bytes.subarray(0, draw(bytes.length)) : bytes);
  if (way === 0) socket.resetAndDestroy();
  if (way === 1) socket.end();
  lastMs = performance.now();
  const look = setInterval(() => {
    const limitMs = answers >= requests.length || way === 3 ? 20 : quietMs;
    if (performance.now() - lastMs > limitMs) socket.destroy();
  }, 5);
  await closed;
  clearInterval(look);
  return { answers: Buffer.concat(chunks), isWhole: way > 1 && way !== 3 };
}
