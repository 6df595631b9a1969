// What `--state` and `--record` do: a world that outlives the program, and a file of everything it
// was told.
import { restoreState } from '../../simulator/host/restoring.ts';
import type { ClockTerms, Sandbox } from '../../simulator/host/sandbox.ts';
import { readSaved, type Saved } from './begun-as.ts';

export interface Kept {
  /** Saves once more, and ends the recording. */
  readonly close: () => Promise<void>;
  /** Nothing came of the start: as close, and the recording is removed. */
  readonly abandon: () => Promise<void>;
}

export interface KeptTerms {
  readonly stateFile: string | undefined;
  readonly recordFile: string | undefined;
  /** Told when a later save fails; the world goes on. */
  readonly onTrouble: (message: string) => void;
}

/** What is in a state file; null without one. Throws a StateError when it cannot be read. */
export async function findSaved(stateFile: string | undefined): Promise<Saved | null> {
  if (stateFile === undefined) return null;
  const { readStateFile } = await import('../../simulator/host/state-file.ts');
  const document = await readStateFile(stateFile);
  return document === null ? null : readSaved(stateFile, document);
}

/**
 * Puts a saved world in the first one's place, its clock as it was or as it is asked for. Throws a
 * StateError, and then changes nothing.
 */
export function restoreSaved(
  { first, terms: { wallMs = Date.now } }: Sandbox,
  { document, clock }: Saved,
  asked: ClockTerms | undefined,
): void {
  if (clock === null && asked === undefined) {
    restoreState(first, document);
    return;
  }
  const mode = asked?.mode ?? clock?.mode ?? 'real';
  // A real clock has gone on while nobody served; a frozen one has not.
  const wentOn = mode === 'real' || clock?.mode !== 'frozen' ? wallMs() : 0;
  const now_ms = asked?.nowMs ?? Math.max(clock?.nowMs ?? 0, wentOn);
  restoreState(first, { ...(document as object), clock: { mode, now_ms } });
}

/**
 * Throws a StateError when the state file cannot be written, a RecordingError when the recording
 * cannot; the other of them is left in order.
 */
export async function keepWorld(sandbox: Sandbox, terms: KeptTerms): Promise<Kept> {
  const { stateFile, recordFile, onTrouble } = terms;
  const closeState = stateFile === undefined ? async () => {} : await save(sandbox, terms);
  if (recordFile === undefined) return { close: closeState, abandon: closeState };
  const bentBy = (sandbox.terms.deviations ?? []).map(({ id }) => id);
  const { Recording } = await import('../../simulator/host/recording.ts');
  try {
    const recording = await Recording.begin(sandbox.first, recordFile, onTrouble, bentBy);
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

async function save({ first }: Sandbox, { stateFile = '', onTrouble }: KeptTerms) {
  const { StateFile } = await import('../../simulator/host/state-file.ts');
  const file = new StateFile(first, stateFile, onTrouble);
  await file.begin();
  return () => file.close();
}
