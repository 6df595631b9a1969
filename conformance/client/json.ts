// JSON compared by what it says, and read only where it is JSON.

/** undefined where the text is none. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** One text for whatever says the same: members in order, no spaces. */
export function canonical(json: unknown): string {
  return JSON.stringify(sorted(json)) ?? '';
}

function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([name, value]) => [name, sorted(value)]));
}
