// The recording of one run of a client: its calls in order, how the command ended, what it printed.

import type { OperationName } from '../engine/operations.ts';
import type { HeaderLine } from '../engine/send/headers.ts';

/** What became of a call: which response the client got, and whether the platform ran it. */
export type Fate =
  /** The platform answered, and the client was given that answer. */
  | 'answered'
  /** The platform ran it; the connection was cut instead of sending the response. */
  | 'answer_lost'
  /** The connection was cut before anything ran. */
  | 'request_lost'
  /** The platform ran it, and no answer is ever sent. */
  | 'silent'
  /** An answer instead of the platform's; nothing ran. */
  | 'refused';

export interface ApiCall {
  /** From 1, in the order of arrival. */
  readonly n: number;
  /** Since the start of the run, when all of it had come. */
  readonly atMs: number;
  readonly method: string;
  /** As sent: path and query. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  /** The body where it is JSON. */
  readonly json: unknown;
  /** null: no operation that the judge knows. */
  readonly operation: OperationName | null;
  /** The Idempotency-Key without spaces around it; null where none was sent. */
  readonly key: string | null;
  readonly token: string | null;
  /** `createTransaction#2`: the second thing that the run wanted of that operation. */
  readonly site: string | null;
  readonly fate: Fate;
  /** What the judge did to it, in words; null where it was served as it is. */
  readonly struck: string | null;
  readonly response: ApiResponse | null;
  /** When the answer went out, or the connection was cut by the judge. */
  readonly answeredAtMs: number | null;
  /** When the client closed the connection before it had read an answer. */
  readonly abandonedAtMs: number | null;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

export interface Ending {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** It was still running when its time was up. */
  readonly killed: boolean;
  /** The judge had seen enough, and ended it early. */
  readonly cutShort: boolean;
  readonly durationMs: number;
  /** The end of what it printed, both streams as they came. */
  readonly output: string;
}

export interface Recording {
  readonly calls: readonly ApiCall[];
  readonly ending: Ending;
  /** Tokens and secrets that the client was given in this run. */
  readonly secrets: readonly string[];
  /** How late this program was at most to look at what came, in milliseconds. */
  readonly lagMs: number;
  /** It has followed the events channel, of which nothing else is seen. */
  readonly followsEvents: boolean;
}

/**
 * The client stopped waiting before it read the response, as happens on a busy machine. What it does
 * next shows nothing about how it handles the response.
 */
export function isUnheard({ fate, abandonedAtMs }: ApiCall): boolean {
  return abandonedAtMs !== null && (fate === 'answered' || fate === 'refused');
}

/** It ended on its own, with success. */
export function succeeded({ ending }: Recording): boolean {
  return ending.code === 0 && !ending.killed && !ending.cutShort;
}

/** `exit code 1`, `killed after 60 s`. */
export function endingWords({ code, signal, killed, durationMs }: Ending): string {
  if (killed) return `was killed after ${Math.round(durationMs / 1000)} s`;
  return code === null ? `ended by ${signal}` : `ended with exit code ${code}`;
}
