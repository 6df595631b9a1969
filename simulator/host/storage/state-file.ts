// Stores a world in a file: a snapshot that is replaced as a whole, next to a log of the inputs
// since then.
import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import { parseSettings } from '../../../fixtures/settings.ts';
import { conformingBehaviour } from '../../core/policies/conforming.ts';
import {
  dumpWorld,
  loadWorld,
  type Snapshot,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { WorldHost } from '../world/world-host.ts';
import { InputLog, type LogFile, Playback, type SavedClock } from './input-log.ts';
import {
  FileProblem,
  findReplaceableFile,
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

/** First line of a log. Its lines are replayed under the behaviour they were written under. */
interface LogHead {
  readonly settings: unknown;
  readonly deviations: readonly string[];
}

/**
 * The document in a state file with the inputs of its log, or null if there is no file. Throws a
 * StateError.
 */
export async function readStateFile(path: string): Promise<unknown> {
  const real = await findReplaceableFile(path).catch(refuseReading);
  const { Low } = await import('lowdb');
  const state = new Low<object | null>(stateAdapter(real), null);
  await state.read();
  return state.data === null ? null : replayLog(real, state.data);
}

/** A snapshot of a world, and the other members of the file. */
interface StoredWorld {
  readonly snapshot: Snapshot;
  readonly beside: Readonly<Record<string, unknown>>;
}

/**
 * Reads JSON; writes a snapshot piece by piece, so that other work can run in between, and replaces
 * the file as a whole.
 */
const stateAdapter = (path: string): Adapter<object | null> => ({
  read: async () => {
    const text = await readPlain(path).catch((error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? null : refuseReading(error),
    );
    return text === null ? null : parseState(text);
  },
  write: async (data) => {
    const { snapshot, beside } = data as StoredWorld;
    await replacePrivately(path, async (file) => {
      for (const piece of serializeSnapshot(snapshot, beside)) {
        // Not `write`: when the disk becomes full, it writes a part and reports no error.
        await file.writeFile(piece);
        await nextTurn();
      }
    });
  },
});

function refuseReading(error: NodeJS.ErrnoException): never {
  const isOdd = error instanceof FileProblem;
  throw new StateError(isOdd ? error.message : `cannot be read (${error.code ?? error})`);
}

function parseState(text: string): object {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StateError('is not whole JSON; it was left as it is');
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
    return document;
  }
  throw new StateError('a state is a JSON object; it was left as it is');
}

/** The state itself if it has no log, as after every orderly end. */
async function replayLog(path: string, document: object): Promise<unknown> {
  const { log, clock } = document as { readonly log?: unknown; readonly clock?: SavedClock };
  let id = log;
  let played: Playback | null = null;
  for (let lines = await readLog(path, id); lines !== null; lines = await readLog(path, id)) {
    const name = basename(logOf(path, String(id)).path);
    id = null;
    for (const [index, line] of lines.entries()) {
      try {
        const parsed = JSON.parse(line);
        if (index === 0) played ??= await beginPlayback(document, clock, parsed);
        else if (parsed.next !== undefined) id = parsed.next;
        else played?.play(line);
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
  clock: SavedClock | undefined,
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
  return new Playback(loadWorld(document, behaviour), behaviour, clock);
}

/**
 * Null if it is not our log: in a folder that others can write, a planted log would change the
 * world. A program that was killed while it wrote leaves a part of a line at the end.
 */
async function readLog(path: string, id: unknown): Promise<readonly string[] | null> {
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) return null;
  const owners = [(await stat(path)).uid, process.getuid?.() ?? 0];
  return readPlain(logOf(path, id).path, owners).then(
    (text) => text.split('\n').slice(0, -1),
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
  readonly document: unknown;
  readonly #locked: string;
  #path: string;
  /** The version that this program last read or wrote; another program wrote any other one. */
  #version: string | null;
  #host: WorldHost | null = null;
  #options: StateFileOptions = { onTrouble: () => undefined };
  #log = new InputLog({ onTrouble: () => undefined });
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<unknown> = Promise.resolve();
  #savedInMs = 0;

  /**
   * Locks a file and then reads it, so that no other sandbox saves meanwhile. Throws a StateError
   * if it cannot be read, or if another sandbox uses it.
   */
  static async open(named: string): Promise<StateFile> {
    const path = await findReplaceableFile(named).catch(refuseReading);
    await lockState(path).catch(refuseWriting);
    try {
      const version = await versionOf(path);
      return new StateFile(path, version, await readStateFile(path));
    } catch (error) {
      await unlockState(path);
      throw error;
    }
  }

  private constructor(path: string, version: string | null, document: unknown) {
    this.#locked = path;
    this.#path = path;
    this.#version = version;
    this.document = document;
  }

  /** Saves a world for the first time, and follows it from then on. Throws a StateError. */
  async keep(host: WorldHost, options: StateFileOptions): Promise<void> {
    this.#host = host;
    this.#options = options;
    this.#log = new InputLog({
      sync: options.sync ?? false,
      onTrouble: ({ code, message }) =>
        this.#trouble(
          host,
          `the write-ahead log of ${this.#path} could not be written (${code ?? message})`,
        ),
      onRecovery: () => {
        host.stateTrouble = null;
      },
    });
    this.#watch(host);
    await this.#write(host).catch(refuseWriting);
  }

  #watch(host: WorldHost): void {
    const log = this.#log;
    const writeClock = () => log.line(JSON.stringify({ clock: serializeClock(host) }));
    const writeWorld = () => {
      log.world(host.world);
      writeClock();
    };
    const stopInputs = host.keepInputs({
      begin: (input) => log.begin(input),
      done: (input) => log.done(input),
      failed: (input) => {
        log.failed(input);
        writeWorld();
      },
    });
    const stopNotices = host.listen(({ kind }) => {
      if (kind === 'world') writeWorld();
      else if (kind === 'clock') writeClock();
      this.#later();
    });
    this.#stop = () => {
      stopInputs();
      stopNotices();
      if (this.#timer !== null) clearTimeout(this.#timer);
    };
  }

  /** All inputs so far are in the log when this returns. */
  flush(): void {
    this.#log.flush();
  }

  /** A slow save is repeated less often: the log has the inputs until then. */
  #later(): void {
    if (this.#timer !== null) return;
    const waitMs = Math.max(saveAfterMs, 5 * this.#savedInMs);
    this.#timer = setTimeout(() => {
      this.#saving = this.#saving.then(() => {
        this.#timer = null;
        return this.save();
      });
    }, waitMs);
  }

  /** Saves the current world in small steps, so that other work can run in between. */
  async save(): Promise<boolean> {
    const host = this.#host as WorldHost;
    try {
      await this.#write(host);
      host.stateTrouble = null;
      return true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#trouble(
        host,
        `the state could not be saved to ${this.#path} (${code ?? message}); ` +
          `what it lacks is in the write-ahead log beside it as far as that could be written`,
      );
      return false;
    }
  }

  #trouble(host: WorldHost, words: string): void {
    host.stateTrouble = words;
    this.#options.onTrouble(words);
  }

  async #write(host: WorldHost): Promise<void> {
    const startedAtMs = performance.now();
    if ((await versionOf(this.#path)) !== this.#version) await this.#stepAside();
    const { Low } = await import('lowdb');
    const { settings } = host.behaviour;
    const { deviations = [] } = this.#options;
    const file = logOf(this.#path, randomBytes(8).toString('hex'));
    const head: LogHead = { settings, deviations };
    this.#log.moveTo(file, head);
    const beside = { clock: serializeClock(host), log: file.id };
    const stored: StoredWorld = { snapshot: snapshotWorld(host.world), beside };
    await new Low(stateAdapter(this.#path), stored).write();
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
    const isSaved = this.#log.isBegun && (await this.save());
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
