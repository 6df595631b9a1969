// Keeps a world in a file: loaded at the start, saved as it changes and at the end, whole or not at
// all.
import { open, readFile, rename, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import {
  type Snapshot,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import type { ClockMode } from '../world/clock.ts';
import type { WorldHost } from '../world/world-host.ts';
import { halfOf, lockState, unlockState } from './state-lock.ts';
import { serializeClock } from './world-document.ts';

/** After a change, so long until it is in the file at the latest (once the disk keeps up). */
const saveWithinMs = 500;

/** A document with the clock it was saved under. */
export interface SavedClock {
  readonly mode: ClockMode;
  readonly now_ms: number;
  readonly speed?: number;
}

interface Stored {
  readonly snapshot: Snapshot;
  readonly clock: SavedClock;
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
    const { snapshot, clock } = data as Stored;
    const half = halfOf(this.#path);
    const file = await open(half, 'w');
    try {
      for (const piece of serializeSnapshot(snapshot, { clock })) {
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
    await rename(half, this.#path);
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

/** The document in a state file, or null when there is no file yet. Throws a StateError. */
export async function readStateFile(path: string): Promise<unknown> {
  const { Low } = await import('lowdb');
  const db = new Low<unknown>(new PiecewiseFile(path, false), null);
  await db.read();
  return db.data;
}

export class StateFile {
  readonly #path: string;
  readonly #host: WorldHost;
  readonly #onTrouble: (message: string) => void;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<void> = Promise.resolve();
  #ended = false;

  /**
   * Watches the world from now on. `onTrouble` is told when a save fails; the next change tries
   * again.
   */
  constructor(host: WorldHost, path: string, onTrouble: (message: string) => void) {
    this.#path = path;
    this.#host = host;
    this.#onTrouble = onTrouble;
    this.#stop = host.listen(() => this.#later());
  }

  #later(): void {
    if (this.#timer !== null || this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#saving = this.#saving.then(() => {
        this.#timer = null;
        return this.save();
      });
    }, saveWithinMs);
  }

  /**
   * Saves for the first time; throws a StateError where the file cannot be written or another
   * sandbox keeps it.
   */
  async begin(): Promise<void> {
    try {
      await lockState(this.#path);
      await this.#write(false);
    } catch (error) {
      this.#unwatch();
      if (error instanceof StateError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new StateError(`cannot be written (${code ?? message})`);
    }
  }

  /** Saves as the world is now, piece by piece between what others want. */
  save(): Promise<void> {
    return this.#save(true);
  }

  async #save(politely: boolean): Promise<void> {
    try {
      await this.#write(politely);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#onTrouble(`the state could not be saved to ${this.#path}: ${code ?? message}`);
    }
  }

  async #write(politely: boolean): Promise<void> {
    const { Low } = await import('lowdb');
    const stored: Stored = {
      snapshot: snapshotWorld(this.#host.world),
      clock: serializeClock(this.#host),
    };
    const db = new Low<unknown>(new PiecewiseFile(this.#path, politely), null);
    db.data = stored;
    await db.write();
  }

  /** Saves once more and stops watching. */
  async close(): Promise<void> {
    this.#unwatch();
    await this.#saving;
    await this.#save(false);
    await unlockState(this.#path);
  }

  #unwatch(): void {
    this.#ended = true;
    this.#stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
