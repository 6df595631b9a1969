// Due times: the earliest first, and equal times in the order they were set.
import { count, id, oneOf, record, time, type ValueOf } from './record-kit.ts';

export const timerSchema = record({
  dueAtMs: time,
  /** Order among equal times; unique in a world. */
  sequence: count,
  kind: oneOf('settle', 'wake', 'abandon', 'answer', 'deliver'),
  /** Id of the record concerned: a transaction, a suspended call, a key record, a delivery. */
  ref: id,
});
export type Timer = ValueOf<typeof timerSchema>;
export type TimerKind = Timer['kind'];

export function addTimer(timers: Timer[], timer: Timer): void {
  const at = firstIndex(timers, ({ dueAtMs, sequence }) =>
    dueAtMs === timer.dueAtMs ? sequence > timer.sequence : dueAtMs > timer.dueAtMs,
  );
  timers.splice(at, 0, timer);
}

/** The index of the first item for which `holds` is true; it is true for all later items. */
export function firstIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
