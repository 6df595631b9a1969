// Writes every input of a world to a file, and plays such a file: the same world and the same
// answers, byte for byte.
import { constants, openSync } from 'node:fs';
import { type FileHandle, readFile, rm, stat } from 'node:fs/promises';
import type { Behaviour } from '../../core/behaviour.ts';
import { loadWorld, StateError } from '../../core/state/snapshot.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { WorldHost } from '../world/world-host.ts';
import { InputLog, Playback } from './input-log.ts';
import {
  createPrivate,
  FileProblem,
  findRealFile,
  openPlain,
  privateMode,
  unwritableWords,
} from './private-file.ts';

/** Why a recording cannot begin, in words for the person who named its file. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/**
 * First line of a recording: the world it begins with. Every further line is an input, or the world
 * that replaced the one before it.
 */
export class Recording {
  readonly #log: InputLog;
  readonly #host: WorldHost;
  readonly #deviations: readonly string[];
  readonly #path: string;
  readonly #stop: () => void;
  #isOpen = true;

  /**
   * Resolves when the file is there to be written; throws a RecordingError where it cannot be, or
   * where it holds something already: a recording is evidence, and never lost to the next one.
   */
  static async begin(...options: ConstructorParameters<typeof Recording>): Promise<Recording> {
    const [host, named, onTrouble, deviations] = options;
    const path = await findRealFile(named).catch(refuseFile);
    const file = await openEmpty(path).catch(refuseFile);
    return new Recording(host, path, onTrouble, deviations, file);
  }

  /**
   * `onTrouble` is told when the file cannot be written; the world goes on. The ids of the
   * deviations stand in the file, so that a reader knows what changed the answers.
   */
  constructor(
    host: WorldHost,
    path: string,
    onTrouble: (message: string) => void,
    deviations: readonly string[] = [],
    file?: FileHandle,
  ) {
    this.#host = host;
    this.#path = path;
    this.#deviations = deviations;
    const options = {
      onTrouble: ({ code, message }: NodeJS.ErrnoException) =>
        onTrouble(`the recording could not be written to ${path}: ${code ?? message}`),
    };
    this.#log =
      file === undefined
        ? new InputLog(openSync(path, 'w', privateMode), options)
        : new InputLog(file.fd, options, () => void file.close());
    this.#writeWorld();
    // A reset or a loaded state is no input: what is played goes on with that world.
    const stopListening = host.listen(({ kind }) => {
      if (kind === 'world') this.#writeWorld();
    });
    const stopInputs = host.keepInputs({
      done: (input) => this.#log.done(input),
      failed: () => this.#writeWorld(),
    });
    this.#stop = () => {
      stopListening();
      stopInputs();
    };
  }

  #writeWorld(): void {
    const { world, behaviour } = this.#host;
    this.#log.world(world, { settings: behaviour.settings, deviations: this.#deviations });
  }

  /** Ends it and removes its file: nothing was served. */
  async discard(): Promise<void> {
    this.close();
    const found = await stat(this.#path).catch(() => null);
    if (found?.isFile()) await rm(this.#path, { force: true });
  }

  close(): void {
    this.#stop();
    if (this.#isOpen) this.#log.close();
    this.#isOpen = false;
  }
}

/** A new file, or one that is there and empty, with a mode of its own: it keeps a stricter one. */
async function openEmpty(path: string): Promise<FileHandle> {
  const made = await createPrivate(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (made !== null) return made;
  const file = await openPlain(path, constants.O_WRONLY);
  const { size, mode } = await file.stat();
  if (size === 0) {
    await file.chmod(mode & privateMode);
    return file;
  }
  await file.close();
  throw new RecordingError('is there already; remove it, or name another file');
}

function refuseFile(error: NodeJS.ErrnoException): never {
  if (error instanceof RecordingError) throw error;
  if (error instanceof FileProblem) throw new RecordingError(error.message);
  throw new RecordingError(unwritableWords(error));
}

export interface RecordedOptions {
  readonly settings: unknown;
  readonly deviations: readonly string[];
}

/** The lines of a recording, and what the world in it was made with. Throws a StateError. */
export async function readRecording(
  path: string,
): Promise<{ readonly lines: readonly string[]; readonly options: RecordedOptions }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StateError(`cannot be read (${error.code ?? error.message})`);
  });
  const lines = text.split('\n');
  // A program that was killed while it wrote leaves half a line at the end: what was done before.
  if (lines[lines.length - 1] !== '') lines.pop();
  const { settings = {}, deviations } = parseHead(lines[0]);
  const ids = Array.isArray(deviations) ? deviations.map(String) : [];
  return { lines, options: { settings, deviations: ids } };
}

function parseHead(line: string | undefined): Partial<RecordedOptions> {
  const none = 'is no recording: it must begin with a world, as --record writes it';
  if (line?.startsWith('{"format":') !== true) throw new StateError(none);
  try {
    return JSON.parse(line) as Partial<RecordedOptions>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StateError(none);
  }
}

/** Plays the lines of a recording from its first one on. Throws a StateError that names the line. */
export async function playRecording(
  lines: Iterable<string>,
  behaviour: Behaviour,
): Promise<Playback> {
  await phoneTables.load();
  let played: Playback | null = null;
  let n = 0;
  for (const line of lines) {
    n += 1;
    if (line === '') continue;
    try {
      if (played === null) played = new Playback(loadWorld(JSON.parse(line), behaviour));
      else played.play(line, behaviour);
    } catch (error) {
      if (error instanceof StateError) throw error;
      const why =
        error instanceof SyntaxError
          ? 'is no input of a world, or not a whole one'
          : `cannot be played: ${(error as Error).message}`;
      throw new StateError(`line ${n} ${why}`, { cause: error });
    }
  }
  if (played === null) throw new StateError('a recording begins with the world it was made in');
  return played;
}
