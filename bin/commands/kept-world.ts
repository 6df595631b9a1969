// What `--state` and `--record` do: a world that outlives the program, and a file of everything it
// was told.
import { restoreState } from '../../simulator/host/restoring.ts';
import type { Sandbox } from '../../simulator/host/sandbox.ts';

export interface Kept {
  /** Saves once more, and ends the recording. */
  readonly close: () => Promise<void>;
}

export interface KeptTerms {
  readonly stateFile: string | undefined;
  readonly recordFile: string | undefined;
  /** Told when a later save fails; the world goes on. */
  readonly onTrouble: (message: string) => void;
}

/** Throws a StateError when the state file cannot be used; it is then left as it was. */
export async function keepWorld(sandbox: Sandbox, terms: KeptTerms): Promise<Kept> {
  const closing: (() => Promise<void>)[] = [];
  const { stateFile, recordFile, onTrouble } = terms;
  if (stateFile !== undefined) {
    const { readStateFile, StateFile } = await import('../../simulator/host/state-file.ts');
    const document = await readStateFile(stateFile);
    if (document !== null) restoreState(sandbox.first, continued(document));
    const file = new StateFile(sandbox.first, stateFile, onTrouble);
    await file.begin();
    closing.push(() => file.close());
  }
  if (recordFile !== undefined) {
    const bentBy = (sandbox.terms.deviations ?? []).map(({ id }) => id);
    const { Recording } = await import('../../simulator/host/recording.ts');
    const recording = new Recording(sandbox.first, recordFile, onTrouble, bentBy);
    closing.push(() => recording.close());
  }
  return {
    close: async () => {
      for (const close of closing) await close();
    },
  };
}

/** A real clock has gone on while nobody served: what came due meanwhile happens now. */
function continued(document: unknown): unknown {
  const { clock } = document as { clock?: { mode?: unknown; now_ms?: unknown } };
  if (clock?.mode !== 'real' || typeof clock.now_ms !== 'number') return document;
  return {
    ...(document as object),
    clock: { ...clock, now_ms: Math.max(clock.now_ms, Date.now()) },
  };
}
