// What one play of a sequence brought, step by step.
import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Unreachable,
} from '../../engine/scenario-errors.ts';
import { type Json, memberAt } from '../../engine/send/answer.ts';
import { type HeaderLine, Headers } from '../../engine/send/headers.ts';
import type { LedgerEntry } from '../../providers/target.ts';

/** Why the model answers as it does: what its journal says of the call. */
export interface Basis {
  readonly cites: readonly string[];
  readonly idempotency: 'first' | 'replayed' | 'converged' | 'in_flight' | null;
  /** Name of the check that decided. */
  readonly step: string;
}

/** The request as it was sent, for reports; without the token. */
export interface Sent {
  /** Who calls, as the step names them. */
  readonly as: string;
  readonly method: string;
  /** Path and query, from the base URL. */
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array | undefined;
}

export interface CallOutcome {
  readonly kind: 'answer';
  readonly n: number;
  readonly sent: Sent;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly json: Json | undefined;
  /** By the wall, from the start of the play. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly basis?: Basis | undefined;
}

/** No answer came, or one that is none of the API's. */
export interface LostOutcome {
  readonly kind: 'lost';
  readonly n: number;
  readonly sent: Sent;
  readonly why: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** What an operator's step brought. */
export interface DoneOutcome {
  readonly kind: 'done';
  readonly n: number;
  readonly json: Json;
  /** It could not be done as things stood: a transaction that is rejected does not settle. */
  readonly isRefused?: boolean;
}

export interface LedgerOutcome {
  readonly kind: 'ledger';
  readonly n: number;
  readonly balance: string;
  readonly entries: readonly LedgerEntry[];
}

/** How each of many calls was answered. */
export interface ManyOutcome {
  readonly kind: 'many';
  readonly n: number;
  readonly answers: readonly (CallOutcome | LostOutcome)[];
}

export type Outcome = CallOutcome | LostOutcome | DoneOutcome | LedgerOutcome | ManyOutcome;

/** Stands before the digits of a whole number that is too large for a JSON number of JavaScript. */
const LARGE = '\u{e000}';
const LARGE_NUMBER = /(?<=[:,[]\s*)-?\d{16,}(?=\s*[,}\]])/g;

/**
 * The body as JSON; undefined where it is none. Whole numbers beyond 2^53 are texts of their digits:
 * an id keeps every digit. A text between quotes that holds such a number in such a place is rare
 * enough, and keeps its digits too.
 */
export function jsonOf(body: Uint8Array): Json | undefined {
  if (body.length === 0) return undefined;
  const text = Buffer.from(body).toString();
  try {
    if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
    const marked = text.replace(LARGE_NUMBER, (digits) =>
      Number.isSafeInteger(Number(digits)) ? digits : `"${LARGE}${digits}"`,
    );
    return JSON.parse(marked) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A JSON number, however large. */
export const isNumber = (value: Json | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.startsWith(LARGE));

/** The digits or the text of a value that names a record. */
export const nameText = (value: Json | undefined): string => String(value).replace(LARGE, '');

/** Every call's, those of many calls one by one. */
export const callsIn = (
  outcomes: ReadonlyMap<number, Outcome>,
): readonly (CallOutcome | LostOutcome)[] =>
  [...outcomes.values()].flatMap((each): readonly (CallOutcome | LostOutcome)[] => {
    if (each.kind === 'many') return each.answers;
    return each.kind === 'answer' || each.kind === 'lost' ? [each] : [];
  });

/** The calls that were answered. */
export const answersIn = (outcomes: ReadonlyMap<number, Outcome>): readonly CallOutcome[] =>
  callsIn(outcomes).filter((each): each is CallOutcome => each.kind === 'answer');

export function textOf(outcome: CallOutcome): string {
  return Buffer.from(outcome.body).toString();
}

/** In a few words: `201`, `409 invalid_state`, `422 text/plain`. */
export function summaryOf({ status, json, headers }: CallOutcome): string {
  const code = memberAt(json, 'code');
  if (status >= 400 && typeof code === 'string') return `${status} ${code}`;
  return status >= 400 ? `${status} ${headers.mediaType()}` : String(status);
}

/** What the setup could not do, or the network did not let it do. */
export function isSetupFailure(error: unknown): error is Error {
  return [Blocked, Inconclusive, Unreachable, MissingCapability].some(
    (each) => error instanceof each,
  );
}

export { Headers };
