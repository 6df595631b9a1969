// Waits for something to come: told by what happens, never by looking again and again.

export interface WaitOptions {
  /** How many have to have come; 1 when left out. */
  readonly count?: number;
  /** How long to wait by the wall; 5000 when left out. */
  readonly timeoutMs?: number;
}

export interface Waited<T> {
  /** What fits so far. */
  readonly found: () => readonly T[];
  /** Calls back whenever there may be more; answers how to stop that. */
  readonly listen: (look: () => void, closed: () => void) => () => void;
  /** What was waited for, and what did come, in words. */
  readonly words: () => string;
}

const defaultTimeoutMs = 5000;
const defaultQuietMs = 100;

export const closedMessage = 'the sandbox is closed';

/** Resolves to everything that fits, once it is enough; one timer, for the end of the waiting. */
export function waitFor<T>(
  { found, listen, words }: Waited<T>,
  { count = 1, timeoutMs = defaultTimeoutMs }: WaitOptions = {},
): Promise<readonly T[]> {
  const first = found();
  if (first.length >= count) return Promise.resolve(first);
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      stop();
      settle();
    };
    const late = () => {
      const missing = `${found().length} of ${count} came within ${timeoutMs} ms`;
      end(() => reject(new Error(`${missing}: ${words()}`)));
    };
    const timer = setTimeout(late, timeoutMs);
    const stop = listen(
      () => {
        const all = found();
        if (all.length >= count) end(() => resolve(all));
      },
      () => end(() => reject(new Error(closedMessage))),
    );
  });
}

/** Resolves when nothing that fits has come within the time; rejects as soon as something has. */
export function expectNone<T>(
  { found, listen, words }: Waited<T>,
  { withinMs = defaultQuietMs }: { readonly withinMs?: number } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      stop();
      settle();
    };
    const look = () => {
      const { length } = found();
      if (length > 0) end(() => reject(new Error(`${length} came, and none should: ${words()}`)));
    };
    const timer = setTimeout(() => end(resolve), withinMs);
    const stop = listen(look, () => end(() => reject(new Error(closedMessage))));
    look();
  });
}
