// Where text stops being JSON, by line and column, in words for the author of the file. The
// parser's own message is never shown whole: it may quote a secret of the file.

/** Why this is not JSON, such as `line 3, column 5: expected double-quoted property name`. */
export function syntaxWords(text: string, error: SyntaxError): string {
  const { at, words } = describe(text, error);
  if (at === null) return words;
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${words}`;
}

/** `at` is null if the position is not known. */
interface Mistake {
  readonly at: number | null;
  readonly words: string;
}

function describe(text: string, { message }: SyntaxError): Mistake {
  const isQuoting = message.startsWith(unexpected);
  const located = isQuoting ? null : /^(.*?)(?: in JSON)? at position (\d+)/.exec(message);
  const at = isQuoting ? findUnexpected(text) : Number(located?.[2] ?? text.length);
  if (at === null) return { at, words: 'unexpected character' };
  const rest = text.slice(at, at + 2);
  if (rest === '') return { at, words: 'the file ends before it is complete' };
  if (rest === '//' || rest === '/*') return { at, words: 'JSON has no comments' };
  if (/^[}\]]/.test(rest) && text.slice(0, at).trimEnd().endsWith(',')) {
    return { at, words: `a comma before ${rest[0]}` };
  }
  const words = located?.[1] ?? 'unexpected character';
  return { at, words: `${words.slice(0, 1).toLowerCase()}${words.slice(1)}` };
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
