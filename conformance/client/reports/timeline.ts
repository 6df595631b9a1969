// The calls of a run in order, a line each: when, what, under which key, and what came of it.
import type { ClientReport, ReportCall, ReportFinding, ReportRecording } from '../report.ts';

/** Calls around what a finding is about; the rest of a long run tells nothing. */
const callsShown = 12;

export function recordingAt(report: ClientReport, run: number): ReportRecording | undefined {
  return report.recordings.find((each) => each.run === run);
}

/** The calls that show a finding, and those between them where they are few. */
export function callsOf(
  recording: ReportRecording,
  { calls }: Pick<ReportFinding, 'calls'>,
): readonly ReportCall[] {
  const [first = 1] = calls;
  const last = calls.at(-1) ?? recording.calls.length;
  const between = recording.calls.filter(({ n }) => n >= first && n <= last);
  if (between.length <= callsShown) return between;
  return recording.calls.filter(({ n }) => calls.includes(n)).slice(0, callsShown);
}

/** `+0.213 s`. */
export function clock(ms: number): string {
  return `+${(ms / 1000).toFixed(3)} s`;
}

/** `shown` is what there is room for of a key. */
export function request(
  { method, target, key, if_match: tag }: ReportCall,
  shown = (text: string) => text,
): string {
  const parts = [`${method} ${target}`];
  if (key !== null) parts.push(`key ${shown(key)}`);
  if (tag !== null) parts.push(`If-Match ${tag}`);
  return parts.join('  ');
}

/** What came of a call, in words. */
export function result({ struck, status, retry_after: wait, ...call }: ReportCall): string {
  const gone = call.abandoned_at_ms;
  if (status === null) {
    const left = gone === null ? '' : `; the client stopped waiting at ${clock(gone)}`;
    return `${struck ?? 'no answer'}${left}`;
  }
  const unread = gone === null ? '' : ', which the client did not wait for';
  // What the judge has answered says the status itself.
  if (struck?.startsWith('answered')) return `${struck}${unread}`;
  const after = wait === null ? '' : `, Retry-After: ${wait}`;
  return `${status}${after}${struck === null ? '' : ` (${struck})`}${unread}`;
}

/** The last lines of a recording, for who wants to see what the command itself said. */
export function lastLines({ ending }: ReportRecording, count: number): readonly string[] {
  return ending.output === '' ? [] : ending.output.split('\n').slice(-count);
}
