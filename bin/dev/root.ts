// The path of this checkout and its source files, for all development scripts.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the checkout, without a trailing slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The folders with source code; all other top-level entries are configuration. */
export const sourceFolders = ['bin', 'simulator', 'conformance', 'fixtures', 'ui'] as const;

/** All files in a folder as sorted paths relative to it, `/`-separated. */
export function filesIn(folder: string): string[] {
  // Git does not store empty folders.
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** The same for a folder of the checkout, with paths relative to the root. */
export function filesUnder(folder: string): string[] {
  return filesIn(join(root, folder)).map((path) => `${folder}/${path}`);
}

/** Every file in the source folders. */
export function sourceFiles(): string[] {
  return sourceFolders.flatMap(filesUnder);
}
