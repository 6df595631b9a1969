// JSON of a target, parsed without loss and printed without throwing.

/** An integer beyond 2^53 is a bigint, so that ids are compared exactly. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };

/** Deeper JSON is never an answer of the API, and costs too much to traverse. */
const DEEPEST = 200;

const decoder = new TextDecoder('utf-8');
/** Strings are matched first, so that their digits do not change. */
const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const MARK = '\u0001integer:';

export function textOf(bytes: Uint8Array | undefined): string {
  return decoder.decode(bytes);
}

/** Undefined if it is not JSON, or nested too deeply. */
export function parseJson(source: string | Uint8Array): Json | undefined {
  const text = typeof source === 'string' ? source : textOf(source);
  if (isTooDeep(text)) return undefined;
  try {
    const hasLongIntegers = /\d{16}/.test(text);
    const hasOddNames = /toString|valueOf|\\u/.test(text);
    if (!hasLongIntegers && !hasOddNames) return JSON.parse(text) as Json;
    const marked = text.replace(STRING_OR_LONG_INTEGER, (part) =>
      part.startsWith('"') || Number.isSafeInteger(Number(part))
        ? part
        : `"\\u0001integer:${part}"`,
    );
    return JSON.parse(marked, (_, value: unknown) =>
      typeof value === 'string' && value.startsWith(MARK)
        ? BigInt(value.slice(MARK.length))
        : printable(value),
    ) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Otherwise `{"toString": "x"}` would make every template that shows it throw. */
function printable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Object.hasOwn(value, 'toString') && !Object.hasOwn(value, 'valueOf')) return value;
  return Object.defineProperty(value, Symbol.toPrimitive, { value: () => printJson(value) });
}

/** Any value of a target as readable text. Never throws. */
export function printJson(value: unknown): string {
  const printed = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? `${each}n` : each,
  );
  return printed === undefined ? 'absent' : printed.replace(/"(-?\d+)n"/g, '$1');
}

/** A request body as text; integers beyond 2^53 are written without loss. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) return printJson(value);
    throw error;
  }
}

/** A JSON value with named members: not a list, and not null. */
export function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of an id, as a string or a number (CONV-1a judges which); undefined if it is not an id. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** The member of a JSON value at a dotted path; own members only. */
export function memberAt(value: Json | undefined, path: string): Json | undefined {
  // Most paths are a single name, and are read thousands of times.
  if (!path.includes('.')) return ownMember(value, path);
  return path.split('.').reduce<Json | undefined>(ownMember, value);
}

function ownMember(value: Json | undefined, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
  return (value as { [name: string]: Json })[name];
}

/** Every member of a JSON value at any depth, each before the members inside it. */
export function membersIn(
  value: Json | undefined,
  path: readonly string[] = [],
): (readonly [path: readonly string[], value: Json])[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    return [[at, inner] as const, ...membersIn(inner, at)];
  });
}

/** Whether JSON text is nested so deeply that it should not be parsed. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') inString = !inString;
    else if (inString) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}
