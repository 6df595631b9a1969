// Makes aborts arrive, whatever the garbage collector does.

const retained = new WeakMap<object, object>();

/**
 * Keeps a thing for as long as its holder is there. Node hands the abort of a signal on to a
 * Request through a WeakRef, so that a Request without a reference to it never hears of it.
 */
export function retain(holder: object, thing: object): void {
  retained.set(holder, thing);
}

/** The signal that decides over what `fetch` is given: that of the options, else the Request's. */
export function signalOf(
  input: string | URL | Request,
  init: RequestInit | undefined,
): AbortSignal | null {
  if (init?.signal !== undefined) return init.signal;
  return input instanceof Request ? input.signal : null;
}

/**
 * Settles as the work does, or rejects with the signal's reason as soon as it is aborted. Nothing
 * stays on the signal afterwards, which may live as long as the program.
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
