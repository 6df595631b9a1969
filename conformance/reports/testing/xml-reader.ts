// A strict XML parser for tests: it throws for XML that is not well-formed.

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** The root element of a document without a document type, comments or CDATA. */
export function parseXml(text: string): Element {
  const reader = new Reader(text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, ''));
  const root = reader.element();
  reader.end();
  return root;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  element(): Element {
    const name = this.#take(/<([A-Za-z_][\w.-]*)/y)[1]!;
    const attributes: Record<string, string> = {};
    for (let found = this.#try(/\s+([A-Za-z_][\w.-]*)="([^"<]*)"/y); found; ) {
      if (Object.hasOwn(attributes, found[1]!)) throw new Error(`${found[1]} twice in ${name}`);
      attributes[found[1]!] = unescaped(found[2]!);
      found = this.#try(/\s+([A-Za-z_][\w.-]*)="([^"<]*)"/y);
    }
    if (this.#try(/\s*\/>/y)) return { name, attributes, children: [], text: '' };
    this.#take(/\s*>/y);
    const children: Element[] = [];
    let text = '';
    while (!this.#try(new RegExp(`</${name}\\s*>`, 'y'))) {
      const words = this.#try(/[^<]+/y);
      if (words) text += unescaped(words[0]);
      else children.push(this.element());
    }
    return { name, attributes, children, text };
  }

  end(): void {
    this.#take(/\s*$/y);
  }

  #try(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #take(pattern: RegExp): RegExpExecArray {
    const found = this.#try(pattern);
    if (found) return found;
    const near = this.#text.slice(this.#at, this.#at + 60);
    throw new Error(`not well-formed at ${this.#at}: ${JSON.stringify(near)}`);
  }
}

function unescaped(text: string): string {
  if (/]]>/.test(text)) throw new Error(']]> in text');
  return text.replace(/&([^;]*);?/g, (whole, name: string) => {
    const code = /^#(\d+)$/.exec(name)?.[1];
    const char = code === undefined ? ENTITIES[name] : String.fromCodePoint(Number(code));
    if (char === undefined || !whole.endsWith(';')) throw new Error(`bad reference ${whole}`);
    return char;
  });
}
