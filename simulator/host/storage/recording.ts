// Writes every input of a world to a file, and plays such a file: the same world and the same
// answers, byte for byte.
import { constants } from 'node:fs';
import { type FileHandle, readFile, rm } from 'node:fs/promises';
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

export interface Recording {
  readonly close: () => void;
  /** Ends the recording and removes its file: no request was served. */
  readonly discard: () => Promise<void>;
}

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
): Promise<Recording> {
  const path = await findRealFile(named).catch(refuseFile);
  const file = await openEmpty(path).catch(refuseFile);
  const options = {
    onTrouble: ({ code, message }: NodeJS.ErrnoException) =>
      onTrouble(`the recording could not be written to ${path}: ${code ?? message}`),
  };
  const log = new InputLog(options, file.fd, () => void file.close());
  const writeWorld = () => log.world(host.world, { settings: host.behaviour.settings, deviations });
  writeWorld();
  const stopInputs = host.keepInputs({ done: (input) => log.done(input), failed: writeWorld });
  // A reset or a loaded state is not an input: the replay continues with that world.
  const stopNotices = host.listen(({ kind }) => {
    if (kind === 'world') writeWorld();
  });
  const close = () => {
    stopInputs();
    stopNotices();
    log.close();
  };
  return {
    close,
    discard: async () => {
      close();
      await rm(path, { force: true });
    },
  };
}

async function openEmpty(path: string): Promise<FileHandle> {
  const created = await createPrivate(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (created !== null) return created;
  const file = await openPlain(path, constants.O_WRONLY);
  const { size, mode } = await file.stat();
  if (size === 0) {
    await file.chmod(mode & privateMode);
    return file;
  }
  await file.close();
  throw new FileProblem('is not empty; remove it, or name another file');
}

function refuseFile(error: NodeJS.ErrnoException): never {
  throw error instanceof FileProblem ? error : new FileProblem(unwritableWords(error));
}

export interface RecordedOptions {
  readonly settings: unknown;
  readonly deviations: readonly string[];
}

/** The lines of a recording, and how its world was created. Throws a StateError. */
export async function readRecording(
  path: string,
): Promise<{ readonly lines: readonly string[]; readonly options: RecordedOptions }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StateError(`cannot be read (${error.code ?? error.message})`);
  });
  // A program that was killed while it wrote leaves a part of a line at the end.
  const lines = text.split('\n').slice(0, -1);
  const { settings = {}, deviations } = parseHead(lines[0] ?? text);
  const ids = Array.isArray(deviations) ? deviations.map(String) : [];
  return { lines, options: { settings, deviations: ids } };
}

function parseHead(line: string): Partial<RecordedOptions> {
  const none = 'is no recording: it must begin with a world, as --record writes it';
  if (!line.startsWith('{"format":')) throw new StateError(none);
  try {
    return JSON.parse(line) as Partial<RecordedOptions>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StateError(none);
  }
}

/** Plays the lines of a recording. Throws a StateError that names the line. */
export async function playRecording(
  lines: readonly string[],
  behaviour: Behaviour,
): Promise<Playback> {
  await phoneTables.load();
  let played: Playback | null = null;
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    try {
      if (played !== null) played.play(line);
      else played = new Playback(loadWorld(JSON.parse(line), behaviour), behaviour);
    } catch (error) {
      if (error instanceof StateError) throw error;
      const why =
        error instanceof SyntaxError
          ? 'is no input of a world, or not a whole one'
          : `cannot be played: ${(error as Error).message}`;
      throw new StateError(`line ${index + 1} ${why}`, { cause: error });
    }
  }
  if (played === null) throw new StateError('a recording begins with the world it was made in');
  return played;
}
