// The shape of the tree: rooms that can be looked over, no file for a few lines, no import circles.
import { posix } from 'node:path';
import { isTest } from './habits.ts';
import type { Import } from './imports.ts';

const mostFiles = 25;
const fewLines = 40;

/** One source file with what it imports. */
export interface ImportingFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** A room holds what can be looked over at once, tests included. */
export function roomProblems(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const room of paths.map((path) => posix.dirname(path))) {
    counts.set(room, (counts.get(room) ?? 0) + 1);
  }
  return [...counts]
    .filter(([room, count]) => count > mostFiles && !room.startsWith('bin/e2e/testing/'))
    .map(([room, count]) => `${room}: ${count} files, more than ${mostFiles}: make rooms of it`);
}

// Where a short file stands by itself all the same: each is one of a row, and the reader who has
// found one knows where the next is.
export const rowsOfEquals: Readonly<Record<string, string>> = {
  'bin/commands/webhooks/': 'one verb a file',
  'bin/dev/prove/worker.ts': 'a program of its own, started by its path',
  'bin/e2e/testing/second-mind/': 'one operation or check a file',
  'conformance/client/faults/': 'one fault a file',
  'conformance/providers/': 'one kind of target a file',
  'conformance/scenarios/': 'one part of a rule family a file',
  'fixtures/questions/': 'one rule family a file',
  'fixtures/rules/': 'one rule family a file',
  'fixtures/worlds/': 'one world a file',
  'simulator/core/operations/': 'one operation a file',
  'simulator/core/policies/': 'one policy a file',
  'simulator/core/tables/': 'one table of the specification a file',
  'simulator/deviations/': 'one family or part of it a file',
};

/**
 * A few lines that one file needs stand in that file, unless they are loaded after it or are one of
 * a row; and a row that exempts nothing is none.
 */
export function foldProblems(
  files: readonly ImportingFile[],
  rows: Readonly<Record<string, string>> = {},
): string[] {
  const small = findSmall(files);
  const isIn = (row: string) => (path: string) => path.startsWith(row);
  const idle = Object.keys(rows).filter((row) => ![...small.keys()].some(isIn(row)));
  const alone = [...small].filter(([path]) => !Object.keys(rows).some((row) => isIn(row)(path)));
  return [
    ...alone.map(([path, importer]) => `${path}: few lines for ${importer} alone: fold it in`),
    ...idle.map((row) => `${row}: exempts no file from folding: take it off the list`),
  ];
}

/** Files of a few lines that one other imports, and none loads later; with that other. */
function findSmall(files: readonly ImportingFile[]): ReadonlyMap<string, string> {
  const importers = importersOf(files);
  const later = new Set(
    files.flatMap(({ path, imports }) =>
      targetsOf(
        path,
        imports.filter(({ dynamic, typeOnly }) => dynamic && !typeOnly),
      ),
    ),
  );
  const small = new Map<string, string>();
  for (const { path, text } of files) {
    const [importer, ...others] = importers.get(path) ?? [];
    if (isTest(path) || later.has(path) || importer === undefined || others.length > 0) continue;
    if (text.trimEnd().split('\n').length < fewLines) small.set(path, importer);
  }
  return small;
}

function importersOf(files: readonly ImportingFile[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of files) {
    if (isTest(path)) continue;
    for (const target of new Set(targetsOf(path, imports))) {
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  return importers;
}

export function targetsOf(path: string, imports: readonly Import[]): string[] {
  return imports.flatMap(({ specifier }) =>
    specifier?.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [],
  );
}

/** Files that wait for each other when they are loaded; types do not count. */
export function circleProblems(files: readonly ImportingFile[]): string[] {
  const targets = new Map(
    files.map(({ path, imports }) => [
      path,
      targetsOf(
        path,
        imports.filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic),
      ),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const from = way.indexOf(path);
    if (from >= 0) circles.push(`import circle: ${[...way.slice(from), path].join(' → ')}`);
    if (from >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return [...new Set(circles)];
}
