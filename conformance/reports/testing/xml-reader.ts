// A strict XML parser for tests: it throws for XML that is not well-formed.

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

interface OpenElement extends Element {
  readonly children: OpenElement[];
  text: string;
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
const TOKEN =
  /<(?<end>\/?)(?<name>[A-Za-z_][\w.-]*)(?<attributes>(?:\s+[\w.-]+="[^"<]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/g;

/** What XML 1.0 cannot hold: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const NOT_XML = /[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** The root element of a document without a document type, comments or CDATA. */
export function parseXml(document: string): Element {
  if (NOT_XML.test(document)) throw new Error('a character that XML 1.0 does not allow');
  const root: OpenElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const rest = document.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, '');
  const unread = rest.replace(TOKEN, (...match) => {
    const { end, name, attributes, empty, text } = match.at(-1);
    if (text !== undefined) open.at(-1)!.text += unescaped(text);
    else if (end === '') {
      const element = { name, attributes: attributesIn(attributes), children: [], text: '' };
      open.at(-1)!.children.push(element);
      if (empty === '') open.push(element);
    } else if (open.pop()!.name !== name) throw new Error(`</${name}> closes another element`);
    return '';
  });
  const isOne = open.length === 1 && root.children.length === 1 && root.text.trim() === '';
  if (unread !== '' || !isOne) throw new Error(`not well-formed: ${unread.slice(0, 60)}`);
  return root.children[0]!;
}

function attributesIn(text: string): Record<string, string> {
  const all = [...text.matchAll(/([\w.-]+)="([^"]*)"/g)];
  const attributes = Object.fromEntries(all.map(([, name, value]) => [name!, unescaped(value!)]));
  if (Object.keys(attributes).length < all.length) throw new Error(`an attribute twice in ${text}`);
  return attributes;
}

function unescaped(text: string): string {
  if (text.includes(']]>')) throw new Error(']]> in text');
  return text.replace(/&([^;]*);?/g, (whole, name: string) => {
    const code = /^#(\d+)$/.exec(name)?.[1];
    const char = code === undefined ? ENTITIES.get(name) : String.fromCodePoint(Number(code));
    if (char === undefined || !whole.endsWith(';')) throw new Error(`bad reference ${whole}`);
    return char;
  });
}
