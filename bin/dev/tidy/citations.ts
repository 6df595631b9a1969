// Rule and question ids as they are cited in code, in comments and in strings.
import { isTest } from './habits.ts';

export interface Citation {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

const families = 'CONV|ACC|UPD|BULK|POS|TXN|TXS|IDEM|AUTH|HOOK|EVT|ERR|LIM|NS';
const cited = new RegExp(`(?<![\\w-])(?:${families})-\\d+[a-z]?(?![\\w-])`, 'g');

/** Every id that a text cites, with its line. */
export function citationsIn(path: string, text: string): Citation[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(cited)].map(([id]) => ({ id, path, line: index + 1 })),
    );
}

/** `IDEM-4` stands for all its parts, IDEM-4a, IDEM-4b and so on; any other id for itself. */
export function standsFor(id: string, known: ReadonlySet<string>): string[] {
  if (known.has(id)) return [id];
  return [...known].filter(
    (other) => other.startsWith(id) && /^[a-z]$/.test(other.slice(id.length)),
  );
}

/** A citation leads somewhere: to a rule, or to an open question. */
export function citationProblems(
  citations: readonly Citation[],
  known: ReadonlySet<string>,
): string[] {
  return citations
    .filter(({ id, path }) => standsFor(id, known).length === 0 && !(isTest(path) && isNobodys(id)))
    .map(({ id, path, line }) => `${path}:${line}: ${id} is neither a rule nor an open question`);
}

// What a test takes when it needs an id that does not exist.
function isNobodys(id: string): boolean {
  return /-(0|99)$/.test(id);
}
