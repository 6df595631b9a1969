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

export function acceptUntested(rule: ReportRule, entries: readonly AcceptedEntry[]): ReportRule {
  if (!isAcceptable(rule)) return rule;
  const entry = entries.find(
    ({ rules, lacks }) =>
      rules.includes(rule.id) && rule.unlock.every((each) => lacks.includes(each)),
  );
  return entry === undefined ? rule : { ...rule, reason: entry.reason };
}

/**
 * What a report would have accepted, in one entry for each thing that is lacking: that is what has
 * a reason. Reasons that were given stay.
 */
export function acceptedNow(report: Report, before: readonly AcceptedEntry[]): AcceptedEntry[] {
  const groups = new Map<string, ReportRule[]>();
  for (const rule of report.rules.filter(isAcceptable)) {
    const old = before.find(({ rules }) => rules.includes(rule.id));
    const key = JSON.stringify([[...rule.unlock].sort(), old?.reason, old?.expires]);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return [...groups.values()].map((rules): AcceptedEntry => {
    const old = before.find((each) => each.rules.includes(rules[0]!.id));
    return {
      lacks: [...rules[0]!.unlock].sort(),
      rules: rules.map(({ id }) => id),
      reason: old?.reason ?? UNEXPLAINED,
      expires: old?.expires ?? null,
    };
  });
}
