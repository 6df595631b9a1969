// The retry timetable of webhook deliveries: the waits between attempts, first to last (EVT-8a).

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** EVT-8a, EVT-8b: seven waits, so eight attempts. */
export const retryGapsMs: readonly number[] = [
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
];
