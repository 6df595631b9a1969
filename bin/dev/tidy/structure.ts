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

// Rows of equals: one file a rule family, an operation, a stage, a verb, whatever its length.
const rowsOfEquals = [
  'bin/commands',
  'bin/dev/prove/worker.ts',
  'bin/e2e/testing',
  'conformance/client/faults',
  'conformance/explore',
  'conformance/providers',
  'conformance/scenarios',
  'fixtures/questions',
  'fixtures/rules',
  'fixtures/settings',
  'fixtures/worlds',
  'simulator/core/operations',
  'simulator/core/pipeline',
  'simulator/core/policies',
  'simulator/core/tables',
  'simulator/deviations',
];

/** A few lines that one file needs stand in that file, unless they are loaded after it. */
export function foldProblems(files: readonly ImportingFile[]): string[] {
  const importers = importersOf(files);
  const later = new Set(
    files.flatMap(({ path, imports }) =>
      targetsOf(
        path,
        imports.filter(({ dynamic, typeOnly }) => dynamic && !typeOnly),
      ),
    ),
  );
  return files.flatMap(({ path, text }) => {
    if (isTest(path) || rowsOfEquals.some((row) => path.startsWith(row))) return [];
    const lines = text.trimEnd().split('\n').length;
    const [importer, ...others] = importers.get(path) ?? [];
    if (lines >= fewLines || importer === undefined || others.length > 0) return [];
    if (later.has(path)) return [];
    return [`${path}: ${lines} lines for ${importer} alone: fold it in`];
  });
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
