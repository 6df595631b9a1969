// The outcomes of one play of a sequence, step by step.
import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Unreachable,
} from '../../engine/scenario-errors.ts';
import type { HeaderLine, Headers } from '../../engine/send/headers.ts';
import { type Json, memberAt, parseJson } from '../../engine/send/json.ts';
import type { LedgerEntry } from '../../providers/target.ts';

/** Why the model answers this way, from its journal entry for the call. */
export interface Basis {
  readonly cites: readonly string[];
  readonly idempotency: 'first' | 'replayed' | 'converged' | 'in_flight' | null;
  /** Name of the check that decided the answer. */
  readonly step: string;
}

/** The request as it was sent, for reports; without the token. */
export interface Sent {
  readonly as: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array | undefined;
}

interface Exchange {
  readonly n: number;
  readonly sent: Sent;
  /** By the wall clock, from the start of the play. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

export interface CallOutcome extends Exchange {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly json: Json | undefined;
  readonly basis?: Basis | undefined;
}

/** No response arrived, or one that is not the API's. */
interface LostOutcome extends Exchange {
  readonly kind: 'lost';
  readonly why: string;
}

interface DoneOutcome {
  readonly kind: 'done';
  readonly n: number;
  readonly json: Json;
  /** The current state does not allow it: a rejected transaction does not settle. */
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
  readonly answers: readonly Played[];
}

export type Played = CallOutcome | LostOutcome;
export type Outcome = Played | DoneOutcome | LedgerOutcome | ManyOutcome;

export const jsonOf = (body: Uint8Array): Json | undefined =>
  body.length === 0 ? undefined : parseJson(body);

export const jsonSent = ({ sent: { body } }: CallOutcome): Json | undefined => body && jsonOf(body);

/** A JSON number, however large. */
export const isNumber = (value: Json | undefined): boolean =>
  typeof value === 'number' || typeof value === 'bigint';

/** Every call's outcome, with repeated calls one by one. */
export const callsIn = (outcomes: ReadonlyMap<number, Outcome>): readonly Played[] =>
  [...outcomes.values()].flatMap((each): readonly Played[] => {
    if (each.kind === 'many') return each.answers;
    return each.kind === 'answer' || each.kind === 'lost' ? [each] : [];
  });

/** The calls that were answered. */
export const answersIn = (outcomes: ReadonlyMap<number, Outcome>): readonly CallOutcome[] =>
  callsIn(outcomes).filter((each): each is CallOutcome => each.kind === 'answer');

export const textOf = ({ body }: { readonly body: Uint8Array }): string =>
  Buffer.from(body).toString();

/** A short description: `201`, `409 invalid_state`, `422 text/plain`. */
export function summaryOf({ status, json, headers }: CallOutcome): string {
  const code = memberAt(json, 'code');
  if (status >= 400 && typeof code === 'string') return `${status} ${code}`;
  return status >= 400 ? `${status} ${headers.mediaType()}` : String(status);
}

export function isSetupFailure(error: unknown): error is Error {
  return [Blocked, Inconclusive, Unreachable, MissingCapability].some(
    (each) => error instanceof each,
  );
}
