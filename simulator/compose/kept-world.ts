// A world that outlives the program, and a file of everything that it was told.
import { restoreState } from '../host/storage/world-document.ts';
import type { ClockOptions, Sandbox } from '../host/world/sandbox.ts';
import { readSavedWorld, type SavedWorld } from './world-origin.ts';

export interface KeptWorld {
  /** Saves once more, and ends the recording. */
  readonly close: () => Promise<void>;
  /** Nothing came of the start: as close, and the recording is removed. */
  readonly abandon: () => Promise<void>;
}

export interface KeepWorldOptions {
  readonly state: string | undefined;
  readonly stateSync: boolean;
  /** What was in the file when its world was looked for. */
  readonly stateVersion: string;
  readonly record: string | undefined;
  /** Told when a later save fails; the world goes on. */
  readonly onTrouble: (message: string) => void;
}

/** Tells one content of a state file and its log from another; asked before it is read. */
export async function stateVersionOf(state: string | undefined): Promise<string> {
  if (state === undefined) return '';
  const { versionOfState } = await import('../host/storage/state-file.ts');
  return versionOfState(state);
}

/** What is in a state file; null without one. Throws a StateError when it cannot be read. */
export async function findSavedWorld(state: string | undefined): Promise<SavedWorld | null> {
  if (state === undefined) return null;
  const { readStateFile } = await import('../host/storage/state-file.ts');
  const document = await readStateFile(state);
  return document === null ? null : readSavedWorld(state, document);
}

/**
 * Puts a saved world in the first one's place, its clock as it was or as it is asked for. Throws a
 * StateError, and then changes nothing.
 */
export function restoreSavedWorld(
  { first, options: { wallMs = Date.now } }: Sandbox,
  { document, clock }: SavedWorld,
  asked: ClockOptions | undefined,
): void {
  if (clock === null && asked === undefined) {
    restoreState(first, document);
    return;
  }
  const mode = asked?.mode ?? clock?.mode ?? 'real';
  // A real clock has gone on while the sandbox was not running; a frozen one has not.
  const wentOn = mode === 'real' || clock?.mode !== 'frozen' ? wallMs() : 0;
  const now_ms = asked?.nowMs ?? Math.max(clock?.nowMs ?? 0, wentOn);
  restoreState(first, { ...(document as object), clock: { mode, now_ms } });
}

/**
 * Throws a StateError when the state file cannot be written, a RecordingError when the recording
 * cannot; the other of them is left in order.
 */
export async function keepWorld(sandbox: Sandbox, options: KeepWorldOptions): Promise<KeptWorld> {
  const { state, record, onTrouble } = options;
  const closeState = state === undefined ? async () => {} : await save(sandbox, options);
  if (record === undefined) return { close: closeState, abandon: closeState };
  const bentBy = (sandbox.options.deviations ?? []).map(({ id }) => id);
  const { Recording } = await import('../host/storage/recording.ts');
  try {
    const recording = await Recording.begin(sandbox.first, record, onTrouble, bentBy);
    return {
      close: async () => {
        await closeState();
        await recording.close();
      },
      abandon: async () => {
        await closeState();
        await recording.discard();
      },
    };
  } catch (error) {
    await closeState();
    throw error;
  }
}

async function save(sandbox: Sandbox, { state = '', ...keep }: KeepWorldOptions) {
  const { first, options, beforeAnswers } = sandbox;
  const { StateFile } = await import('../host/storage/state-file.ts');
  const { onTrouble, stateSync: sync, stateVersion: loaded } = keep;
  const deviations = (options.deviations ?? []).map(({ id }) => id);
  const file = new StateFile(first, state, { onTrouble, sync, loaded, deviations });
  await file.begin();
  const flush = () => file.flush();
  beforeAnswers.add(flush);
  return () => {
    beforeAnswers.delete(flush);
    return file.close();
  };
}
