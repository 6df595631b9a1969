// What one play of a sequence brought, step by step.
import type { Json } from '../../engine/send/answer.ts';
import { type HeaderLine, Headers } from '../../engine/send/headers.ts';
import type { LedgerEntry } from '../../providers/target.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';

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

/** No answer came. */
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

/** What the events channel told. */
export interface HeardOutcome {
  readonly kind: 'heard';
  readonly n: number;
  /** What it repeats, as deliveries are compared; undefined where there is no channel. */
  readonly told: readonly ReceivedDelivery[] | undefined;
  /** It ended before it told of what happened while it was open. */
  readonly isCut: boolean;
  /** It is open still, and has not told of that yet. */
  readonly isLate: boolean;
  /** By the ground's own clock, where that is known. */
  readonly atMs: number | undefined;
}

/** How each of many calls was answered. */
export interface ManyOutcome {
  readonly kind: 'many';
  readonly n: number;
  readonly answers: readonly (CallOutcome | LostOutcome)[];
}

export type Outcome =
  | CallOutcome
  | LostOutcome
  | DoneOutcome
  | LedgerOutcome
  | HeardOutcome
  | ManyOutcome;

export function jsonOf(body: Uint8Array): Json | undefined {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString()) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function textOf(outcome: CallOutcome): string {
  return Buffer.from(outcome.body).toString();
}

export { Headers };
