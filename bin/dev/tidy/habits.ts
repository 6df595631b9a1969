// Habits of a single file: its first line, its size, its words, and that its tests run.

const maxLines = 300;
const maxColumns = 100;

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

/** Files stay small enough to read at once, and lines narrow enough to read side by side. */
export function sizeProblems(path: string, text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const problems: string[] = [];
  if (!isTest(path) && lines.length > maxLines) {
    problems.push(`${path}: ${lines.length} lines, more than ${maxLines}: split it by concept`);
  }
  lines.forEach((line, index) => {
    if (line.length <= maxColumns || isOneString(line)) return;
    problems.push(`${path}:${index + 1}: ${line.length} columns, more than ${maxColumns}`);
  });
  return problems;
}

// Prose in a table of words is one string a line; breaking it would only hide it from search. The
// path of an import cannot be broken.
function isOneString(line: string): boolean {
  return /^\s*([\w'-]+: |import .* from )?(['"`]).*\2,?;?$/.test(line);
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
