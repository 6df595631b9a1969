// Checks the globs of --only and --skip, and selects the checks that they name.
import { isSelected, unmatchedGlobs } from '../../../conformance/engine/run/select.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { UsageError } from '../io.ts';
import { suggestIds } from '../suggest-ids.ts';
import type { ReportOptions } from './options.ts';

/** Refuses a glob of --only or --skip that matches no id. */
export function checkGlobs(
  { only, skip }: Pick<ReportOptions, 'only' | 'skip'>,
  ids: readonly string[],
  { what, prefix }: { readonly what: string; readonly prefix?: string },
): void {
  for (const [option, globs] of Object.entries({ '--only': only, '--skip': skip })) {
    const [stray] = unmatchedGlobs(globs, ids);
    if (stray === undefined) continue;
    const meant = `${prefix}-${stray}`;
    const isMeant = prefix !== undefined && unmatchedGlobs([meant], ids).length === 0;
    const families = new Set(ids.map((id) => `${id.split('-')[0]}-*`));
    const known = stray.endsWith('*') ? [...families] : ids;
    const seenBy = scenarios
      .filter(({ observes = [] }) => unmatchedGlobs([stray], observes).length === 0)
      .map(({ id }) => id);
    const near = seenBy[0]
      ? `: open questions are observed, not judged; select ${seenBy.slice(0, 3).join(' or ')} instead`
      : suggestIds(stray, known) || '; conformance list shows what there is';
    const advice = isMeant ? `; ${meant} does` : near;
    throw new UsageError(`${option}: "${stray}" matches no ${what}${advice}`);
  }
}

/** The checks that --only and --skip select. */
export function selectChecks<C extends { readonly id: string }>(
  checks: readonly C[],
  selection: Pick<ReportOptions, 'only' | 'skip'>,
  prefix: 'CLT' | 'RCV',
): readonly C[] {
  const ids = checks.map(({ id }) => id);
  checkGlobs(selection, ids, { what: 'check', prefix });
  const selected = checks.filter(({ id }) => isSelected(id, selection));
  if (selected.length === 0) throw new UsageError('--skip leaves no check to try');
  return selected;
}
