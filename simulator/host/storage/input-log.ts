// The inputs of a world as lines of a file. Next to a state file it holds those since the last
// save, so that a kill loses at most the last 100 ms (with --state-sync nothing that was answered).
// `--record` writes the same lines after a world.
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { validate } from '../../../fixtures/schemas/validate.ts';
import type { Behaviour } from '../../core/behaviour.ts';
import { mapOf, number, oneOf, record, text } from '../../core/record-kit.ts';
import { loadWorld, serializeSnapshot, snapshotWorld } from '../../core/state/snapshot.ts';
import { type Effect, type Input, step } from '../../core/step.ts';
import type { World } from '../../core/world.ts';
import type { InputKeeper } from '../world/world-host.ts';
import { privateMode } from './private-file.ts';

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
function parseInput(line: string): Input {
  const input = JSON.parse(line) as Input;
  const [problem] = validate(inputSchema, input, 'it');
  if (problem !== undefined) throw new SyntaxError(`${problem.field} ${problem.message}`);
  if (input.kind !== 'call') return input;
  if (input.call === undefined) throw new SyntaxError('call is missing');
  const body = new Uint8Array(Buffer.from(input.call.body as unknown as string, 'base64'));
  return { ...input, call: { ...input.call, body } };
}

/** Kept in memory while the disk is full; beyond that the log ends until it is started again. */
const maxUnwrittenBytes = 8 * 1024 * 1024;
const noBytes: Buffer = Buffer.alloc(0);

export interface InputLogOptions {
  /** Writes each line to the file before its step runs. */
  readonly sync?: boolean;
  /** Called when lines cannot be written, once until writing succeeds again. */
  readonly onTrouble: (error: NodeJS.ErrnoException) => void;
  /** Called when lines that could not be written are written after all. */
  readonly onRecovery?: () => void;
}

/** Appends lines to a file; the log of a state file starts without a file. */
export class InputLog implements InputKeeper {
  readonly #options: InputLogOptions;
  readonly #closeFile: (file: number) => void;
  #file: number | null;
  /** Bytes in the file. */
  #size = 0;
  #lines: (Input | string)[] = [];
  #unwritten: Buffer = noBytes;
  #failed = false;
  /** Lines are missing in this file: no more lines may follow. */
  #hasGap = false;

  constructor(options: InputLogOptions, file: number | null = null, closeFile = closeSync) {
    this.#options = options;
    this.#file = file;
    this.#closeFile = closeFile;
  }

  /**
   * With `sync` the line is written before its step, with a trailing space instead of the line end,
   * so that it is not complete yet. False: the disk refuses it, and the step must not run.
   */
  begin(input: Input): boolean {
    if (this.#options.sync !== true) return true;
    this.flush();
    if (this.#file === null || this.#hasGap || this.#unwritten.byteLength > 0) return false;
    const before = this.#size;
    if (this.#append(Buffer.from(`${serializeInput(input)} `))) return true;
    this.#cut(before);
    return false;
  }

  /** The step has succeeded. Overwriting the space needs no disk space. */
  done(input: Input): void {
    if (this.#options.sync === true) writeSync(this.#file as number, '\n', this.#size - 1);
    else this.line(input);
  }

  /** The step has failed: it is not logged. */
  failed(input: Input): void {
    if (this.#options.sync !== true) return;
    this.#cut(this.#size - Buffer.byteLength(serializeInput(input)) - 1);
  }

  #cut(size: number): void {
    this.#size = size;
    ftruncateSync(this.#file as number, size);
  }

  /** Another world replaces the current one. */
  world(world: World, beside: Readonly<Record<string, unknown>> = {}): void {
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
    const lines = this.#hasGap ? [] : this.#lines;
    this.#lines = [];
    const text = lines.map((line) => `${typeof line === 'string' ? line : serializeInput(line)}\n`);
    if (text.length > 0) {
      this.#unwritten = Buffer.concat([this.#unwritten, Buffer.from(text.join(''))]);
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
        this.#size += writeSync(this.#file as number, rest, 0, rest.byteLength, this.#size);
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

  get isBegun(): boolean {
    return this.#file !== null;
  }

  /**
   * Continues in a new file after its head; the last line of the current file names the new one.
   * Throws the system's error, and then continues with the current file.
   */
  moveTo({ path, id }: LogFile, head: object): void {
    const first = Buffer.from(`${JSON.stringify(head)}\n`);
    const file = openSync(path, 'wx', privateMode);
    try {
      for (let at = 0; at < first.byteLength; ) at += writeSync(file, first, at);
      if (this.#file !== null && !this.#hasGap) this.line(JSON.stringify({ next: id }));
      this.flush();
      // A line that names a missing file is skipped.
      const isLinked = this.#file === null || this.#unwritten.byteLength === 0;
      if (!isLinked) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    } catch (error) {
      closeSync(file);
      rmSync(path, { force: true });
      throw error;
    }
    if (this.#file !== null) closeSync(this.#file);
    this.#file = file;
    this.#size = first.byteLength;
    this.#unwritten = noBytes;
    this.#hasGap = false;
  }

  close(): void {
    this.flush();
    if (this.#file === null) return;
    try {
      fsyncSync(this.#file);
    } catch (error) {
      if (!this.#failed) this.#options.onTrouble(error as NodeJS.ErrnoException);
    }
    this.#closeFile(this.#file);
    this.#file = null;
  }
}

/** A file of a state's log; its id exists only once the file does. */
export interface LogFile {
  readonly id: string;
  readonly path: string;
}

/** A clock as lines and documents hold it. */
export interface SavedClock {
  readonly mode: string;
  readonly now_ms: number;
  readonly speed?: number;
}

/** A world to which the lines of a log are played. */
export class Playback {
  world: World;
  clock: SavedClock | undefined;
  readonly #behaviour: Behaviour;
  /** All effects, including answers, in order. */
  readonly effects: Effect[] = [];

  constructor(world: World, behaviour: Behaviour, clock?: SavedClock) {
    this.world = world;
    this.#behaviour = behaviour;
    this.clock = clock;
  }

  /** Throws a SyntaxError for an invalid line, and any error of the step. */
  play(line: string): void {
    if (line.startsWith('{"format":')) this.world = loadWorld(JSON.parse(line), this.#behaviour);
    else if (line.startsWith('{"clock":')) this.clock = JSON.parse(line).clock as SavedClock;
    else this.effects.push(...step(this.world, this.#behaviour, parseInput(line)).effects);
  }
}
