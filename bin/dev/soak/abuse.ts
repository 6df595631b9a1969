// Malformed requests on the socket of the built sandbox: every answer must be well-formed and
// known, and at the end the process must hold no more resources than before.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Draw, drawFrom } from '../../../simulator/core/testing/random-inputs.ts';
import { phoneTables } from '../../../simulator/core/values/phone.ts';
import type { Program } from '../program.ts';
import { readAnswers } from './answers.ts';
import { drawRequests } from './bad-requests.ts';
import { gaugeOf, mebibyte, startSandbox, worldOf } from './sandbox.ts';

/** The statuses of the specification and of HTTP for such requests; 500 is not one of them. */
const known = [
  101, 200, 201, 204, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 426, 429, 431, 501,
];
const connections = 24;
/** After this many requests the world is reset. */
const roundLength = 20_000;
const quietMs = 5000;

interface Found {
  readonly broken: Set<string>;
  /** The number of responses by status. */
  readonly statuses: Map<number, number>;
}

export async function abuse({ count, seed }: { count: number; seed: number }): Promise<string[]> {
  await phoneTables.load();
  const sandbox = await startSandbox();
  const found: Found = { broken: new Set(), statuses: new Map() };
  const { broken, statuses } = found;
  const measure = async () => {
    await sandbox.control('POST', 'reset');
    await pause(1000);
    return gaugeOf(sandbox);
  };
  try {
    // Load everything that is loaded on first use before measuring.
    await playRound(sandbox, drawFrom(seed), 500, found);
    const before = await measure();
    for (let sent = 0; sent < count && sandbox.isAlive; sent += roundLength) {
      const length = Math.min(roundLength, count - sent);
      await playRound(sandbox, drawFrom(seed + 1 + sent), length, found);
      if (!sandbox.isAlive) break;
      const { residentBytes } = await gaugeOf(sandbox);
      console.log(`${sent + length} sent, ${Math.round(residentBytes / mebibyte)} MiB resident`);
      if (residentBytes > 700 * mebibyte) broken.add(`it took ${residentBytes} bytes`);
      await sandbox.control('POST', 'reset');
    }
    console.log([...statuses].map(([status, many]) => `${many} × ${status}`).join(', '));
    if (!sandbox.isAlive) return [...broken, `it ended: ${sandbox.stderr}`];
    // Slow connections get some time, and then they are closed.
    let after = await measure();
    for (let n = 0; n < 15 && after.handles > before.handles; n += 1) after = await measure();
    if (after.handles > before.handles) {
      broken.add(`handles: ${before.handles}, then ${after.handles}`);
    }
    if (after.heapBytes > before.heapBytes + 24 * mebibyte) {
      broken.add(`heap: ${after.heapBytes} bytes`);
    }
    if (sandbox.stderr !== '') broken.add(`stderr: ${sandbox.stderr.slice(0, 1000)}`);
    return [...broken];
  } finally {
    await sandbox.stop('SIGKILL');
  }
}

async function playRound(
  sandbox: Program,
  draw: Draw,
  count: number,
  { broken, statuses }: Found,
): Promise<void> {
  const world = await worldOf(sandbox);
  let sent = 0;
  const play = async () => {
    while (sent < count && sandbox.isAlive) {
      const requests = drawRequests(draw, world);
      sent += requests.length;
      const texts = requests.map(({ text }) => text);
      const { answers, isWhole } = await exchange(sandbox.port, texts, draw);
      const last = texts.at(-1) ?? '';
      const isHead = last.startsWith('HEAD');
      const { statuses: answered, malformed } = readAnswers(answers, isHead && texts.length === 1);
      const words = JSON.stringify(last.slice(0, 300));
      for (const status of answered) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (!known.includes(status)) broken.add(`${status} to ${words}`);
      }
      if (malformed !== null && !isHead) broken.add(`${malformed}, to ${words}`);
      if (answered.length > texts.length) broken.add(`more answers than requests, to ${words}`);
      const isAnswered = isWhole && answered.length === texts.length;
      if (isAnswered && requests.at(-1)?.isAmbiguous && answered.at(-1) !== 400) {
        broken.add(`${answered.at(-1)} to what two parsers read differently: ${words}`);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, play));
}

/** Writes the requests together, in pieces, cut or followed by a reset, and reads until it is quiet. */
async function exchange(port: number, requests: readonly string[], draw: Draw) {
  const bytes = Buffer.from(requests.join(''), 'latin1');
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
