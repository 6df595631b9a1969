// Import cycles.
import { posix } from 'node:path';
import type { Import } from './imports.ts';

/** One source file with what it imports. */
export interface ImportingFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
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
