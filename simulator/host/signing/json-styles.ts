// Prints a JSON value in the ways that common libraries do, to recognise a body that was printed
// again.

interface Style {
  readonly style: string;
  readonly print: (value: unknown) => string;
}

const styles: readonly Style[] = [
  { style: 'compact (as JSON.stringify prints)', print: (value) => JSON.stringify(value) },
  { style: 'indented by two spaces', print: (value) => JSON.stringify(value, null, 2) },
  { style: 'indented by four spaces', print: (value) => JSON.stringify(value, null, 4) },
  { style: 'indented by tabs', print: (value) => JSON.stringify(value, null, '\t') },
  { style: 'spaced and in ASCII (as Python prints)', print: (value) => toAscii(spaced(value)) },
  { style: 'spaced (as Python prints)', print: spaced },
  { style: 'compact and in ASCII', print: (value) => toAscii(JSON.stringify(value)) },
  {
    style: 'compact with escaped slashes (as PHP prints)',
    print: (value) => toAscii(JSON.stringify(value).replaceAll('/', '\\/')),
  },
  {
    style: 'compact with <, > and & escaped (as Go prints)',
    print: (value) => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escapeUnit),
  },
  {
    style: 'compact with its keys in another order (sorted)',
    print: (value) => JSON.stringify(sorted(value)),
  },
  { style: 'spaced with sorted keys', print: (value) => toAscii(spaced(sorted(value))) },
];

/** The value printed in every style, each different text once. */
export function serializeInStyles(value: unknown): { style: string; text: string }[] {
  const texts = new Map<string, string>();
  for (const { style, print } of styles) {
    const text = print(value);
    if (!texts.has(text)) texts.set(text, style);
  }
  return [...texts].map(([text, style]) => ({ style, text }));
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, v]) => `${JSON.stringify(key)}: ${spaced(v)}`);
  return `{${members.join(', ')}}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, v]) => [key, sorted(v)]));
}

function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
