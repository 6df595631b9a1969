// Where this checkout lies, and which files in it are ours: shared by all development scripts.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the checkout, without a trailing slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The folders that hold source; everything else at the top is configuration. */
export const sourceFolders = ['bin', 'simulator', 'conformance', 'fixtures', 'ui'] as const;

/** All files under a folder of the checkout as sorted paths relative to its root, `/`-separated. */
export function filesUnder(folder: string): string[] {
  // An empty folder is not in a clone.
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Every file in the source folders. */
export function sourceFiles(): string[] {
  return sourceFolders.flatMap(filesUnder);
}
