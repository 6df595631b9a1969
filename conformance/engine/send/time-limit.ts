// A signal that aborts after a time, or before it with another.

/**
 * Aborts after so many milliseconds, or with the signal that is given. Node 20 may collect an
 * `AbortSignal.timeout` that only `AbortSignal.any` holds, so that it never aborts: a timer of our
 * own is held by the event loop.
 */
export function withLimit(stop: AbortSignal, limitMs: number): AbortSignal {
  const over = new AbortController();
  setTimeout(() => over.abort(), limitMs).unref();
  return AbortSignal.any([stop, over.signal]);
}
