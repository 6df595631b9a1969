// What is due when: a binary heap ordered by (due time, sequence), so that equal times fire in the
// order they were set.
import { count, id, oneOf, record, time, type ValueOf } from './record-kit.ts';

export const timerSchema = record({
  dueAtMs: time,
  /** Order among equal times; unique in a world. */
  sequence: count,
  kind: oneOf('settle', 'wake', 'abandon', 'answer', 'piece', 'deliver'),
  /** Id of what it concerns: a transaction, a suspended call, a key record, a delivery. */
  ref: id,
});
export type Timer = ValueOf<typeof timerSchema>;
export type TimerKind = Timer['kind'];

export type TimerHeap = Timer[];

function before(a: Timer, b: Timer): boolean {
  return a.dueAtMs < b.dueAtMs || (a.dueAtMs === b.dueAtMs && a.sequence < b.sequence);
}

export function pushTimer(heap: TimerHeap, timer: Timer): void {
  let at = heap.length;
  heap.push(timer);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as Timer;
    if (!before(timer, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = timer;
}

export function popTimer(heap: TimerHeap): Timer | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    const left = heap[child];
    if (left === undefined) break;
    const right = heap[child + 1];
    const least = right !== undefined && before(right, left) ? right : left;
    if (least === right) child += 1;
    if (!before(least, last)) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = last;
  return first;
}
