// Writes bad requests to a sandbox's socket by the thousand: whole, in pieces, cut, reset, one
// after the other on one connection. Every answer is read with suspicion, and at the end the
// program has to be as it was.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { conformingBehaviour } from '../../../simulator/core/policies/conforming.ts';
import { loadWorld } from '../../../simulator/core/state/snapshot.ts';
import { type Draw, drawFrom } from '../../../simulator/core/testing/random-inputs.ts';
import { phoneTables } from '../../../simulator/core/values/phone.ts';
import type { World } from '../../../simulator/core/world.ts';
import { Besieged, type Gauge } from '../siege/besieged.ts';
import { type Abuse, makeAbuse } from './bad-requests.ts';
import { readAnswers } from './read-answers.ts';

export interface AbuseOptions {
  readonly requests: number;
  readonly seed: number;
  readonly onProgress?: (progress: AbuseProgress) => void;
}

export interface AbuseProgress {
  readonly sent: number;
  readonly residentBytes: number;
}

export interface AbuseReport {
  readonly sent: number;
  readonly statuses: ReadonlyMap<string, number>;
  readonly before: Gauge;
  readonly after: Gauge;
  readonly mostResidentBytes: number;
  /** What broke; empty when all held. */
  readonly broken: readonly string[];
}

/** What the specification and HTTP itself have for it. A 500 is never one of them. */
const known = new Set([
  ...[
    101, 200, 201, 204, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 426, 429, 431, 501,
  ],
]);
const connections = 24;
/** So many requests between two looks at the program, which then begins anew. */
const round = 20_000;
const mebibyte = 1024 * 1024;
const mostGrownBytes = 24 * mebibyte;
const mostResidentBytes = 700 * mebibyte;
/** Who waits for an answer and hears nothing for so long hangs up. */
const quietMs = 5000;
const lookMs = 5;
const settleMs = 15_000;

export async function abuse(options: AbuseOptions): Promise<AbuseReport> {
  await phoneTables.load();
  const besieged = await Besieged.start(['--plan', 'pro']);
  try {
    return await new Attack(besieged, options).run();
  } finally {
    await besieged.stop('SIGKILL');
  }
}

class Attack {
  readonly #besieged: Besieged;
  readonly #options: AbuseOptions;
  readonly #statuses = new Map<string, number>();
  readonly #broken: string[] = [];
  #sent = 0;
  #mostResident = 0;

  constructor(besieged: Besieged, options: AbuseOptions) {
    this.#besieged = besieged;
    this.#options = options;
  }

  async run(): Promise<AbuseReport> {
    const { requests, seed, onProgress } = this.#options;
    // What is loaded when first needed is loaded before it is weighed.
    await this.#round(drawFrom(seed), Math.min(500, requests));
    const before = await this.#rest();
    for (let n = 1; this.#sent < requests && this.#besieged.isAlive; n += 1) {
      await this.#round(drawFrom(seed + n), Math.min(round, requests - this.#sent));
      if (!this.#besieged.isAlive) break;
      const { residentBytes } = await this.#besieged.gauge();
      this.#mostResident = Math.max(this.#mostResident, residentBytes);
      await this.#besieged.control('POST', 'reset');
      onProgress?.({ sent: this.#sent, residentBytes });
    }
    const after = await this.#settled(before);
    await this.#judge(before, after);
    return {
      sent: this.#sent,
      statuses: this.#statuses,
      before,
      after,
      mostResidentBytes: this.#mostResident,
      broken: this.#broken,
    };
  }

  async #round(draw: Draw, count: number): Promise<void> {
    const state = await this.#besieged.control('GET', 'state');
    const world = loadWorld(state, conformingBehaviour(defaultSettings));
    const until = this.#sent + count;
    const attack = async () => {
      while (this.#sent < until && this.#besieged.isAlive) await this.#connection(draw, world);
    };
    await Promise.all(Array.from({ length: connections }, attack));
  }

  /** One connection: some requests at once, in one of several ways to write and to leave. */
  async #connection(draw: Draw, world: World): Promise<void> {
    const written = Array.from({ length: 1 + draw(12) }, () => makeAbuse(draw, world));
    const first = written.findIndex(({ isLast }) => isLast);
    const all = first < 0 ? written : written.slice(0, first + 1);
    this.#sent += all.length;
    const leaves = draw(12);
    const socket = connect(this.#besieged.port, '127.0.0.1');
    const heard = hear(socket);
    const bytes = Buffer.concat(all.map((each) => each.bytes));
    const isWhole = await write(socket, bytes, draw, leaves);
    if (leaves === 0) socket.resetAndDestroy();
    if (leaves === 1) socket.end();
    await silence(socket, heard, isWhole ? all.length : 0);
    socket.destroy();
    this.#read(heard.chunks, all, isWhole && leaves > 1);
  }

  #read(chunks: readonly Buffer[], all: readonly Abuse[], isWhole: boolean): void {
    const last = all.at(-1) as Abuse;
    const bytes = Buffer.concat(chunks);
    const { statuses, malformed } = readAnswers(bytes, last.isHead && all.length === 1);
    const told = () => JSON.stringify(last.bytes.toString('latin1').slice(0, 300));
    for (const status of statuses) {
      this.#statuses.set(`${status}`, (this.#statuses.get(`${status}`) ?? 0) + 1);
      if (!known.has(status)) this.#breaks(`answered ${status} to ${told()}`);
    }
    if (malformed !== null && !last.isHead) this.#breaks(`${malformed}, to ${told()}`);
    if (statuses.length > all.length) {
      this.#breaks(`${statuses.length} answers to ${all.length} requests, the last ${told()}`);
    }
    const isAnswered = statuses.length === all.length;
    if (isWhole && isAnswered && last.ambiguous && statuses.at(-1) !== 400) {
      this.#breaks(`${statuses.at(-1)} to what two parsers read differently: ${told()}`);
    }
  }

  /** The first few are enough to see what it is. */
  #breaks(what: string): void {
    if (this.#broken.length < 20) this.#broken.push(what);
  }

  async #rest(): Promise<Gauge> {
    await this.#besieged.control('POST', 'reset');
    await pause(1000);
    return this.#besieged.gauge();
  }

  /** Slow connections have their time, and then they are gone. */
  async #settled(before: Gauge): Promise<Gauge> {
    if (!this.#besieged.isAlive) return before;
    const untilMs = performance.now() + settleMs;
    for (;;) {
      const gauge = await this.#rest();
      const isAsBefore = heldBy(gauge) <= heldBy(before) && filesOf(gauge) <= filesOf(before);
      if (isAsBefore || performance.now() > untilMs) return gauge;
    }
  }

  async #judge(before: Gauge, after: Gauge): Promise<void> {
    const { isAlive, said, ready } = this.#besieged;
    if (!isAlive) {
      this.#breaks(`it ended: ${said}`);
      return;
    }
    if (said !== '') this.#breaks(`it said: ${said.slice(0, 1000)}`);
    const { status } = await fetch(`${ready.control_url}/health`);
    if (status !== 200) this.#breaks(`its health is ${status}`);
    const grown = after.heapBytes - before.heapBytes;
    if (grown > mostGrownBytes) this.#breaks(`it keeps ${Math.round(grown / mebibyte)} MiB more`);
    if (this.#mostResident > mostResidentBytes)
      this.#breaks(`it took ${Math.round(this.#mostResident / mebibyte)} MiB`);
    const [held, files] = [heldBy(after) - heldBy(before), filesOf(after) - filesOf(before)];
    if (held > 0 || files > 0) {
      this.#breaks(`${held} handles and ${files} files are left: ${JSON.stringify(after)}`);
    }
  }
}

const heldBy = ({ resources }: Gauge) =>
  Object.values(resources).reduce((sum, many) => sum + many, 0);
const filesOf = ({ files }: Gauge) => files ?? 0;

interface Heard {
  /** Status lines so far, but for one that came in two pieces. */
  answers: number;
  readonly chunks: Buffer[];
  lastMs: number;
}

function hear(socket: Socket): Heard {
  const heard: Heard = { chunks: [], answers: 0, lastMs: performance.now() };
  socket.on('data', (chunk: Buffer) => {
    heard.chunks.push(chunk);
    heard.answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
    heard.lastMs = performance.now();
  });
  socket.on('error', () => undefined);
  return heard;
}

/** Whether all of it was written: in one piece, in pieces, slowly, or only in part. */
async function write(socket: Socket, bytes: Buffer, draw: Draw, leaves: number): Promise<boolean> {
  if (leaves === 2) {
    const size = 1 + draw(Math.max(1, bytes.length >> 2));
    for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
      socket.write(bytes.subarray(at, at + size));
      await pause(1);
    }
    return true;
  }
  const isCut = leaves === 3;
  socket.write(isCut ? bytes.subarray(0, draw(bytes.length)) : bytes);
  return !isCut;
}

/** Resolves when all is answered, or the other side has hung up or says nothing any more. */
async function silence(socket: Socket, heard: Heard, answers: number): Promise<void> {
  heard.lastMs = performance.now();
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      const quietForMs = performance.now() - heard.lastMs;
      // A little longer than the last answer takes to come to its end, and one too many to begin.
      if (quietForMs > (heard.answers >= answers ? lookMs * 4 : quietMs)) end();
    }, lookMs);
    const end = () => {
      clearInterval(look);
      resolve();
    };
    socket.once('close', end);
  });
}
