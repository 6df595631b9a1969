// Where a text stops being JSON, by line and column, in words for the author of the file. The
// parser's own message names a place only now and then, and may quote a secret of the file.

export interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  readonly words: string;
}

/** Null for JSON, and for what is nested too deep to be looked at. */
export function findSyntaxError(text: string): JsonSyntaxError | null {
  const found = findMistake(text);
  if (found === null) return null;
  const before = text.slice(0, found.at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, words: found.words };
}

/** `line 3, column 5: a comma with nothing after it`. */
export function describeSyntaxError({ line, column, words }: JsonSyntaxError): string {
  return `line ${line}, column ${column}: ${words}`;
}

/** Why this is no JSON; the parser's own words where nothing wrong is found here. */
export function syntaxWords(text: string, error: SyntaxError): string {
  const found = findSyntaxError(text);
  return found === null ? error.message : describeSyntaxError(found);
}

interface Mistake {
  readonly at: number;
  readonly words: string;
}

function findMistake(text: string): Mistake | null {
  try {
    return new JsonScan(text).find();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const space = /[ \t\r\n]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const plain = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class JsonScan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  find(): Mistake | null {
    const mistake = this.#value();
    if (mistake !== null) return mistake;
    this.#skip(space);
    return this.#at === this.#text.length ? null : this.#mistake('nothing may follow the value');
  }

  #value(): Mistake | null {
    this.#skip(space);
    const next = this.#text[this.#at];
    if (next === '{') return this.#list('}', () => this.#member());
    if (next === '[') return this.#list(']', () => this.#value());
    if (next === '"') return this.#skipString() ? null : this.#mistake('this text has no end');
    return this.#skip(plain) ? null : this.#mistake('a value was expected here');
  }

  #member(): Mistake | null {
    this.#skip(space);
    if (!this.#skipString()) return this.#mistake('a name in double quotes was expected here');
    this.#skip(space);
    if (this.#text[this.#at] !== ':') return this.#mistake('a colon is missing before this');
    this.#at += 1;
    return this.#value();
  }

  #list(end: string, readEntry: () => Mistake | null): Mistake | null {
    this.#at += 1;
    this.#skip(space);
    let comma = -1;
    while (this.#text[this.#at] !== end || comma >= 0) {
      if (this.#text[this.#at] === end) return { at: comma, words: `a comma before ${end}` };
      const mistake = readEntry();
      if (mistake !== null) return mistake;
      this.#skip(space);
      comma = -1;
      if (this.#text[this.#at] === end) break;
      if (this.#text[this.#at] !== ',')
        return this.#mistake(`a comma or ${end} is missing before this`);
      comma = this.#at;
      this.#at += 1;
      this.#skip(space);
    }
    this.#at += 1;
    return null;
  }

  /** Goes over what the pattern takes; false when it takes nothing. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found !== '';
  }

  /** Not by one pattern, whose memory grows with a text of many megabytes. */
  #skipString(): boolean {
    if (this.#text[this.#at] !== '"') return false;
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const character = this.#text.charAt(at);
      if (character === '"') {
        this.#at = at + 1;
        return true;
      }
      if (character < ' ') return false;
      if (character !== '\\') continue;
      escaped.lastIndex = at;
      if (!escaped.test(this.#text)) return false;
      at = escaped.lastIndex - 1;
    }
    return false;
  }

  #mistake(words: string): Mistake {
    const rest = this.#text.slice(this.#at);
    if (rest === '') return { at: this.#at, words: 'the file ends before it is complete' };
    const isComment = rest.startsWith('//') || rest.startsWith('/*');
    return { at: this.#at, words: isComment ? 'JSON has no comments' : words };
  }
}
