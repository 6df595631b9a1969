// A signal that aborts after a time, or earlier with another signal.

/**
 * Aborts after this many milliseconds, or with the given signal. Node 20 may collect an
 * `AbortSignal.timeout` that only `AbortSignal.any` references, so that it never aborts. The event
 * loop references this timer.
 */
export function withLimit(stop: AbortSignal, limitMs: number): AbortSignal {
  const over = new AbortController();
  setTimeout(() => over.abort(), limitMs).unref();
  return AbortSignal.any([stop, over.signal]);
}
