// The inputs of a world as lines of a file. Next to a state file it holds those since the last
// save, so that a kill loses at most the last 100 ms (with --state-sync nothing that was answered).
// `--record` writes the same lines after a world, and a replay gives the same world and the same
// answers, byte for byte.
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, readFile, rm } from 'node:fs/promises';
import { parseJson } from '../../../fixtures/lenient.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';
import type { Behaviour } from '../../core/behaviour.ts';
import { mapOf, number, oneOf, record, text } from '../../core/record-kit.ts';
import {
  loadWorld,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import { type Effect, type Input, step } from '../../core/step.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { World } from '../../core/world.ts';
import type { WorldHost } from '../world/world-host.ts';
import {
  createPrivate,
  FileProblem,
  findRealFile,
  nullOn,
  openPlain,
  privateMode,
  unreadableWords,
  unwritableWords,
} from './private-file.ts';
import type { SavedClock } from './world-document.ts';

/** One line of JSON without its line end; bodies are base64, so that any bytes survive. */
function serializeInput(input: Input): string {
  if (input.kind !== 'call') return JSON.stringify(input);
  const body = Buffer.from(input.call.body).toString('base64');
  return JSON.stringify({ ...input, call: { ...input.call, body } });
}

const inputSchema = record({
  kind: oneOf('call', 'time', 'answered', 'target-refused', 'command'),
  atMs: number,
  'call?': record({ method: text, target: text, headers: mapOf({} as never), body: text }),
});

/** Throws a SyntaxError if the line is no input. */
function readInput(line: unknown): Input {
  const [problem] = validate(inputSchema, line, 'it');
  if (problem !== undefined) throw new SyntaxError(`${problem.field} ${problem.message}`);
  const input = line as Input;
  if (input.kind !== 'call') return input;
  if (input.call === undefined) throw new SyntaxError('call is missing');
  const body = new Uint8Array(Buffer.from(input.call.body as unknown as string, 'base64'));
  return { ...input, call: { ...input.call, body } };
}

/** A program that was killed while it wrote leaves a part of a line at the end. */
export const wholeLines = (text: string): readonly string[] => text.split('\n').slice(0, -1);

export function refuseReading(error: NodeJS.ErrnoException): never {
  throw error instanceof StateError ? error : new StateError(unreadableWords(error));
}

/** What the lines were written under; they are replayed under the same. */
export interface LogHead {
  readonly settings: unknown;
  readonly deviations: readonly string[];
}

/** Kept in memory while the disk is full; beyond that the log ends until it is started again. */
const maxUnwrittenBytes = 8 * 1024 * 1024;
const noBytes: Buffer = Buffer.alloc(0);

export interface InputLogOptions {
  /** Writes each line to the file before its step runs. */
  readonly sync?: boolean | undefined;
  /** Called once when lines cannot be written, and with null when they are written after all. */
  readonly onTrouble: (error: NodeJS.ErrnoException | null) => void;
}

interface OpenFile {
  readonly fd: number;
  readonly close: () => unknown;
}

/** Appends lines to a file; the log of a state file starts without a file. */
export class InputLog {
  readonly #options: InputLogOptions;
  #file: OpenFile | null;
  /** Bytes in the file. */
  #size = 0;
  /** With `sync`: where the line of the current step begins. */
  #lineStart = 0;
  #lines: (Input | string)[] = [];
  #unwritten: Buffer = noBytes;
  #failed = false;
  /** Lines are missing in this file: no more lines may follow. */
  #hasGap = false;

  constructor(options: InputLogOptions, file: OpenFile | null = null) {
    this.#options = options;
    this.#file = file;
  }

  /** Logs the inputs of a world. If other changes were made to it, `writeWorld` logs it whole. */
  follow(host: WorldHost, writeWorld: () => void): () => void {
    const stopInputs = host.keepInputs({
      begin: (input) => this.#begin(input),
      done: (input) => this.#done(input),
      failed: () => {
        if (this.#options.sync === true) this.#cut(this.#lineStart);
        writeWorld();
      },
    });
    // A reset or a loaded state is not an input.
    const stopNotices = host.listen(({ kind }) => {
      if (kind === 'world') writeWorld();
    });
    return () => {
      stopInputs();
      stopNotices();
    };
  }

  /**
   * With `sync` the line is written before its step, with a trailing space instead of the line end,
   * so that it is not complete yet. False: the disk refuses it, and the step must not run.
   */
  #begin(input: Input): boolean {
    if (this.#options.sync !== true) return true;
    this.flush();
    if (this.#file === null || this.#hasGap || this.#unwritten.byteLength > 0) return false;
    this.#lineStart = this.#size;
    if (this.#append(Buffer.from(`${serializeInput(input)} `))) return true;
    this.#cut(this.#lineStart);
    return false;
  }

  /** The step has succeeded. Overwriting the space needs no disk space. */
  #done(input: Input): void {
    if (this.#options.sync === true) writeSync(this.#file?.fd as number, '\n', this.#size - 1);
    else this.line(input);
  }

  #cut(size: number): void {
    this.#size = size;
    ftruncateSync(this.#file?.fd as number, size);
  }

  world(world: World, beside: Readonly<Record<string, unknown>>): void {
    const pieces = [...serializeSnapshot(snapshotWorld(world), beside)];
    this.line(pieces.join('').replaceAll('\n', ''));
  }

  /** Written at the end of this turn: on a busy machine a timer fires too late. */
  line(line: Input | string): void {
    this.#lines.push(line);
    if (this.#options.sync === true) this.flush();
    else if (this.#lines.length === 1) process.nextTick(() => this.flush());
  }

  /** Hands everything so far to the operating system, where it survives this process. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length > 0 && !this.#hasGap) {
      const text = lines.map((line) => (typeof line === 'string' ? line : serializeInput(line)));
      this.#unwritten = Buffer.concat([this.#unwritten, Buffer.from(`${text.join('\n')}\n`)]);
    }
    if (this.#file !== null && this.#unwritten.byteLength > 0) {
      const before = this.#size;
      // A full disk writes a part, perhaps of a line: the rest follows with the next lines.
      this.#append(this.#unwritten);
      this.#unwritten = this.#unwritten.subarray(this.#size - before);
    }
    if (this.#unwritten.byteLength <= maxUnwrittenBytes) return;
    this.#hasGap = true;
    this.#unwritten = noBytes;
  }

  /** Whether all of it was written; `#size` counts the written bytes. */
  #append(bytes: Buffer): boolean {
    const begin = this.#size;
    try {
      while (this.#size < begin + bytes.byteLength) {
        const rest = bytes.subarray(this.#size - begin);
        this.#size += writeSync(this.#file?.fd as number, rest, 0, rest.byteLength, this.#size);
      }
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error as NodeJS.ErrnoException);
      this.#failed = true;
      return false;
    }
    if (this.#failed) this.#options.onTrouble(null);
    this.#failed = false;
    return true;
  }

  /**
   * Continues in a new file after its head; the last line of the current file names the new one.
   * Throws the system's error, and then continues with the current file.
   */
  moveTo({ path, id }: LogFile, head: LogHead): void {
    const first = Buffer.from(`${JSON.stringify(head)}\n`);
    const fd = openSync(path, 'wx', privateMode);
    try {
      for (let at = 0; at < first.byteLength; ) at += writeSync(fd, first, at);
      if (this.#file !== null && !this.#hasGap) this.line(JSON.stringify({ next: id }));
      this.flush();
      // A line that names a missing file is skipped.
      const isLinked = this.#file === null || this.#unwritten.byteLength === 0;
      if (!isLinked) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
    this.#file?.close();
    this.#file = { fd, close: () => closeSync(fd) };
    this.#size = first.byteLength;
    this.#unwritten = noBytes;
    this.#hasGap = false;
  }

  close(): void {
    this.flush();
    if (this.#file === null) return;
    try {
      fsyncSync(this.#file.fd);
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error as NodeJS.ErrnoException);
    }
    this.#file.close();
    this.#file = null;
  }
}

/** A file of a state's log; its id exists only once the file does. */
export interface LogFile {
  readonly id: string;
  readonly path: string;
}

/** A world to which the lines of a log are played; the first one is a world. */
export class Playback {
  clock: SavedClock | undefined;
  /** All effects, including answers, in order. */
  readonly effects: Effect[] = [];
  readonly #behaviour: Behaviour;
  #world: World | null = null;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  get world(): World {
    if (this.#world !== null) return this.#world;
    throw new StateError('a recording begins with the world it was made in');
  }

  /** Throws a SyntaxError for an invalid line, and any error of the step. */
  play(line: unknown): void {
    const { format, clock } = (line ?? {}) as {
      readonly format?: unknown;
      readonly clock?: SavedClock;
    };
    if (clock !== undefined) this.clock = clock;
    if (format !== undefined) this.#world = loadWorld(line, this.#behaviour);
    else if (clock === undefined) {
      this.effects.push(...step(this.world, this.#behaviour, readInput(line)).effects);
    }
  }
}

export type Recording = Awaited<ReturnType<typeof recordWorld>>;

/**
 * Records a world to a new or empty file: its first line is the world, every further line an input
 * or the world that replaced the previous one. Throws a FileProblem if the file cannot be written
 * or is not empty: a recording is evidence, and never overwritten.
 */
export async function recordWorld(
  host: WorldHost,
  named: string,
  onTrouble: (message: string) => void,
  deviations: readonly string[] = [],
) {
  const path = await findRealFile(named).catch(refuseFile);
  const file = await openEmpty(path).catch(refuseFile);
  const report = (error: NodeJS.ErrnoException | null) => {
    if (error === null) return;
    onTrouble(`the recording could not be written to ${path}: ${error.code ?? error.message}`);
  };
  const log = new InputLog({ onTrouble: report }, file);
  const head: LogHead = { settings: host.behaviour.settings, deviations };
  const writeWorld = () => log.world(host.world, { ...head });
  writeWorld();
  const stop = log.follow(host, writeWorld);
  const close = () => {
    stop();
    log.close();
  };
  return {
    close,
    /** Ends the recording and removes its file: no request was served. */
    discard: async () => {
      close();
      await rm(path, { force: true });
    },
  };
}

async function openEmpty(path: string): Promise<FileHandle> {
  const created = await createPrivate(path).catch(nullOn('EEXIST'));
  const file = created ?? (await openPlain(path, constants.O_WRONLY));
  const { size, mode } = await file.stat();
  if (size > 0) {
    await file.close();
    throw new FileProblem('is not empty; remove it, or name another file');
  }
  await file.chmod(mode & privateMode);
  return file;
}

function refuseFile(error: NodeJS.ErrnoException): never {
  throw new FileProblem(unwritableWords(error));
}

/** The lines of a recording, and how its world was created. Throws a StateError. */
export async function readRecording(path: string) {
  const text = await readFile(path, 'utf8').catch(refuseReading);
  const lines = wholeLines(text);
  const head = lines[0] ?? text;
  const world = head.startsWith('{"format":') ? parseJson(head) : undefined;
  if (world === undefined) {
    throw new StateError('is no recording: it must begin with a world, as --record writes it');
  }
  const { settings = {}, deviations } = world as Partial<LogHead>;
  const ids = Array.isArray(deviations) ? deviations.map(String) : [];
  const options: LogHead = { settings, deviations: ids };
  return { lines, options };
}

/** Plays the lines of a recording. Throws a StateError that names the line. */
export async function playRecording(
  lines: readonly string[],
  behaviour: Behaviour,
): Promise<Playback> {
  await phoneTables.load();
  const played = new Playback(behaviour);
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    try {
      played.play(JSON.parse(line));
    } catch (error) {
      if (error instanceof StateError) throw error;
      const why =
        error instanceof SyntaxError
          ? 'is no input of a world, or not a whole one'
          : `cannot be played: ${(error as Error).message}`;
      throw new StateError(`line ${index + 1} ${why}`, { cause: error });
    }
  }
  return played;
}
