// Stores a world in a file: a snapshot that is replaced as a whole, next to a log of the inputs
// since then.
import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Adapter, Low } from 'lowdb';
import { parseJson } from '../../../fixtures/lenient.ts';
import { parseSettings } from '../../../fixtures/settings.ts';
import { conformingBehaviour } from '../../core/behaviour.ts';
import {
  dumpWorld,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { WorldHost } from '../world/world-host.ts';
import {
  InputLog,
  type LogFile,
  type LogHead,
  Playback,
  refuseReading,
  wholeLines,
} from './input-log.ts';
import {
  FileProblem,
  findReplaceableFile,
  nullOn,
  readPlain,
  replacePrivately,
  unwritableWords,
  versionOf,
} from './private-file.ts';
import { lockState, unlockState } from './state-lock.ts';
import { serializeClock } from './world-document.ts';

/** The time from a change to the next snapshot; the log has the change earlier. */
const saveAfterMs = 500;

const logOf = (path: string, id: string): LogFile => ({
  id,
  path: join(dirname(path), `.${basename(path)}.${id}.wal`),
});

/**
 * The document in a state file with the inputs of its log, or null if there is no file. Throws a
 * StateError.
 */
export async function readStateFile(path: string): Promise<unknown> {
  const real = await findReplaceableFile(path).catch(refuseReading);
  const state = new Low<object | null>(stateAdapter(real), null);
  await state.read();
  return state.data === null ? null : replayLog(real, state.data);
}

/**
 * Reads JSON; writes a document piece by piece, so that other work can run in between, and replaces
 * the file as a whole.
 */
const stateAdapter = (path: string): Adapter<object | null> => ({
  read: async () => {
    const text = await readPlain(path).catch(nullOn('ENOENT')).catch(refuseReading);
    return text === null ? null : parseState(text);
  },
  write: async (pieces) => {
    await replacePrivately(path, async (file) => {
      for (const piece of pieces as Iterable<string>) {
        // Not `write`: when the disk becomes full, it writes a part and reports no error.
        await file.writeFile(piece);
        await nextTurn();
      }
    });
  },
});

function parseState(text: string): object {
  const document = parseJson(text);
  if (document === undefined) throw new StateError('is not whole JSON; it was left as it is');
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
    return document;
  }
  throw new StateError('a state is a JSON object; it was left as it is');
}

/** The state itself if it has no log, as after every orderly end. */
async function replayLog(path: string, document: object): Promise<unknown> {
  let id = (document as { readonly log?: unknown }).log;
  let played: Playback | null = null;
  for (let lines = await readLog(path, id); lines !== null; lines = await readLog(path, id)) {
    const name = basename(logOf(path, String(id)).path);
    id = null;
    for (const [index, line] of lines.entries()) {
      try {
        const parsed = JSON.parse(line);
        if (index === 0) played ??= await beginPlayback(document, parsed);
        else if (parsed.next !== undefined) id = parsed.next;
        else played?.play(parsed);
      } catch (error) {
        if (error instanceof StateError) throw error;
        const place = `${name}: line ${index + 1} is broken`;
        const words = `cannot be read together with its write-ahead log: ${place}`;
        throw new StateError(words, { cause: error });
      }
    }
  }
  if (played === null) return document;
  const nowMs = Math.max(played.world.nowMs, played.clock?.now_ms ?? 0);
  return dumpWorld(played.world, { clock: { ...played.clock, now_ms: nowMs } });
}

/** Under the behaviour in the head of a log. */
async function beginPlayback(
  document: object,
  { settings: given, deviations }: LogHead,
): Promise<Playback> {
  const { settings, problems = [] } = parseSettings(given);
  if (settings === undefined) throw new SyntaxError(problems[0]?.message);
  await phoneTables.load();
  let behaviour = conformingBehaviour(settings);
  for (const id of deviations) {
    const { findDeviation } = await import('../../deviations/register.ts');
    const found = findDeviation(id);
    if (found === undefined) {
      throw new StateError(`was kept under a deviation "${id}", which is not known`);
    }
    behaviour = found.override(behaviour);
  }
  const played = new Playback(behaviour);
  played.play(document);
  return played;
}

/**
 * Null if it is not our log: in a folder that others can write, a planted log would change the
 * world.
 */
async function readLog(path: string, id: unknown): Promise<readonly string[] | null> {
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) return null;
  const owners = [(await stat(path)).uid, process.getuid?.() ?? 0];
  return readPlain(logOf(path, id).path, owners).then(
    wholeLines,
    (error: NodeJS.ErrnoException) => {
      if (error instanceof FileProblem || error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

export interface StateFileOptions {
  /** Called when a save fails; the next change tries again. */
  readonly onTrouble: (message: string) => void;
  /** Sends a response only when its change is in the file; otherwise up to 100 ms earlier. */
  readonly sync?: boolean;
  /** Ids of the deviations that the world runs with. */
  readonly deviations?: readonly string[];
}

export class StateFile {
  /** What the file held when it was opened; null if there was none. */
  document: unknown = null;
  readonly #locked: string;
  readonly #options: StateFileOptions;
  readonly #log: InputLog;
  #path: string;
  /** The version that this program last read or wrote; another program wrote any other one. */
  #version: string | null = null;
  #host: WorldHost | null = null;
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<unknown> = Promise.resolve();
  /** How long the last save took; null before the first one. */
  #savedInMs: number | null = null;

  /**
   * Locks a file and then reads it, so that no other sandbox saves meanwhile. Throws a StateError
   * if it cannot be read, or if another sandbox uses it.
   */
  static async open(named: string, options: StateFileOptions): Promise<StateFile> {
    const path = await findReplaceableFile(named).catch(refuseReading);
    await lockState(path).catch(refuseWriting);
    const file = new StateFile(path, options);
    try {
      file.#version = await versionOf(path);
      file.document = await readStateFile(path);
      return file;
    } catch (error) {
      await unlockState(path);
      throw error;
    }
  }

  private constructor(path: string, options: StateFileOptions) {
    this.#locked = path;
    this.#path = path;
    this.#options = options;
    this.#log = new InputLog({
      sync: options.sync,
      onTrouble: (error) => {
        const why = `could not be written (${error?.code ?? error?.message})`;
        this.#setTrouble(error && `the write-ahead log of ${this.#path} ${why}`);
      },
    });
  }

  /** Saves a world for the first time, and follows it from then on. Throws a StateError. */
  async keep(host: WorldHost): Promise<void> {
    this.#host = host;
    const log = this.#log;
    const beside = () => ({ clock: serializeClock(host) });
    const stopLog = log.follow(host, () => log.world(host.world, beside()));
    const stopNotices = host.listen(({ kind }) => {
      if (kind === 'clock') log.line(JSON.stringify(beside()));
      this.#later();
    });
    this.#stop = () => {
      stopLog();
      stopNotices();
      clearTimeout(this.#timer);
    };
    await this.#write(host).catch(refuseWriting);
  }

  /** All inputs so far are in the log when this returns. */
  flush(): void {
    this.#log.flush();
  }

  /** A slow save is repeated less often: the log has the inputs until then. */
  #later(): void {
    if (this.#timer !== undefined || this.#savedInMs === null) return;
    const waitMs = Math.max(saveAfterMs, 5 * this.#savedInMs);
    this.#timer = setTimeout(() => {
      this.#saving = this.#saving.then(() => {
        this.#timer = undefined;
        return this.save();
      });
    }, waitMs);
  }

  /** Saves the current world in small steps, so that other work can run in between. */
  async save(): Promise<boolean> {
    try {
      await this.#write(this.#host as WorldHost);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#setTrouble(
        `the state could not be saved to ${this.#path} (${code ?? message}); ` +
          `the latest changes are in the write-ahead log beside it, as far as it could be written`,
      );
      return false;
    }
    this.#setTrouble(null);
    return true;
  }

  #setTrouble(words: string | null): void {
    if (this.#host !== null) this.#host.stateTrouble = words;
    if (words !== null) this.#options.onTrouble(words);
  }

  async #write(host: WorldHost): Promise<void> {
    const startedAtMs = performance.now();
    if ((await versionOf(this.#path)) !== this.#version) await this.#stepAside();
    const { settings } = host.behaviour;
    const { deviations = [] } = this.#options;
    const file = logOf(this.#path, randomBytes(8).toString('hex'));
    this.#log.moveTo(file, { settings, deviations });
    const beside = { clock: serializeClock(host), log: file.id };
    const pieces = serializeSnapshot(snapshotWorld(host.world), beside);
    await new Low<object | null>(stateAdapter(this.#path), pieces).write();
    this.#version = await versionOf(this.#path);
    await removeLogs(this.#path, file.id);
    this.#savedInMs = performance.now() - startedAtMs;
  }

  /** Leaves a file that another program has changed, and continues in a new one next to it. */
  async #stepAside(): Promise<void> {
    const changed = this.#path;
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const name = `${basename(changed, '.json')}.${stamp}-${randomBytes(2).toString('hex')}.json`;
    this.#path = join(dirname(changed), name);
    this.#version = null;
    await removeLogs(changed);
    this.#options.onTrouble(
      `${changed} was changed by another program since it was loaded, and is left so; ` +
        `this world is kept in ${this.#path} from now on`,
    );
  }

  /** Saves once more, stops following and unlocks the file. */
  async close(): Promise<void> {
    this.#stop();
    await this.#saving;
    const isSaved = this.#savedInMs !== null && (await this.save());
    this.#log.close();
    if (isSaved) await removeLogs(this.#path);
    await unlockState(this.#locked);
  }
}

/** Removes all logs of a state, except the one of this id. */
async function removeLogs(path: string, kept = ''): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const id = /\.([0-9a-f]{16})\.wal$/.exec(name)?.[1] ?? kept;
    const log = logOf(path, id).path;
    if (id !== kept && basename(log) === name) await rm(log, { force: true });
  }
}

function refuseWriting(error: NodeJS.ErrnoException): never {
  if (error instanceof StateError) throw error;
  throw new StateError(unwritableWords(error));
}
