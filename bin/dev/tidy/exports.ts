// No value is exported that no other file takes: who reads an export looks for its users. A type
// may be: it says what a function takes or gives.
import { exportsOf } from './imports.ts';
import { type ImportingFile, targetsOf } from './structure.ts';

interface ExportingFile extends ImportingFile {
  readonly text: string;
}

/** What people and tools outside take: the package's doors, the page, a builder's own file. */
const doors = ['simulator/index.ts', 'simulator/msw.ts', 'simulator/webhooks.ts'];
const taken = ['ui/vite.config.ts'];

export function exportProblems(files: readonly ExportingFile[]): string[] {
  const importers = new Map<string, string[]>();
  for (const { path, text, imports } of files) {
    for (const target of targetsOf(path, imports)) {
      importers.set(target, [...(importers.get(target) ?? []), text]);
    }
  }
  return files
    .filter(({ path }) => !doors.includes(path) && !taken.includes(path))
    .flatMap(({ path, text }) => {
      const texts = importers.get(path) ?? [];
      return exportsOf(path, text)
        .filter((name) => !isType(text, name))
        .filter((name) => !texts.some((other) => new RegExp(`\\b${name}\\b`).test(other)))
        .map((name) => `${path}: nobody imports ${name}, so it needs no export`);
    });
}

function isType(text: string, name: string): boolean {
  return new RegExp(`^export (interface|type) (\\{[^}]*)?\\b${name}\\b`, 'm').test(text);
}
