// One line of log for each request: what was asked, what came of it, and by which rules.
import { terminalLine } from '../../terminal.ts';

export interface RequestLine {
  readonly atMs: number;
  readonly method: string;
  /** Path with query, as it was sent. */
  readonly target: string;
  /** What became of it where there is no status: the connection was cut, or it is held back. */
  readonly status: number | 'cut' | 'held';
  readonly idempotency: 'first' | 'replayed' | 'converged' | 'in_flight' | null;
  /** Name of the credential; null when nobody was recognised. */
  readonly caller: string | null;
  readonly cites: readonly string[];
  /** Ids of the ordered faults that it met. */
  readonly faults: readonly string[];
  /** What a careful reader would have told the caller: each a line of its own below. */
  readonly hints: readonly { readonly code: string; readonly words: string }[];
}

const longestTarget = 60;

// NS-30 and the like explain a choice; on one line the rules say more, so they come first.
const mostCites = 3;

// Under the method of the request.
const hintIndent = ' '.repeat(14);

/** `12:00:01.250  POST /api/v1/accounts  201 first  brand-a  ACC-1`; hints below it. */
export function requestLine(line: RequestLine): string {
  const { atMs, method, target, status, idempotency, caller, cites, faults, hints } = line;
  const rules = [...cites].sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)));
  const time = new Date(atMs).toISOString().slice(11, 23);
  const outcome = `${status}${idempotency ? ` ${idempotency.replace('_', ' ')}` : ''}`;
  const told = hints.map(
    ({ code, words }) => `\n${hintIndent}hint ${code}: ${terminalLine(words)}`,
  );
  const first = [
    time,
    `${method.padEnd(5)} ${shorten(visible(target)).padEnd(36)}`,
    outcome.padEnd(13),
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

// A target is a stranger's text: it must not move the cursor of whoever reads the log. Its
// characters are bytes, as node:http reads them.
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (char) => {
    return `%${(char.charCodeAt(0) & 0xff).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

function shorten(text: string): string {
  return text.length <= longestTarget ? text : `${text.slice(0, longestTarget - 1)}…`;
}
