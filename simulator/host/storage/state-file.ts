// Keeps a world in a file: loaded at the start, saved as it changes and at the end, whole or not at
// all.

import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import {
  type Snapshot,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import type { ClockMode } from '../world/clock.ts';
import type { WorldHost } from '../world/world-host.ts';
import {
  FileProblem,
  findRealFile,
  keepStricterMode,
  privateMode,
  versionOf,
} from './private-file.ts';
import { removeJournals, replayJournals, StateJournal } from './state-journal.ts';
import { halfOf, lockState, unlockState } from './state-lock.ts';
import { serializeClock } from './world-document.ts';

/** After a change, so long until the file itself is saved anew; the journal has it before. */
const saveAfterMs = 500;

/** A document with the clock it was saved under. */
export interface SavedClock {
  readonly mode: ClockMode;
  readonly now_ms: number;
  readonly speed?: number;
}

interface Stored {
  readonly snapshot: Snapshot;
  readonly clock: SavedClock;
  /** The journal that goes on where this state ends. */
  readonly journal: string;
}

/**
 * lowdb's port to the disk: reads JSON, writes a snapshot piece by piece beside the file, then in
 * its place.
 */
class PiecewiseFile implements Adapter<unknown> {
  readonly #path: string;
  /** Pieces written in one go before others get a turn. */
  readonly #politely: boolean;

  constructor(path: string, politely: boolean) {
    this.#path = path;
    this.#politely = politely;
  }

  async read(): Promise<unknown> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new StateError(`cannot be read (${error.code})`);
    });
    if (text === null) return null;
    const document = parseWhole(text);
    // lowdb takes null, 0, false and an empty text for no file at all, which would be written over.
    if (!document) throw new StateError('a state is a JSON object; it was left as it is');
    return document;
  }

  async write(data: unknown): Promise<void> {
    const { snapshot, ...beside } = data as Stored;
    const half = halfOf(this.#path);
    const file = await open(half, 'w', privateMode);
    try {
      for (const piece of serializeSnapshot(snapshot, beside)) {
        await file.write(piece);
        if (this.#politely) await nextTurn();
      }
      await file.sync();
    } catch (error) {
      await file.close();
      await rm(half, { force: true });
      throw error;
    }
    await file.close();
    await keepStricterMode(half, this.#path);
    await replaceFile(half, this.#path);
  }
}

/** Windows refuses for a moment while another program, such as a virus scanner, reads the file. */
async function replaceFile(half: string, path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await rename(half, path);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (tries === 10 || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) {
        await rm(half, { force: true });
        throw error;
      }
      await sleep(20 * tries);
    }
  }
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StateError('is not whole JSON; it was left as it is');
  }
}

/**
 * The document in a state file with everything that its journal tells after it, or null when there
 * is no file yet. Throws a StateError.
 */
export async function readStateFile(path: string): Promise<unknown> {
  const real = await realFileOf(path);
  const { Low } = await import('lowdb');
  const db = new Low<unknown>(new PiecewiseFile(real, false), null);
  await db.read();
  return db.data === null ? null : replayJournals(real, db.data);
}

async function realFileOf(path: string): Promise<string> {
  try {
    return await findRealFile(path);
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
  /** Ids of the deviations under which the world is kept. */
  readonly deviations?: readonly string[];
}

export class StateFile {
  readonly #host: WorldHost;
  readonly #options: StateFileOptions;
  readonly #named: string;
  #path: string;
  /** The content that this program read or wrote last; another one is somebody else's. */
  #version: string | null = null;
  #journal: StateJournal | null = null;
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
      await lockState(this.#path);
    } catch (error) {
      throw asStateError(error);
    }
    try {
      this.#version = await versionOf(this.#path);
      await this.#write(false);
    } catch (error) {
      this.#unwatch();
      await unlockState(this.#path);
      throw asStateError(error);
    }
    this.#watch();
  }

  #watch(): void {
    const stopInputs = this.#host.listenToInputs((input) => this.#journal?.input(input));
    const stopNotices = this.#host.listen(({ kind }) => {
      if (kind === 'world') this.#journal?.world(this.#host.world);
      if (kind === 'world' || kind === 'clock') this.#journal?.clock(serializeClock(this.#host));
      this.#later();
    });
    this.#stop = () => {
      stopInputs();
      stopNotices();
    };
  }

  /** A save that took long is not made often: the journal has what comes meanwhile. */
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
      return true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#options.onTrouble(
        `the state could not be saved to ${this.#path} (${code ?? message}); ` +
          `what it lacks is in the journal beside it as far as that could be written`,
      );
      return false;
    }
  }

  async #write(politely: boolean): Promise<void> {
    const startedAtMs = performance.now();
    await this.#stepAside();
    const { Low } = await import('lowdb');
    const journal = this.#nextJournal();
    const stored: Stored = {
      snapshot: snapshotWorld(this.#host.world),
      clock: serializeClock(this.#host),
      journal: journal.id,
    };
    const db = new Low<unknown>(new PiecewiseFile(this.#path, politely), null);
    db.data = stored;
    await db.write();
    this.#version = await versionOf(this.#path);
    await removeJournals(this.#path, journal.id);
    this.#savedInMs = performance.now() - startedAtMs;
  }

  /** What happens from now on is told by another journal: the state saved now stands before it. */
  #nextJournal(): StateJournal {
    const { deviations = [], sync = false, onTrouble } = this.#options;
    const { settings } = this.#host.behaviour;
    const before = this.#journal;
    const tell = ({ code, message }: NodeJS.ErrnoException) =>
      onTrouble(`the journal of ${this.#path} could not be written (${code ?? message})`);
    const options = { settings, deviations, sync, onTrouble: tell };
    const journal = new StateJournal(this.#path, before?.id ?? null, options);
    before?.close();
    this.#journal = journal;
    return journal;
  }

  /** A file that another hand has changed is left as it is; this world goes on beside it. */
  async #stepAside(): Promise<void> {
    if ((await versionOf(this.#path)) === this.#version) return;
    const changed = this.#path;
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    this.#path = join(dirname(changed), `${basename(changed, '.json')}.${stamp}.json`);
    this.#version = null;
    this.#options.onTrouble(
      `${changed} was changed by another program since it was loaded, and is left so; ` +
        `this world is kept in ${this.#path} from now on`,
    );
  }

  /** Saves once more and stops watching. */
  async close(): Promise<void> {
    this.#unwatch();
    await this.#saving;
    const isSaved = await this.#save(false);
    this.#journal?.close();
    if (isSaved) await removeJournals(this.#path, null);
    await unlockState(await realFileOf(this.#named));
  }

  #unwatch(): void {
    this.#ended = true;
    this.#stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}

function asStateError(error: unknown): StateError {
  if (error instanceof StateError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new StateError(`cannot be written (${code ?? message})`);
}
