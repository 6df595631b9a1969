// lowdb's port to the disk for a state: whole or not at all, however large it is.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import { type Snapshot, StateError, serializeSnapshot } from '../../core/state/snapshot.ts';
import type { ClockMode } from '../world/clock.ts';
import { FileProblem, readPlain, replacePrivately } from './private-file.ts';

/** A document with the clock it was saved under. */
export interface SavedClock {
  readonly mode: ClockMode;
  readonly now_ms: number;
  readonly speed?: number;
}

/** What is written. */
export interface Stored {
  readonly snapshot: Snapshot;
  readonly clock: SavedClock;
  /** The log that goes on where this state ends. */
  readonly log: string;
}

/** Reads JSON; writes a snapshot piece by piece beside the file, then in its place. */
export class PiecewiseFile implements Adapter<unknown> {
  readonly #path: string;
  /** Pieces written in one go before others get a turn. */
  readonly #politely: boolean;

  constructor(path: string, politely: boolean) {
    this.#path = path;
    this.#politely = politely;
  }

  async read(): Promise<unknown> {
    const text = await readPlain(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      if (error instanceof FileProblem) throw new StateError(error.message);
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
    await replacePrivately(this.#path, async (file) => {
      for (const piece of serializeSnapshot(snapshot, beside)) {
        // Not `write`, which on a disk that gets full takes a part of it and says no word.
        await file.writeFile(piece);
        if (this.#politely) await nextTurn();
      }
    });
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
