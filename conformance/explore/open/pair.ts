// What the two sides answered to one call, with all that may explain where they differ.
import type { CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';

export interface Pair {
  readonly step: CallStep;
  readonly target: CallOutcome;
  readonly model: CallOutcome;
  /** The answer that the model has replayed here, if it has. */
  readonly first?: CallOutcome | undefined;
  /** The earlier call whose refusal the target has given again, if it has. */
  readonly again?: { readonly target: CallOutcome; readonly model: CallOutcome } | undefined;
  /** The account whose answer carried the tag that was sent. */
  readonly tagOf?: string | undefined;
  /** Time was moved on before it. */
  readonly hasPaused: boolean;
  /** NS-3: money may arrive meanwhile, as another call at the same time has been approved. */
  readonly settlesMeanwhile?: boolean;
  /** The target itself has said, when it gave the token, that it would live until now. */
  readonly isTokenLive?: boolean;
  /** NS-8: the target has been seen to take requests for tokens in this form. */
  readonly isTokenFormKnown?: boolean;
  /** NS-64: the caller's token is for one account. */
  readonly isDelegated?: boolean;
  /** Calls of a metered credential that were served since time passed last, and its allowance. */
  readonly metered?: { readonly served: number; readonly perSecond: number } | undefined;
}

/** What is open, and why. */
export interface Excuse {
  /** The open question; null where the register has none. */
  readonly question: string | null;
  readonly why: string;
}

export const isRefusal = ({ status }: CallOutcome): boolean => status >= 400 && status < 500;
export const isServed = ({ status }: CallOutcome): boolean => status < 400;
