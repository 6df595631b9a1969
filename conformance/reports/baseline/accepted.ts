// Rules that a baseline accepts as not tested: for want of what the target never had, and for no
// other reason.
import type { Report, ReportRule } from '../report.ts';
import { type AcceptedEntry, UNEXPLAINED } from './parse-baseline.ts';

/** Whether somebody stands for its not being tested. */
export function isAccepted({ verdict, reason }: ReportRule): boolean {
  return verdict === 'not_tested' && reason !== null;
}

/** What was given and is of no use now is not accepted: it is to be mended. */
function isAcceptable({ verdict, lost }: ReportRule): boolean {
  return verdict === 'not_tested' && lost.length === 0;
}

/** Whatever one would do with a control plane: there is none, for one reason. */
function wantsOf({ unlock }: ReportRule): string[] {
  const wants = unlock.map((each) => each.replace(/^(a control plane \([^)]*\)), to .*/, '$1'));
  return [...new Set(wants)].sort();
}

export function acceptUntested(rule: ReportRule, entries: readonly AcceptedEntry[]): ReportRule {
  if (!isAcceptable(rule)) return rule;
  const entry = entries.find(
    ({ rules, lacks }) =>
      rules.includes(rule.id) && wantsOf(rule).every((each) => lacks.includes(each)),
  );
  return entry === undefined ? rule : { ...rule, reason: entry.reason };
}

/**
 * What a report would have accepted, in one entry for each thing that is lacking: that is what has
 * a reason. Reasons that were given stay.
 */
export function acceptedNow(report: Report, before: readonly AcceptedEntry[]): AcceptedEntry[] {
  const groups = new Map<string, ReportRule[]>();
  for (const rule of report.rules) {
    const old = before.find(({ rules }) => rules.includes(rule.id));
    // One that was left out this time stays as it was.
    const isLeftOut = rule.verdict === 'not_selected' && old !== undefined;
    if (!isLeftOut && !isAcceptable(rule)) continue;
    const lacks = isLeftOut ? old.lacks : wantsOf(rule);
    const key = JSON.stringify([lacks, old?.reason ?? UNEXPLAINED, old?.expires ?? null]);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return [...groups].map(([key, rules]): AcceptedEntry => {
    const [lacks, reason, expires] = JSON.parse(key) as [string[], string, string | null];
    return { lacks, rules: rules.map(({ id }) => id), reason, expires };
  });
}
