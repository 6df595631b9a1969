// Reads JSON, and says in words for its author why a text is not: by line and column. The parser's
// own message is never shown whole: it may quote a secret of the file.

type ReadJson = { readonly value: unknown } | { readonly problem: string };

/** The value, or what is wrong with the text, such as `is nested too deeply`. */
export function readJson(text: string): ReadJson {
  if (isTooDeep(text)) return { problem: 'is nested too deeply' };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: `is not JSON: ${syntaxWords(text, error)}` };
  }
}

/**
 * Recursion into a value must not overflow the stack; real documents are never nested this deeply.
 */
const deepest = 200;

/**
 * Counts open brackets outside strings. Each character is read once, because the text is untrusted.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const found = text[at];
    if (found === '"') inString = !inString;
    else if (inString) at += found === '\\' ? 1 : 0;
    else if (found === '[' || found === '{') depth += 1;
    else if (found === ']' || found === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

/** Why this is not JSON, such as `line 3, column 5: expected double-quoted property name`. */
export function syntaxWords(text: string, { message }: SyntaxError): string {
  const isQuoting = message.startsWith(unexpected);
  const located = isQuoting ? null : /^(.*?)(?: in JSON)? at position (\d+)/.exec(message);
  const at = isQuoting ? findUnexpected(text) : Number(located?.[2] ?? text.length);
  if (at === null) return 'unexpected character';
  const lines = text.slice(0, at).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const parserWords = located?.[1] ?? 'unexpected character';
  const words = parserWords.slice(0, 1).toLowerCase() + parserWords.slice(1);
  return `${place}: ${mistakeAt(text, at) ?? words}`;
}

/** A common mistake at this position. */
function mistakeAt(text: string, at: number): string | undefined {
  const rest = text.slice(at, at + 2);
  if (rest === '') return 'the file ends before it is complete';
  if (rest === '//' || rest === '/*') return 'JSON has no comments';
  const isTrailing = /^[}\]]/.test(rest) && text.slice(0, at).trimEnd().endsWith(',');
  return isTrailing ? `a comma before ${rest[0]}` : undefined;
}

/** The only message without a position; it quotes the text. */
const unexpected = 'Unexpected token';

/** Longer texts are not parsed again and again. */
const maxSearched = 1024 * 1024;

/** Halves the text: the first character that a part must contain to fail in this way. */
function findUnexpected(text: string): number | null {
  if (text.length > maxSearched) return null;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (failsUnexpectedly(text.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

function failsUnexpectedly(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return error instanceof SyntaxError && error.message.startsWith(unexpected);
  }
}
