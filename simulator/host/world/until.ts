// Waits until something is so: told by what happens, never by looking again and again.

export interface Until {
  readonly isMet: () => boolean;
  /** Has `look` called when it may be so, and `over` when it never will; answers how to stop. */
  readonly listen: (look: () => void, over: () => void) => () => void;
  /** By the wall. */
  readonly timeoutMs: number;
}

/** One timer, for the end of the waiting; none where it is so already. */
export function until({ isMet, listen, timeoutMs }: Until): Promise<'met' | 'late' | 'over'> {
  if (isMet()) return Promise.resolve('met');
  return new Promise((resolve) => {
    const end = (how: 'met' | 'late' | 'over') => {
      clearTimeout(timer);
      stop();
      resolve(how);
    };
    const timer = setTimeout(() => end('late'), timeoutMs);
    const stop = listen(
      () => {
        if (isMet()) end('met');
      },
      () => end('over'),
    );
  });
}
