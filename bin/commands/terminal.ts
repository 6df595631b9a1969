// All terminal output of the sandbox commands: untrusted text cannot control the terminal.
import { printable } from '../../conformance/reports/plain-text.ts';

// The colours that our own lines use; none of them hides text or moves the cursor.
const colour = new RegExp(`(${String.fromCharCode(27)}\\[(?:0|1|2|22|39|3[1-7]|9[0-7])m)`);

/** One line: control characters are escaped, our own colours are kept. */
export function terminalLine(text: string): string {
  return text
    .split(colour)
    .map((part) => (colour.test(part) ? part : printable(part).replaceAll('\n', '\\n')))
    .join('');
}

/** Text of several lines. */
export function terminalText(text: string): string {
  return text.split('\n').map(terminalLine).join('\n');
}

/** Prints text on standard error. */
export function printError(text: string): void {
  process.stderr.write(terminalText(text));
}

/** Prints a message of the sandbox on standard error. */
export function warn(message: string): void {
  printError(`sandbox: ${message}\n`);
}
