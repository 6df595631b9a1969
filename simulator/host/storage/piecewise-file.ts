// lowdb's port to the disk for a state: whole or not at all, however large it is.
import { open, readFile, rename, rm } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import { type Snapshot, StateError, serializeSnapshot } from '../../core/state/snapshot.ts';
import type { ClockMode } from '../world/clock.ts';
import { keepStricterMode, privateMode } from './private-file.ts';
import { halfOf } from './state-lock.ts';

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
  /** The journal that goes on where this state ends. */
  readonly journal: string;
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
