// A signal that aborts after a time, or earlier with another signal.

/**
 * Aborts after this many milliseconds, or with the given signal. Node 20 may collect an
 * `AbortSignal.timeout` that only `AbortSignal.any` holds, so that it never aborts. The event loop
 * holds a timer of our own.
 */
export function withLimit(stop: AbortSignal, limitMs: number): AbortSignal {
  const over = new AbortController();
  setTimeout(() => over.abort(), limitMs).unref();
  return AbortSignal.any([stop, over.signal]);
}
