// Rules that an answer rests on only in some cases: who reads *why* is told those that had a part.
import type { Cite } from './call.ts';

/** The ids, where they had a part in it. */
export function citesIf(hadPart: boolean, ...ids: readonly Cite[]): readonly Cite[] {
  return hadPart ? ids : [];
}
