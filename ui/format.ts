// How the page writes times, durations, counts and JSON. Times are in UTC, as in the API.

/** `2026-11-20` */
export const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

/** `14:03:07.120` */
export const clockTime = (atMs: number) => new Date(atMs).toISOString().slice(11, 23);

/** `2026-11-20 14:03:07Z` */
export const fullTime = (atMs: number) => `${dayOf(atMs)} ${clockTime(atMs).slice(0, 8)}Z`;

/** `14:03:07.120Z`, or `11-20 14:03:07Z` on another day than `nowMs`. */
export function shortTime(atMs: number, nowMs: number): string {
  const day = dayOf(atMs);
  if (day === dayOf(nowMs)) return `${clockTime(atMs)}Z`;
  return `${day.slice(5)} ${clockTime(atMs).slice(0, 8)}Z`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `2 h 5 min`, `30 s` or `120 ms`: the two largest units. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const parts = units.map(([unit, size], at) => {
    const larger = units[at - 1]?.[1] ?? Number.POSITIVE_INFINITY;
    return [Math.floor((ms % larger) / size), unit] as const;
  });
  const first = parts.findIndex(([count]) => count > 0);
  const largest = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return largest.flat().join(' ');
}

/** `in 2 s`, or `due now`. */
export const until = (dueMs: number, nowMs: number) =>
  dueMs <= nowMs ? 'due now' : `in ${duration(dueMs - nowMs)}`;

export const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** Parsed JSON; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** JSON, indented; any other text unchanged. */
export function pretty(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

/** Whether a text contains every word of a search, in any case. */
export function matchesWords(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => lower.includes(word));
}

/** A text as one word of a POSIX shell command. */
export const shellWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

type Headers = readonly (readonly [name: string, value: string])[];

/** A request as a curl command; `data` holds the arguments for the body. */
export const curlLine = (method: string, url: string, headers: Headers, data?: string) =>
  [
    `curl -i -X ${shellWord(method)} ${shellWord(url)}`,
    ...headers.map(([name, value]) =>
      value === 'Bearer (hidden)'
        ? `-H "${name}: Bearer $TOKEN"`
        : `-H ${shellWord(`${name}: ${value}`)}`,
    ),
    ...(data === undefined ? [] : [data]),
  ].join(' \\\n  ');
