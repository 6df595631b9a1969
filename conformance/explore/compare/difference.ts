// One thing in which the target and the model differ.
import type { Basis } from '../play/outcome.ts';
import type { Operation } from '../sequence.ts';

export interface Difference {
  /** The step at which it shows. */
  readonly n: number;
  readonly operation: Operation | 'delivery' | 'ledger' | 'burst';
  /** What differs: `status`, `body.amount`, `header.etag`, `replay`, … */
  readonly at: string;
  readonly model: string;
  readonly target: string;
  /** In a few words, `201` or `409 invalid_state`. */
  readonly modelAnswer: string;
  readonly targetAnswer: string;
  readonly basis: Basis | undefined;
}

/** The same for the same kind of difference, whatever the names and values in it. */
export function signatureOf(difference: Difference): string {
  const { operation, at, modelAnswer, targetAnswer, basis } = difference;
  const place = at.replace(/\.\d+/g, '.*');
  const how = basis?.idempotency ?? '-';
  return [operation, place, modelAnswer, targetAnswer, how, rulesOf(basis).join(' ')].join(' | ');
}

export function rulesOf(basis: Basis | undefined): readonly string[] {
  return (basis?.cites ?? []).filter((cite) => !cite.startsWith('NS-'));
}

export function questionsOf(basis: Basis | undefined): readonly string[] {
  return (basis?.cites ?? []).filter((cite) => cite.startsWith('NS-'));
}
