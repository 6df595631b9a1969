// The log of what a world is told: its inputs, line by line, in a file. Beside a state it holds the
// inputs since the last save, so that a killed sandbox loses at most the last 100 ms, and with
// --state-sync nothing that was answered. `--record` writes the same lines after a world.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
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
import { type Effect, type Input, step } from '../../core/step.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { World } from '../../core/world.ts';
import type { InputKeeper } from '../world/world-host.ts';
import { FileProblem, privateMode, readPlain } from './private-file.ts';

/** One line of JSON without its end; bodies are base64, so that any bytes survive. */
function serializeInput(input: Input): string {
  if (input.kind !== 'call') return JSON.stringify(input);
  const body = Buffer.from(input.call.body).toString('base64');
  return JSON.stringify({ ...input, call: { ...input.call, body } });
}

const text: Schema = { type: 'string' };
const any: Schema = {
  type: 'object',
  properties: { atMs: { type: 'number' } },
  required: ['atMs'],
};
const call: Schema = {
  type: 'object',
  properties: {
    atMs: { type: 'number' },
    call: {
      type: 'object',
      properties: { method: text, target: text, headers: { type: 'object' }, body: text },
      required: ['method', 'target', 'headers', 'body'],
    },
  },
  required: ['atMs', 'call'],
};
const inputKinds: readonly unknown[] = ['call', 'time', 'answered', 'target-refused', 'command'];

/** Throws a SyntaxError where it is none. */
function parseInput(line: string): Input {
  const input = JSON.parse(line) as Input | null;
  const kind: unknown = input?.kind;
  if (input === null || !inputKinds.includes(kind)) throw new SyntaxError(`${kind} is no input`);
  const [problem] = validate(kind === 'call' ? call : any, input, 'it');
  if (problem !== undefined) throw new SyntaxError(`${problem.field} ${problem.message}`);
  if (input.kind !== 'call') return input;
  const body = new Uint8Array(Buffer.from(input.call.body as unknown as string, 'base64'));
  return { ...input, call: { ...input.call, body } };
}

/** So much is kept for a disk that is full; beyond that the log ends where it is. */
const mostUnwrittenBytes = 8 * 1024 * 1024;

export interface InputLogOptions {
  /** Each line is in the file before the step that it tells of is taken. */
  readonly sync?: boolean;
  /** Told when lines cannot be written, once until they can be again. */
  readonly onTrouble: (error: NodeJS.ErrnoException) => void;
  /** Told when lines that could not be written are in the file after all. */
  readonly onRecovery?: () => void;
}

/** Writes lines to the end of a file that is open. */
export class InputLog implements InputKeeper {
  readonly #file: number;
  readonly #options: InputLogOptions;
  /** Bytes of whole lines, or of what a full disk took of them. */
  #size = 0;
  #lines: (Input | string)[] = [];
  #unwritten: Buffer = Buffer.alloc(0);
  #failed = false;
  #ended = false;

  readonly #closeFile: () => void;

  constructor(file: number, options: InputLogOptions, closeFile = () => closeSync(file)) {
    this.#file = file;
    this.#options = options;
    this.#closeFile = closeFile;
  }

  /**
   * With `sync` the line is written before its step, with a space in the place of its end, so that
   * it is no line yet. False: the disk does not take it, and the input must not be taken either.
   */
  begin(input: Input): boolean {
    if (this.#options.sync !== true) return true;
    this.flush();
    if (this.#unwritten.byteLength > 0) return false;
    const before = this.#size;
    if (this.#append(Buffer.from(`${serializeInput(input)} `))) return true;
    this.#cut(before);
    return false;
  }

  /** The step has succeeded: its line is whole. Overwriting a byte needs no room on the disk. */
  done(input: Input): void {
    if (this.#options.sync === true) writeSync(this.#file, '\n', this.#size - 1);
    else this.line(input);
  }

  /** The step has failed: nothing is told of it. */
  failed(input: Input): void {
    if (this.#options.sync !== true) return;
    this.#cut(this.#size - Buffer.byteLength(serializeInput(input)) - 1);
  }

  #cut(size: number): void {
    this.#size = size;
    ftruncateSync(this.#file, size);
  }

  /** Another world in the place of the one so far, with what is known beside it. */
  world(world: World, beside: Readonly<Record<string, unknown>> = {}): void {
    const pieces = [...serializeSnapshot(snapshotWorld(world), beside)];
    this.line(pieces.join('').replaceAll('\n', ''));
  }

  /** Written as soon as what runs now is done: on a busy machine a timer would come too late. */
  line(line: Input | string): void {
    this.#lines.push(line);
    if (this.#options.sync === true) this.flush();
    else if (this.#lines.length === 1) process.nextTick(() => this.flush());
  }

  /** Everything so far is handed to the system, and survives this program's end. */
  flush(): void {
    if (this.#lines.length > 0) {
      const text = this.#lines.map(
        (line) => `${typeof line === 'string' ? line : serializeInput(line)}\n`,
      );
      this.#lines = [];
      if (!this.#ended)
        this.#unwritten = Buffer.concat([this.#unwritten, Buffer.from(text.join(''))]);
    }
    if (this.#unwritten.byteLength === 0) return;
    const before = this.#size;
    // A disk that is full takes a part, perhaps of a line: the rest comes with the next lines.
    this.#append(this.#unwritten);
    this.#unwritten = this.#unwritten.subarray(this.#size - before);
    // A missing line would change the story of those after it, so none follows.
    if (this.#unwritten.byteLength > mostUnwrittenBytes) {
      this.#ended = true;
      this.#unwritten = Buffer.alloc(0);
    }
  }

  /** Whether all of it was written; `#size` counts what was. */
  #append(bytes: Buffer): boolean {
    const begin = this.#size;
    const end = begin + bytes.byteLength;
    try {
      while (this.#size < end) {
        const rest = bytes.subarray(this.#size - begin);
        this.#size += writeSync(this.#file, rest, 0, rest.byteLength, this.#size);
      }
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error as NodeJS.ErrnoException);
      this.#failed = true;
      return false;
    }
    if (this.#failed) this.#options.onRecovery?.();
    this.#failed = false;
    return true;
  }

  close(): void {
    this.flush();
    try {
      fsyncSync(this.#file);
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error as NodeJS.ErrnoException);
    }
    this.#closeFile();
  }
}

/** First line of the log of a state. What follows is replayed under the behaviour it had then. */
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

/** Makes the next log of a state. Throws the system's error if the file cannot be made. */
export function beginLog(
  path: string,
  head: Omit<LogHead, 'log'>,
  options: InputLogOptions,
): { readonly id: string; readonly log: InputLog } {
  const id = randomBytes(8).toString('hex');
  const file = openSync(logFile(path, id), 'wx', privateMode);
  let problem: NodeJS.ErrnoException | null = null;
  let isBegun = false;
  const onTrouble = (error: NodeJS.ErrnoException) => {
    if (isBegun) options.onTrouble(error);
    else problem = error;
  };
  const log = new InputLog(file, { ...options, onTrouble });
  log.line(JSON.stringify({ log: id, ...head } satisfies LogHead));
  log.flush();
  isBegun = true;
  if (problem === null) return { id, log };
  closeSync(file);
  rmSync(logFile(path, id), { force: true });
  throw problem;
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

/** Removes the logs of a state except one: their inputs are in the state itself now. */
export async function removeLogs(path: string, but: string | null): Promise<void> {
  const kept = but === null ? null : logFile(path, but);
  for (const file of await logFiles(path)) {
    if (file === kept) continue;
    // A log that we may not remove belongs to another user and is not read either. If another
    // program, such as a virus scanner, has it open, it goes with the next ones.
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
  const played = new Playback(loadWorld(document, await behaviourOf(log)));
  played.clock = (document as Partial<ClockLine>).clock;
  for (; log !== undefined; log = next(logs, log)) {
    const behaviour = await behaviourOf(log);
    for (const [index, line] of log.lines.entries()) {
      try {
        played.play(line, behaviour);
      } catch (error) {
        throw brokenAt(`${basename(log.file)}: line ${index + 2}`, error);
      }
    }
  }
  const { world, clock } = played;
  return dumpWorld(world, {
    clock: { ...clock, now_ms: Math.max(world.nowMs, clock?.now_ms ?? 0) },
  });
}

function next(logs: readonly Log[], { log }: Log): Log | undefined {
  return logs.find(({ after }) => after === log);
}

/** A world that the lines of a log are played to. */
export class Playback {
  world: World;
  clock: ClockLine['clock'] | undefined;
  /** Everything that was to be done, answers included, in order. */
  readonly effects: Effect[] = [];

  constructor(world: World) {
    this.world = world;
  }

  /** Throws a SyntaxError for what is no line, and what the step throws. */
  play(line: string, behaviour: Behaviour): void {
    if (line.startsWith('{"format":')) this.world = loadWorld(JSON.parse(line), behaviour);
    else if (line.startsWith('{"clock":')) this.clock = (JSON.parse(line) as ClockLine).clock;
    else this.effects.push(...step(this.world, behaviour, parseInput(line)).effects);
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
    return found.override(behaviour);
  }, conforming);
}
