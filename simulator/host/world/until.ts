// Waits for a condition: it is checked when something happens, without polling.

export interface Until {
  readonly isMet: () => boolean;
  /** Calls `look` when the condition may hold, `over` when it never will; returns how to stop. */
  readonly listen: (look: () => void, over: () => void) => () => void;
  /** In real time. */
  readonly timeoutMs: number;
}

/** One timer, for the timeout; none if the condition already holds. */
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
