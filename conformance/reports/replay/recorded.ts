// What a replay script holds of the recording, to compare with: every answer, and what deviated.
import type { ReportExchange } from '../report.ts';
import { evidenceVerb } from './operator-calls.ts';
import type { Recorded, RecordedScenario } from './replay-script.ts';

/** A longer answer is compared by its status and headers: a script must stay one. */
const LONGEST_BODY = 20_000;

interface RecordedStep {
  readonly n: number;
  readonly status: number | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
  readonly clipped: boolean;
  /** What an operator asked for; `none` for what is no evidence. */
  readonly verb?: string;
  /** The step whose variable says which record was asked for. */
  readonly asked?: number;
}

export function recordedJson(report: Recorded, { id, exchanges }: RecordedScenario): string {
  const findings = report.rules.flatMap((rule) =>
    rule.findings
      .filter((each) => each.scenario === id && each.verdict === 'deviates')
      .map(({ expected, actual, exchanges: cited }) => ({
        rule: rule.id,
        expected,
        actual,
        exchanges: [...cited, ...shownAfter(exchanges, cited)],
      })),
  );
  const steps = exchanges.filter(({ kind }) => kind !== 'delivery').map(stepOf);
  return JSON.stringify({ mark: report.mark, steps, findings });
}

/** What an operator was shown right after the last call of a finding is a part of its evidence. */
function shownAfter(exchanges: readonly ReportExchange[], cited: readonly number[]): number[] {
  const last = Math.max(...cited, 0);
  const after = exchanges.filter(({ n }) => n > last);
  const next = after.findIndex(({ kind }) => kind === 'call');
  return (next < 0 ? after : after.slice(0, next))
    .filter(({ kind, request }) => kind === 'operator' && evidenceVerb(request.method))
    .map(({ n }) => n);
}

function stepOf({ n, kind, request, response }: ReportExchange): RecordedStep {
  const verb = kind === 'operator' ? (evidenceVerb(request.method) ?? 'none') : undefined;
  // What an operator was given, a credential perhaps, is nobody else's.
  const body = verb === 'none' ? null : (response?.body ?? null);
  const clipped = (body ?? '').length > LONGEST_BODY;
  return {
    n,
    status: response?.status ?? null,
    headers: response?.headers ?? [],
    body: clipped ? null : body,
    clipped,
    ...(verb === undefined ? {} : { verb, asked: n }),
  };
}
