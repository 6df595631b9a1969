// A difference that may be one of an open question, and what excuses it.
import type { Difference } from '../compare/difference.ts';
import type { CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';

/** A difference with all that may explain it. */
export interface Case {
  readonly difference: Difference;
  readonly step: CallStep;
  readonly target: CallOutcome;
  readonly model: CallOutcome;
  /** The answer that the model has replayed here, if it has. */
  readonly first: CallOutcome | undefined;
  /** The earlier call whose refusal the target has given again, if it has. */
  readonly again?: { readonly target: CallOutcome; readonly model: CallOutcome } | undefined;
  /** The account whose answer carried the tag that was sent. */
  readonly tagOf?: string | undefined;
  /** Time was moved on before it. */
  readonly hasPaused: boolean;
  /** NS-3: money may arrive meanwhile, as another call at once with it has been approved. */
  readonly settlesMeanwhile?: boolean;
  /** The target itself has said, when it gave the token, that it would live until now. */
  readonly isTokenLive?: boolean;
}

export interface Excuse {
  /** The open question; null where the register has none. */
  readonly question: string | null;
  readonly why: string;
}

/** What is open, and which differences are of it. */
export interface Row extends Excuse {
  readonly covers: (each: Case) => boolean;
}

export const isRefusal = ({ status }: CallOutcome): boolean => status >= 400 && status < 500;
export const bothRefuse = ({ target, model }: Case): boolean =>
  isRefusal(target) && isRefusal(model);
export const isText = ({ headers }: CallOutcome): boolean => headers.mediaType() === 'text/plain';
export const cites = ({ model }: Case, rule: string): boolean =>
  model.basis?.cites.includes(rule) ?? false;
