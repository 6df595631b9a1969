// Plain text laid out: folded at a width, safe to print on a terminal.

/** Lines of at most `width` columns, broken at spaces where there are any. */
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

/** Without control characters: what a target answers must not steer a person's terminal. */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '  ')
    .replace(TURNS, (char) => `\\u${char.charCodeAt(0).toString(16)}`)
    .replace(CONTROLS, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

// What turns the direction of text around can make it read as another.
const TURNS = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g;
// Built from codes, so that no control character stands in this file. Line feeds stay.
const CONTROLS = new RegExp(
  `[${String.fromCharCode(0)}-${String.fromCharCode(9)}${String.fromCharCode(11)}-` +
    `${String.fromCharCode(31)}${String.fromCharCode(127)}-${String.fromCharCode(159)}]`,
  'g',
);
