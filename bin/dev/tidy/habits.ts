// Habits of a single file: its first line, its words, and that its tests run.

// Words that say nothing of what a thing is.
const emptyWords = ['manager', 'helper', 'util', 'utils', 'data', 'process'];
// Written so that it does not find itself.
const unfinished = /\b(T[O]DO|F[I]XME|X[X]X)\b/;

/** The file opens (after a `#!`) by saying what it is for. */
export function firstLineProblems(path: string, text: string): string[] {
  const opening = text.replace(/^#!.*\n/, '').replace(/^\/\*\*\n \* /, '// ');
  return /^(\/\/|\/\*\*?) \S+ \S+/.test(opening)
    ? []
    : [`${path}: must open with a comment that says what the file is for`];
}

/** Nothing is left for later in a comment. */
export function unfinishedProblems(path: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) =>
    unfinished.test(line) ? [`${path}:${index + 1}: unfinished: ${line.trim()}`] : [],
  );
}

/** Exported names and file names are made of words that mean something. */
export function nameProblems(path: string, exported: readonly string[]): string[] {
  const file = (path.split('/').at(-1) ?? '').replace(/\..*$/, '');
  return [file, ...exported].flatMap((name) => {
    const empty = wordsOf(name).find((word) => emptyWords.includes(word));
    return empty ? [`${path}: "${name}": the word "${empty}" says nothing`] : [];
  });
}

function wordsOf(name: string): string[] {
  return name.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** uvu says nothing of a suite that nobody runs, and of tests that are left out. */
export function testProblems(path: string, text: string): string[] {
  if (!isTest(path)) return [];
  const suites = [...text.matchAll(/^\s*(?:export )?const (\w+)(?:: [^=]+)? = suite\b/gm)].map(
    (m) => m[1] as string,
  );
  if (/^import \{[^}]*\btest\b[^}]*\} from 'uvu'/m.test(text)) suites.push('test');
  const problems = suites
    .filter((name) => !new RegExp(`^\\s*${name}\\.run\\(\\);`, 'm').test(text))
    .map((name) => `${path}: ${name}.run() is missing, so its tests never run`);
  if (suites.length === 0) problems.push(`${path}: has no suite`);
  for (const [call, name = ''] of text.matchAll(/\b(\w+)\.(?:skip|only)\(/g)) {
    if (suites.includes(name)) problems.push(`${path}: ${call}…) leaves tests out`);
  }
  return problems;
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}
