// The door to a terminal or a line of JSON: what a stranger wrote steers nothing there.

// Built from codes, so that no control character stands in this file: C0, DEL and C1, the marks
// that turn the direction of text around, and the separators that some take for line ends.
const code = (...codes: readonly number[]) => String.fromCharCode(...codes);
const turns = '\\u200e\\u200f\\u061c\\u202a-\\u202e\\u2066-\\u2069';
const steering = new RegExp(
  `[${code(0)}-${code(31)}${code(127)}-${code(159)}${turns}\\u2028\\u2029\\ufeff]`,
  'g',
);
// The colours that our own lines have; nothing among them hides text or moves the cursor.
const colour = new RegExp(`(${code(27)}\\[(?:0|1|2|22|39|3[1-7]|9[0-7])m)`);

/** One line: everything that would steer a terminal is spelt out, our own colours stay. */
export function terminalLine(text: string): string {
  return text
    .split(colour)
    .map((part) => (colour.test(part) ? part : part.replace(steering, spelt)))
    .join('');
}

/** Text of several lines. */
export function terminalText(text: string): string {
  return text.split('\n').map(terminalLine).join('\n');
}

/** One line of JSON that shows nothing but what it says; whoever parses it gets the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(steering, spelt);
}

function spelt(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
