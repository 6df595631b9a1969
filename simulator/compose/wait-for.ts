// What a test waits for in its own process, and the messages that say what came in its place.
import { until } from '../host/world/until.ts';

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

/** Resolves to everything that fits, once it is enough. */
export async function waitFor<T>(
  { found, listen, words }: Waited<T>,
  { count = 1, timeoutMs = defaultTimeoutMs }: WaitOptions = {},
): Promise<readonly T[]> {
  const isMet = () => found().length >= count;
  const end = await until({ isMet, listen, timeoutMs });
  if (end === 'over') throw new Error(closedMessage);
  const all = found();
  if (end === 'met') return all;
  throw new Error(`${all.length} of ${count} came within ${timeoutMs} ms: ${words()}`);
}

/** Resolves when nothing that fits has come within the time; rejects as soon as something has. */
export async function expectNone<T>(
  { found, listen, words }: Waited<T>,
  { withinMs = defaultQuietMs }: { readonly withinMs?: number } = {},
): Promise<void> {
  const end = await until({ isMet: () => found().length > 0, listen, timeoutMs: withinMs });
  if (end === 'over') throw new Error(closedMessage);
  if (end === 'met') throw new Error(`${found().length} came, and none should: ${words()}`);
}
