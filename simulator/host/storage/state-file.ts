// Keeps a world in a file: loaded at the start, saved as it changes and at the end, whole or not at
// all.

import { basename, dirname, join } from 'node:path';
import { StateError, snapshotWorld } from '../../core/state/snapshot.ts';
import type { WorldHost } from '../world/world-host.ts';
import { beginLog, type InputLog, logFiles, removeLogs, replayLogs } from './input-log.ts';
import { PiecewiseFile, type Stored } from './piecewise-file.ts';
import {
  FileProblem,
  findRealFile,
  refuseSecondName,
  unwritableWords,
  versionOf,
} from './private-file.ts';
import { lockState, unlockState } from './state-lock.ts';
import { serializeClock } from './world-document.ts';

/** The time from a change to the next save of the file; the log has the change before. */
const saveAfterMs = 500;

/**
 * The document in a state file with everything that its write-ahead log tells after it, or null
 * when there is no file yet. Throws a StateError.
 */
export async function readStateFile(path: string): Promise<unknown> {
  const real = await realFileOf(path);
  const { Low } = await import('lowdb');
  const db = new Low<unknown>(new PiecewiseFile(real, false), null);
  await db.read();
  return db.data === null ? null : replayLogs(real, db.data);
}

/** Tells one content of a state file, with what its logs add, from another. */
export async function versionOfState(path: string): Promise<string> {
  const real = await realFileOf(path);
  const files = [real, ...(await logFiles(real))].sort();
  const versions = await Promise.all(files.map(versionOf));
  return versions.join(' ');
}

async function realFileOf(path: string): Promise<string> {
  try {
    const real = await findRealFile(path);
    await refuseSecondName(real);
    return real;
  } catch (error) {
    if (error instanceof FileProblem) throw new StateError(error.message);
    throw new StateError(`cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
}

export interface StateFileOptions {
  /** Told when a save fails; the next change tries again. */
  readonly onTrouble: (message: string) => void;
  /** An answer leaves when its change is in the file; else at most 100 ms later. */
  readonly sync?: boolean;
  /** The version that the world was loaded from: what was saved since is not written over. */
  readonly loaded?: string;
  /** Ids of the deviations under which the world is kept. */
  readonly deviations?: readonly string[];
}

export class StateFile {
  readonly #host: WorldHost;
  readonly #options: StateFileOptions;
  readonly #named: string;
  #path: string;
  /** Where locks of ours stand, whatever becomes of the files and their names. */
  #locked: string[] = [];
  /** The file that another hand has changed, once there is one. */
  #left: string | null = null;
  /** The version that this program read or wrote last; another one is another program's. */
  #version: string | null = null;
  #log: { readonly id: string; readonly log: InputLog } | null = null;
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<void> = Promise.resolve();
  #savedInMs = 0;
  #ended = false;

  constructor(host: WorldHost, path: string, options: StateFileOptions) {
    this.#host = host;
    this.#named = path;
    this.#path = path;
    this.#options = options;
  }

  /**
   * Saves for the first time, and watches the world from then on; throws a StateError where the
   * file cannot be written or another sandbox keeps it.
   */
  async begin(): Promise<void> {
    this.#path = await realFileOf(this.#named);
    try {
      await this.#lock(this.#path);
    } catch (error) {
      throw asStateError(error);
    }
    try {
      const { loaded } = this.#options;
      if (loaded !== undefined && (await versionOfState(this.#path)) !== loaded) {
        throw new StateError('was saved by another sandbox while this one started; start again');
      }
      this.#version = await versionOf(this.#path);
      await this.#write(false);
    } catch (error) {
      this.#unwatch();
      await this.#unlock();
      throw asStateError(error);
    }
    this.#watch();
  }

  async #lock(path: string): Promise<void> {
    await lockState(path);
    this.#locked.push(path);
  }

  /** Gives up every lock but one. */
  async #unlock(but?: string): Promise<void> {
    for (const path of this.#locked) if (path !== but) await unlockState(path);
    this.#locked = this.#locked.filter((path) => path === but);
  }

  #watch(): void {
    const stopInputs = this.#host.keepInputs({
      begin: (input) => this.#log?.log.begin(input) ?? true,
      done: (input) => this.#log?.log.done(input),
      failed: (input) => {
        this.#log?.log.failed(input);
        this.#writeWorld();
      },
    });
    const stopNotices = this.#host.listen(({ kind }) => {
      if (kind === 'world') this.#writeWorld();
      else if (kind === 'clock') this.#writeClock();
      this.#later();
    });
    this.#stop = () => {
      stopInputs();
      stopNotices();
    };
  }

  #writeWorld(): void {
    this.#log?.log.world(this.#host.world);
    this.#writeClock();
  }

  #writeClock(): void {
    this.#log?.log.line(JSON.stringify({ clock: serializeClock(this.#host) }));
  }

  /** What has happened so far is in the log when this returns. */
  flush(): void {
    this.#log?.log.flush();
  }

  /** A save that took long is not made often: the log has what comes meanwhile. */
  #later(): void {
    if (this.#timer !== null || this.#ended) return;
    const waitMs = Math.max(saveAfterMs, 5 * this.#savedInMs);
    this.#timer = setTimeout(() => {
      this.#saving = this.#saving.then(() => {
        this.#timer = null;
        return this.save();
      });
    }, waitMs);
  }

  /** Saves as the world is now, piece by piece between what others want. */
  async save(): Promise<void> {
    await this.#save(true);
  }

  async #save(politely: boolean): Promise<boolean> {
    try {
      await this.#write(politely);
      this.#host.stateTrouble = null;
      return true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#trouble(
        `the state could not be saved to ${this.#path} (${code ?? message}); ` +
          `what it lacks is in the write-ahead log beside it as far as that could be written`,
      );
      return false;
    }
  }

  async #write(politely: boolean): Promise<void> {
    const startedAtMs = performance.now();
    await this.#stepAside();
    const { Low } = await import('lowdb');
    const log = this.#nextLog();
    const stored: Stored = {
      snapshot: snapshotWorld(this.#host.world),
      clock: serializeClock(this.#host),
      log,
    };
    const db = new Low<unknown>(new PiecewiseFile(this.#path, politely), null);
    db.data = stored;
    await db.write();
    this.#version = await versionOf(this.#path);
    await removeLogs(this.#path, log);
    // What they tell is no story of the file that another hand made.
    if (this.#left !== null) await removeLogs(this.#left, null);
    this.#left = null;
    await this.#unlock(this.#path);
    this.#savedInMs = performance.now() - startedAtMs;
  }

  #trouble(words: string): void {
    this.#host.stateTrouble = words;
    this.#options.onTrouble(words);
  }

  /** What happens from now on is told by another log: the state saved now stands before it. */
  #nextLog(): string {
    const { deviations = [], sync = false } = this.#options;
    const { settings } = this.#host.behaviour;
    const before = this.#log;
    const onTrouble = ({ code, message }: NodeJS.ErrnoException) =>
      this.#trouble(
        `the write-ahead log of ${this.#path} could not be written (${code ?? message})`,
      );
    const onRecovery = () => {
      this.#host.stateTrouble = null;
    };
    const head = { after: before?.id ?? null, settings, deviations };
    this.#log = beginLog(this.#path, head, { sync, onTrouble, onRecovery });
    before?.log.close();
    return this.#log.id;
  }

  /** A file that another hand has changed is left as it is; this world goes on beside it. */
  async #stepAside(): Promise<void> {
    if ((await versionOf(this.#path)) === this.#version) return;
    const changed = this.#path;
    this.#path = await this.#lockFree(changed);
    this.#version = null;
    this.#left = changed;
    this.#options.onTrouble(
      `${changed} was changed by another program since it was loaded, and is left so; ` +
        `this world is kept in ${this.#path} from now on`,
    );
  }

  /** A path beside the changed file where nothing lies, and which is locked as that one was. */
  async #lockFree(changed: string): Promise<string> {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const stem = join(dirname(changed), `${basename(changed, '.json')}.${stamp}`);
    for (let n = 1; ; n += 1) {
      const path = n === 1 ? `${stem}.json` : `${stem}-${n}.json`;
      await this.#lock(path);
      if ((await versionOf(path)) === null) return path;
      await this.#unlock(changed);
    }
  }

  /** Saves once more and stops watching. */
  async close(): Promise<void> {
    this.#unwatch();
    await this.#saving;
    const isSaved = await this.#save(false);
    this.#log?.log.close();
    if (isSaved) await removeLogs(this.#path, null);
    await this.#unlock();
  }

  #unwatch(): void {
    this.#ended = true;
    this.#stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}

function asStateError(error: unknown): StateError {
  if (error instanceof StateError) return error;
  return new StateError(unwritableWords(error as NodeJS.ErrnoException));
}
