// The inputs of a world since its last save, line by line in a file beside the state: with them a
// sandbox that is killed loses at most the last 100 ms, and with `sync` nothing that was answered.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseSettings, type Settings } from '../../../fixtures/settings.ts';
import type { Behaviour } from '../../core/behaviour.ts';
import { conformingBehaviour } from '../../core/policies/conforming.ts';
import {
  dumpWorld,
  loadWorld,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import { type Input, step } from '../../core/step.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { World } from '../../core/world.ts';
import { parseInput, serializeInput } from './input-line.ts';
import { FileProblem, privateMode, readPlain } from './private-file.ts';

/** So much is kept for a disk that is full; beyond that the log ends where it is. */
const mostUnwrittenBytes = 8 * 1024 * 1024;

/** First line of a log. What follows is replayed under the behaviour that it had then. */
export interface LogHead {
  /** The state that names it goes on with its lines. */
  readonly log: string;
  /** The log whose lines come before these; null: a state stands before them. */
  readonly after: string | null;
  readonly settings: Settings;
  readonly deviations: readonly string[];
}

interface ClockLine {
  readonly clock: { readonly mode: string; readonly now_ms: number; readonly speed?: number };
}

export interface LogOptions {
  readonly settings: Settings;
  readonly deviations: readonly string[];
  /** Each line is in the file before the step that it tells of goes on. */
  readonly sync: boolean;
  /** Told once when lines cannot be written. */
  readonly onTrouble: (error: NodeJS.ErrnoException) => void;
}

/** Where the lines of a world go from one save to the next. */
export class WriteAheadLog {
  readonly id = randomBytes(8).toString('hex');
  readonly #file: number;
  readonly #options: LogOptions;
  #lines: (Input | string)[] = [];
  #unwritten: Buffer = Buffer.alloc(0);
  #failed = false;
  #ended = false;

  /** Throws the system's error when the file cannot be made. */
  constructor(path: string, after: string | null, options: LogOptions) {
    const { settings, deviations } = options;
    this.#options = options;
    const file = logFile(path, this.id);
    this.#file = openSync(file, 'wx', privateMode);
    const head: LogHead = { log: this.id, after, settings, deviations };
    this.#unwritten = Buffer.from(`${JSON.stringify(head)}\n`);
    try {
      this.#write();
    } catch (error) {
      closeSync(this.#file);
      rmSync(file, { force: true });
      throw error;
    }
  }

  input(input: Input): void {
    this.#add(input);
  }

  clock(clock: ClockLine['clock']): void {
    this.#add(JSON.stringify({ clock } satisfies ClockLine));
  }

  /** Another world in the place of the one so far: a reset, or a state that was loaded. */
  world(world: World): void {
    this.#add([...serializeSnapshot(snapshotWorld(world))].join('').replaceAll('\n', ''));
  }

  #add(line: Input | string): void {
    this.#lines.push(line);
    if (this.#options.sync) this.flush();
    // As soon as what runs now is done, and not a while later: on a busy machine a while is long.
    else if (this.#lines.length === 1) process.nextTick(() => this.flush());
  }

  /** Everything so far is handed to the system, and survives this program's end. */
  flush(): void {
    if (this.#lines.length === 0) return;
    const text = this.#lines.map(
      (line) => `${typeof line === 'string' ? line : serializeInput(line)}\n`,
    );
    this.#lines = [];
    if (this.#ended) return;
    this.#unwritten = Buffer.concat([this.#unwritten, Buffer.from(text.join(''))]);
    this.#tryTo(() => this.#write());
    // A line that is missing would make another story of those after it: none comes any more.
    if (this.#unwritten.byteLength > mostUnwrittenBytes) this.#end();
  }

  #end(): void {
    this.#ended = true;
    this.#unwritten = Buffer.alloc(0);
  }

  /** A disk that is full takes a part, perhaps of a line: the rest comes with the next lines. */
  #write(): void {
    while (this.#unwritten.byteLength > 0) {
      const written = writeSync(this.#file, this.#unwritten);
      this.#unwritten = this.#unwritten.subarray(written);
    }
  }

  #tryTo(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error as NodeJS.ErrnoException);
      this.#failed = true;
    }
  }

  close(): void {
    this.flush();
    this.#tryTo(() => this.#write());
    this.#tryTo(() => fsyncSync(this.#file));
    closeSync(this.#file);
  }
}

function logFile(path: string, id: string): string {
  return join(dirname(path), `.${basename(path)}.${id}.wal`);
}

export async function logFiles(path: string): Promise<readonly string[]> {
  const start = `.${basename(path)}.`;
  const entries = await readdir(dirname(path), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .filter(({ name }) => name.startsWith(start) && name.endsWith('.wal'))
    .map(({ name }) => join(dirname(path), name));
}

/** Removes the logs of a state but for one: what they tell is in the state itself now. */
export async function removeLogs(path: string, but: string | null): Promise<void> {
  const kept = but === null ? null : logFile(path, but);
  for (const file of await logFiles(path)) {
    if (file === kept) continue;
    // One that we may not remove is somebody else's, and is not read either; or another program,
    // such as a virus scanner, has it open, and it goes with the next ones.
    await rm(file, { force: true }).catch((error: NodeJS.ErrnoException) => {
      if (!['EACCES', 'EPERM', 'EBUSY'].includes(error.code ?? '')) throw error;
    });
  }
}

interface Log extends LogHead {
  readonly file: string;
  readonly lines: readonly string[];
}

/**
 * Null for what is no log of ours: where others may write, one of theirs that says it comes
 * after ours would tell the world what to do.
 */
async function readLog(file: string, owners: readonly number[]): Promise<string | null> {
  try {
    return await readPlain(file, owners);
  } catch (error) {
    if (error instanceof FileProblem) return null;
    throw error;
  }
}

async function readLogs(path: string): Promise<readonly Log[]> {
  const logs: Log[] = [];
  const owners = [(await stat(path)).uid, process.getuid?.() ?? 0];
  for (const file of await logFiles(path)) {
    const text = await readLog(file, owners);
    if (text === null) continue;
    const [first = '', ...lines] = text.split('\n');
    // A program that was killed while it wrote leaves half a line at the end.
    lines.pop();
    const head = parseHead(first);
    if (head !== null) logs.push({ ...head, file, lines });
  }
  return logs;
}

function parseHead(line: string): LogHead | null {
  try {
    const head = JSON.parse(line) as Partial<LogHead> | null;
    return typeof head?.log === 'string' ? (head as LogHead) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * The state with everything that its logs tell after it; the state itself where there are none,
 * as after every orderly end. Throws a StateError that names the file and line that cannot be read.
 */
export async function replayLogs(path: string, document: unknown): Promise<unknown> {
  const { log: first } = document as { readonly log?: unknown };
  const logs = await readLogs(path);
  let log = logs.find((each) => each.log === first);
  if (log === undefined) return document;
  await phoneTables.load();
  let world = loadWorld(document, await behaviourOf(log));
  let { clock } = document as Partial<ClockLine>;
  for (; log !== undefined; log = next(logs, log)) {
    const behaviour = await behaviourOf(log);
    for (const [index, line] of log.lines.entries()) {
      const where = `${basename(log.file)}: line ${index + 2}`;
      const told = parseLine(line, where);
      if ('format' in told) world = loadWorld(told, behaviour);
      else if ('clock' in told) clock = told.clock;
      else replay(world, behaviour, told, where);
    }
  }
  const now_ms = Math.max(world.nowMs, clock?.now_ms ?? 0);
  return dumpWorld(world, { clock: { ...clock, now_ms } });
}

function next(logs: readonly Log[], { log }: Log): Log | undefined {
  return logs.find(({ after }) => after === log);
}

function parseLine(line: string, where: string): Input | ClockLine | { readonly format: unknown } {
  try {
    if (line.startsWith('{"format":')) return JSON.parse(line) as { format: unknown };
    if (line.startsWith('{"clock":')) return JSON.parse(line) as ClockLine;
    return parseInput(line);
  } catch (error) {
    throw brokenAt(where, error);
  }
}

/** What broke the simulator then was answered with a 500 and changed nothing; so it does now. */
function replay(world: World, behaviour: Behaviour, input: Input, where: string): void {
  try {
    step(world, behaviour, input);
  } catch (error) {
    if (input.kind !== 'call') throw brokenAt(where, error);
  }
}

function brokenAt(where: string, cause: unknown): StateError {
  const words = `cannot be read together with its write-ahead log: ${where} is broken`;
  return new StateError(words, { cause });
}

async function behaviourOf({ file, ...head }: Log): Promise<Behaviour> {
  const { settings, problems = [] } = parseSettings(head.settings);
  const deviations: unknown = head.deviations;
  if (settings === undefined || !Array.isArray(deviations)) {
    throw brokenAt(`${basename(file)}: line 1`, problems[0]);
  }
  const conforming = conformingBehaviour(settings);
  if (deviations.length === 0) return conforming;
  const { findDeviation } = await import('../../deviations/register.ts');
  return deviations.reduce<Behaviour>((behaviour, id: unknown) => {
    const found = findDeviation(String(id));
    if (found === undefined)
      throw new StateError(`was kept under a deviation "${id}", which is not known`);
    return found.bend(behaviour);
  }, conforming);
}
