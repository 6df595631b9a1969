// What the reports on receivers and clients share: each check stands as a rule, and a judge of
// checks needs nothing of its target and makes nothing there.
import { countVerdicts, verdictOfRun } from './build-report.ts';
import type { Report, ReportRule } from './report.ts';

interface CheckRun {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  readonly interrupted: boolean;
}

type Own =
  | 'target'
  | 'seed'
  | 'notes'
  | 'causes'
  | 'rules'
  | 'scenarios'
  | 'not_started'
  | 'client';

export interface CheckReportOptions {
  readonly version: string;
  readonly judge: 'receiver' | 'client';
  readonly run: CheckRun;
  readonly strict?: boolean | undefined;
}

export function checkReport(
  { version, judge, run, strict }: CheckReportOptions,
  own: Pick<Report, Own>,
): Report {
  return {
    ...own,
    schema: 1,
    judge,
    tool: { name: 'conformance', version },
    started_at: run.startedAt,
    duration_ms: Math.round(run.durationMs),
    verdict: verdictOfRun({ ...own, judge }, strict),
    summary: countVerdicts(own.rules),
    requests: run.requests,
    interrupted: run.interrupted,
    mark: judge,
    observed: [],
    unlock: [],
    baseline: null,
  };
}

export function checkRule(
  own: Pick<ReportRule, 'id' | 'family' | 'words' | 'verdict' | 'scenarios' | 'findings'>,
  why: string | null,
): ReportRule {
  const reason = why === null ? {} : { why };
  return { ...own, needs: [], unlock: [], lost: [], ...reason, reason: null };
}
