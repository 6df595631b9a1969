// Layout of plain text: wrapped to a width, safe to print on a terminal.

/** Lines of at most `width` columns, broken at spaces if possible. */
export function wrapText(text: string, width: number): string[] {
  return printable(text)
    .split('\n')
    .flatMap((line) => foldLine(line, width));
}

function foldLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const at = space > width / 3 ? space : width;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  lines.push(rest);
  return lines;
}

/**
 * Untrusted text, safe to print: it cannot control a terminal or reverse the text direction. Line feeds
 * stay.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '  ')
    .replace(STEERING, (char) => {
      const code = char.charCodeAt(0);
      return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : escaped(char);
    });
}

/** Replaces a letter that is repeated many times with its count: `x{200}`. */
export function squeezed(text: string): string {
  return text.replace(/([^\s"\\])\1{19,}/gu, (run, letter) => `${letter}{${[...run].length}}`);
}

/** JSON that is safe to print and parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(STEERING, escaped);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

// Built from codes, so that this file has no control characters: C0 except line feeds, DEL
// and C1, characters that change the direction of text, and some line separators.
const chars = (from: number, to: number) =>
  `${String.fromCharCode(from)}-${String.fromCharCode(to)}`;
const STEERING = new RegExp(
  `[${chars(0, 9)}${chars(11, 31)}${chars(127, 159)}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]`,
  'g',
);
