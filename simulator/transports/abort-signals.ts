// Delivers aborts reliably, independent of garbage collection.

const retained = new WeakMap<object, object>();

/**
 * Keeps `thing` alive as long as `holder`. Node forwards the abort of a signal to a Request through
 * a WeakRef, so a Request that is not referenced would never be notified.
 */
export function retain(holder: object, thing: object): void {
  retained.set(holder, thing);
}

/** The signal that applies to `fetch`: that of the options, otherwise the Request's. */
export function signalOf(
  input: string | URL | Request,
  init: RequestInit | undefined,
): AbortSignal | null {
  if (init?.signal !== undefined) return init.signal;
  return input instanceof Request ? input.signal : null;
}

/**
 * Settles like the work, or rejects with the signal's reason as soon as it is aborted. Its listener
 * is removed afterwards, because the signal may live as long as the program.
 */
export function rejectOnAbort<T>(signal: AbortSignal | null, work: Promise<T>): Promise<T> {
  if (signal === null) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const settle = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(settle);
  });
}
