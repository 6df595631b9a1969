// Chooses the checks that --only and --skip name.
import { isSelected, unmatchedGlobs } from '../../../conformance/engine/run/select.ts';
import { suggestIds } from '../suggest-ids.ts';
import { UsageError } from './io.ts';

/** Throws UsageError for a glob that matches no check, and if no check is left. */
export function selectChecks<C extends { readonly id: string }>(
  checks: readonly C[],
  { only = [], skip = [] }: { only?: readonly string[]; skip?: readonly string[] },
  prefix: 'CLT' | 'RCV',
): readonly C[] {
  const ids = checks.map(({ id }) => id);
  for (const [option, globs] of [
    ['--only', only],
    ['--skip', skip],
  ] as const) {
    const [stray] = unmatchedGlobs(globs, ids);
    if (stray === undefined) continue;
    const isMeant = unmatchedGlobs([`${prefix}-${stray}`], ids).length === 0;
    const near = suggestIds(stray, ids) || '; conformance list shows the checks';
    const hint = isMeant ? `; ${prefix}-${stray} does` : near;
    throw new UsageError(`${option}: "${stray}" matches no check${hint}`);
  }
  const selected = checks.filter(({ id }) => isSelected(id, { only, skip }));
  if (selected.length === 0) throw new UsageError('--skip leaves no check to try');
  return selected;
}
