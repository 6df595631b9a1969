// Known failures of a client: which are borne with, why and until when. Another mistake in the same
// check is new, and one that is gone is stale.
import { dayOf } from '../reports/baseline/baseline.ts';
import {
  type Baseline,
  type BaselineEntry,
  UNEXPLAINED,
} from '../reports/baseline/parse-baseline.ts';
import { countVerdicts, verdictOf } from './make-report.ts';
import type { BaselineLine, ClientReport, ReportCheck, ReportFinding } from './report.ts';

const LASTS_DAYS = 90;
const DAY_MS = 86_400_000;

/** The report with known failures marked as such. `today` is `2026-01-31`, in UTC. */
export function applyBaseline(
  report: ClientReport,
  { known }: Baseline,
  today: string,
  strict: boolean,
): ClientReport {
  const stale = known.filter((entry) => isStale(report, entry));
  const expired = known.filter((entry) => isOver(entry, today) && !stale.includes(entry));
  const valid = known.filter((entry) => !isOver(entry, today));
  const checks = report.checks.map((check) => borneWith(check, valid));
  return {
    ...report,
    checks,
    verdict: verdictOf(checks, report.unusable !== null, strict),
    summary: countVerdicts(checks),
    baseline: {
      known: checks.filter(({ verdict }) => verdict === 'known').length,
      stale: stale.map(line),
      expired: expired.map(line),
    },
  };
}

function line({ rule: check, reason, expires }: BaselineEntry): BaselineLine {
  return { check, reason, expires };
}

function isOver({ expires }: BaselineEntry, today: string): boolean {
  return expires !== null && expires < today;
}

function failuresOf({ findings }: ReportCheck): ReportFinding[] {
  return findings.filter(({ verdict }) => verdict === 'fails');
}

function isSame(entry: BaselineEntry, check: string, { fingerprint }: ReportFinding): boolean {
  return entry.rule === check && entry.fingerprint === fingerprint;
}

/** Known only if every failure of the check is: one that is new among them must not hide. */
function borneWith(check: ReportCheck, entries: readonly BaselineEntry[]): ReportCheck {
  if (check.verdict !== 'fails') return check;
  const matching = failuresOf(check).map((finding) =>
    entries.find((entry) => isSame(entry, check.id, finding)),
  );
  if (matching.length === 0 || matching.includes(undefined)) return check;
  const reasons = [...new Set(matching.map((entry) => entry!.reason))];
  return { ...check, verdict: 'known', reason: reasons.join('; ') };
}

/** One that was judged and does not fail so any more, or that names no check. */
function isStale({ checks }: ClientReport, entry: BaselineEntry): boolean {
  const check = checks.find(({ id }) => id === entry.rule);
  if (check === undefined) return true;
  if (check.verdict === 'passed' || check.verdict === 'advisory') return true;
  if (check.verdict !== 'fails') return false;
  return !failuresOf(check).some((finding) => isSame(entry, check.id, finding));
}

/** The baseline that fits a report; what was not judged this time stays, with its reason. */
export function updatedBaseline(report: ClientReport, before: Baseline, nowMs: number): Baseline {
  const today = dayOf(nowMs);
  const inNinetyDays = dayOf(nowMs + LASTS_DAYS * DAY_MS);
  const now = report.checks.flatMap((check) =>
    failuresOf(check).map((finding): BaselineEntry => {
      const old = before.known.find((entry) => isSame(entry, check.id, finding));
      return {
        rule: check.id,
        scenario: finding.kind,
        fingerprint: finding.fingerprint,
        reason: old?.reason ?? UNEXPLAINED,
        expires: old === undefined || isOver(old, today) ? inNinetyDays : old.expires,
        expected: check.expected,
        actual: finding.actual,
      };
    }),
  );
  const unjudged = before.known.filter((entry) => {
    const verdict = report.checks.find(({ id }) => id === entry.rule)?.verdict;
    return verdict === 'not_selected' || verdict === 'inconclusive' || verdict === 'not_met';
  });
  const all = [...now, ...unjudged];
  const unique = new Map(all.map((entry) => [`${entry.rule} ${entry.fingerprint}`, entry]));
  return { known: [...unique.values()] };
}
