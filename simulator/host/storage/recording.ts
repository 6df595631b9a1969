// Writes every input of a world to a file, and plays such a file: the same world and the same
// answers, byte for byte.
import { constants } from 'node:fs';
import { type FileHandle, readFile, rm } from 'node:fs/promises';
import { parseJson } from '../../../fixtures/lenient.ts';
import type { Behaviour } from '../../core/behaviour.ts';
import { StateError } from '../../core/state/snapshot.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { WorldHost } from '../world/world-host.ts';
import { InputLog, type LogHead, Playback, refuseReading, wholeLines } from './input-log.ts';
import {
  createPrivate,
  FileProblem,
  findRealFile,
  nullOn,
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
export async function readRecording(
  path: string,
): Promise<{ readonly lines: readonly string[]; readonly options: LogHead }> {
  const text = await readFile(path, 'utf8').catch(refuseReading);
  const lines = wholeLines(text);
  const head = lines[0] ?? text;
  const world = head.startsWith('{"format":') ? parseJson(head) : undefined;
  if (world === undefined) {
    throw new StateError('is no recording: it must begin with a world, as --record writes it');
  }
  const { settings = {}, deviations } = world as Partial<LogHead>;
  const ids = Array.isArray(deviations) ? deviations.map(String) : [];
  return { lines, options: { settings, deviations: ids } };
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
