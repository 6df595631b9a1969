// One line of log for each request: what was asked, what came of it, and by which rules.
import { terminalLine } from '../../terminal.ts';

export interface RequestLine {
  readonly atMs: number;
  readonly method: string;
  /** Path with query, as it was sent. */
  readonly target: string;
  /** Without a status: the connection was cut, or the request is held back. */
  readonly status: number | 'cut' | 'held';
  readonly idempotency: 'first' | 'replayed' | 'converged' | 'in_flight' | null;
  /** Name of the credential; null if it was not recognised. */
  readonly caller: string | null;
  readonly cites: readonly string[];
  /** Ids of the faults that applied to it. */
  readonly faults: readonly string[];
  /** Each is a line of its own below. */
  readonly hints: readonly { readonly code: string; readonly words: string }[];
}

const targetWidth = 40;

// Rules say more than open questions, so they come first.
const mostCites = 3;

// Under the method of the request.
const hintIndent = ' '.repeat(14);

/** Colours an outcome by its status; the identity where there are no colours. */
export type Paint = (text: string, status: RequestLine['status']) => string;

/** `12:00:01.250  POST /api/v1/accounts  201 first  brand-a  ACC-1`; hints below it. */
export function requestLine(line: RequestLine, paint: Paint = (text) => text): string {
  const { atMs, method, target, status, idempotency, caller, cites, faults, hints } = line;
  const rules = [...cites].sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)));
  const time = new Date(atMs).toISOString().slice(11, 23);
  const outcome = `${status}${idempotency ? ` ${idempotency.replace('_', ' ')}` : ''}`;
  const told = hints.map(
    ({ code, words }) => `\n${hintIndent}hint ${code}: ${terminalLine(words)}`,
  );
  const first = [
    time,
    `${method.padEnd(6)} ${shorten(visible(target)).padEnd(targetWidth)}`,
    paint(outcome.padEnd(13), status),
    terminalLine(caller ?? '-').padEnd(10),
    [...rules.slice(0, mostCites), ...faults.map((id) => `(fault ${terminalLine(id)})`)].join(' '),
  ]
    .join('  ')
    .trimEnd();
  return `${first}${told.join('')}`;
}

function isOpen(cite: string): boolean {
  return cite.startsWith('NS-');
}

// A target comes from outside: it must not move the cursor of the terminal. Its characters are
// bytes, as node:http reads them.
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (char) => {
    return `%${(char.charCodeAt(0) & 0xff).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

/** The end of a path says more than its middle. */
function shorten(text: string): string {
  if (text.length <= targetWidth) return text;
  const end = text.slice(-Math.floor(targetWidth / 3));
  return `${text.slice(0, targetWidth - 1 - end.length)}…${end}`;
}
