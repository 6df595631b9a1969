// How times, lengths of time and amounts are written for people.

const pad = (value: number, width = 2) => String(value).padStart(width, '0');

/** `14:03:07.120` of a time, in UTC as the API gives times. */
export function clockTime(atMs: number): string {
  const at = new Date(atMs);
  const seconds = `${pad(at.getUTCSeconds())}.${pad(at.getUTCMilliseconds(), 3)}`;
  return `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${seconds}`;
}

/** `2026-11-20` of a time, in UTC. */
export function dayOf(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getUTCFullYear()}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}`;
}

/** `2026-11-20 14:03:07` of a time, in UTC. */
export function fullTime(atMs: number): string {
  return `${dayOf(atMs)} ${clockTime(atMs).slice(0, 8)}`;
}

/** The time of day; on another day than that of `nowMs`, the day with it. */
export function shortTime(atMs: number, nowMs: number): string {
  const day = dayOf(atMs);
  return day === dayOf(nowMs) ? clockTime(atMs) : `${day.slice(5)} ${clockTime(atMs).slice(0, 5)}`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `2 h 5 min`, `30 s` or `120 ms`: the two greatest units of a length of time. */
export function duration(ms: number): string {
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const at = units.findIndex(([, size]) => ms >= size);
  const [unit, size] = units[at] as (typeof units)[number];
  const next = units[at + 1];
  const whole = Math.floor(ms / size);
  const rest = next === undefined ? 0 : Math.floor((ms % size) / next[1]);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${next?.[0]}`;
}

/** `in 2 s`, or `due now`. */
export function until(dueMs: number, nowMs: number): string {
  return dueMs <= nowMs ? 'due now' : `in ${duration(dueMs - nowMs)}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** JSON laid out for reading; anything else as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
