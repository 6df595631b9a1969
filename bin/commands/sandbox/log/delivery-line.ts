// Lines of log for a delivery: one as an attempt leaves or is delayed, one when it has ended.
import { terminalLine } from '../../terminal.ts';

export interface SentLine {
  readonly atMs: number;
  /** Such as `transaction.approved`. */
  readonly kind: string;
  readonly seq: number;
  readonly attempt: number;
  /** Where it really goes, after forwards. */
  readonly url: string;
}

export interface EndedLine {
  readonly atMs: number;
  readonly seq: number;
  readonly attempt: number;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
  readonly next:
    | { readonly kind: 'delivered' }
    /** Milliseconds until the next attempt. */
    | { readonly kind: 'again'; readonly inMs: number }
    /** EVT-8b, NS-28: no attempt is left, and whether the subscription stands still for it. */
    | { readonly kind: 'exhausted'; readonly stops: boolean }
    /** EVT-11, EVT-13. */
    | { readonly kind: 'disabled'; readonly reason: string }
    /** One that had ended before, and was sent once more by an operator. */
    | { readonly kind: 'nothing' };
}

/** `12:00:01.250  --> transaction.approved seq 12 attempt 1 to http://localhost:3000/hooks`. */
export function sentLine({ atMs, kind, seq, attempt, url }: SentLine): string {
  const what = `${terminalLine(kind)} seq ${seq} attempt ${attempt}`;
  return `${timeOf(atMs)}  --> ${what} to ${terminalLine(url)}`;
}

/** `12:00:01.262  <-- 500, again in 30 s (seq 12 attempt 1)`. */
export function endedLine({ atMs, seq, attempt, status, error, next }: EndedLine): string {
  const what = status === null ? terminalLine(error ?? 'no answer') : String(status);
  const words =
    next.kind === 'disabled' ? `disabled: ${terminalLine(next.reason)}` : `${what}${wordsOf(next)}`;
  return `${timeOf(atMs)}  <-- ${words} (seq ${seq} attempt ${attempt})`;
}

export interface DelayedLine {
  readonly atMs: number;
  readonly seq: number;
  readonly attempt: number;
  /** Milliseconds until it goes out. */
  readonly inMs: number;
}

/** `12:00:01.250  ... delayed by a fault, goes out in 5 s (seq 12 attempt 1)`. */
export function delayedLine({ atMs, seq, attempt, inMs }: DelayedLine): string {
  const words = `delayed by a fault, goes out in ${spanOf(inMs)}`;
  return `${timeOf(atMs)}  ... ${words} (seq ${seq} attempt ${attempt})`;
}

function wordsOf(next: EndedLine['next']): string {
  if (next.kind === 'again') return `, again in ${spanOf(next.inMs)}`;
  if (next.kind !== 'exhausted') return '';
  return next.stops ? ', the last attempt: delivery stops until it is resumed' : ', given up';
}

/** `30 s`, `2 min`, `2 h 30 min`: the two largest units that are not zero. */
export function spanOf(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}
