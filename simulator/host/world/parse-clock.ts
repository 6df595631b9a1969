// Reads how a clock starts: real, frozen, or frozen at a time.
import type { ClockOptions } from './sandbox.ts';

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * `real`, `frozen`, or an ISO time with its zone at which it is frozen; null for anything else.
 */
export function parseClock(text: string): ClockOptions | null {
  if (text === 'real' || text === 'frozen') return { mode: text, nowMs: null };
  const nowMs = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  return nowMs >= 0 ? { mode: 'frozen', nowMs } : null;
}
