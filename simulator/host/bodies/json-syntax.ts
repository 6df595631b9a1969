// Where text stops being JSON, by line and column, in words for the author of the file. The
// parser's own message rarely names a position, and may quote a secret of the file.

/**
 * Why this is not JSON, such as `line 3, column 5: a value was expected here`; the parser's own
 * message if the scan finds no error.
 */
export function syntaxWords(text: string, error: SyntaxError): string {
  const found = new JsonScan(text).find();
  if (found === null) return error.message;
  const before = text.slice(0, found.at).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `line ${before.length}, column ${column}: ${found.words}`;
}

interface Mistake {
  readonly at: number;
  readonly words: string;
}

const space = /[ \t\r\n]*/y;
const plain = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class JsonScan {
  readonly #text: string;
  /** The closing bracket of each open list and object. */
  readonly #ends: ('}' | ']')[] = [];
  #at = 0;
  #isAfterValue = false;
  /** Position of the last comma, while no entry has followed it. */
  #comma = -1;

  constructor(text: string) {
    this.#text = text;
  }

  find(): Mistake | null {
    for (;;) {
      this.#skip(space);
      const end = this.#ends.at(-1);
      if (end !== undefined && this.#text[this.#at] === end) {
        if (this.#comma >= 0) return { at: this.#comma, words: `a comma before ${end}` };
        this.#ends.pop();
        this.#at += 1;
        this.#isAfterValue = true;
        continue;
      }
      if (this.#isAfterValue && end === undefined && this.#at === this.#text.length) return null;
      const words = this.#isAfterValue ? this.#readComma(end) : this.#readEntry(end);
      if (words !== null) return mistakeAt(this.#text, this.#at, words);
    }
  }

  #readComma(end: string | undefined): string | null {
    if (end === undefined) return 'nothing may follow the value';
    if (this.#text[this.#at] !== ',') return `a comma or ${end} is missing before this`;
    this.#comma = this.#at;
    this.#at += 1;
    this.#isAfterValue = false;
    return null;
  }

  #readEntry(end: string | undefined): string | null {
    if (end === '}') {
      if (!this.#skipString()) return 'a name in double quotes was expected here';
      this.#skip(space);
      if (this.#text[this.#at] !== ':') return 'a colon is missing before this';
      this.#at += 1;
      this.#skip(space);
    }
    this.#comma = -1;
    const next = this.#text[this.#at];
    if (next === '{' || next === '[') {
      this.#ends.push(next === '{' ? '}' : ']');
      this.#at += 1;
      return null;
    }
    this.#isAfterValue = true;
    if (next === '"') return this.#skipString() ? null : 'this text has no end';
    return this.#skip(plain) ? null : 'a value was expected here';
  }

  /** Skips the text that the pattern matches; false if it matches nothing. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }

  #skipString(): boolean {
    const end = endOfString(this.#text, this.#at);
    this.#at = end ?? this.#at;
    return end !== null;
  }
}

const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * The position after a string that begins here, or null. Not by one pattern: its memory grows with
 * the text.
 */
function endOfString(text: string, start: number): number | null {
  if (text[start] !== '"') return null;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character < ' ') return null;
    if (character !== '\\') continue;
    escaped.lastIndex = at;
    if (!escaped.test(text)) return null;
    at = escaped.lastIndex - 1;
  }
  return null;
}

function mistakeAt(text: string, at: number, words: string): Mistake {
  if (at === text.length) return { at, words: 'the file ends before it is complete' };
  return { at, words: /^\/[/*]/.test(text.slice(at, at + 2)) ? 'JSON has no comments' : words };
}
