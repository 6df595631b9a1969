// Moves a finished build into dist/ so that programs running from the old one keep working.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A program may run for so long from a build that another has followed. */
export const keepOldForMs = 6 * 60 * 60 * 1000;

// Names in these folders carry a hash of their content: a running program may still ask for one.
const hashed = /^(chunks|ui[\\/]assets)[\\/]/;

/**
 * Moves every file of `out` to its place in `dist`, what others import first, then drops leftovers.
 */
export function publish(out: string, dist: string, keepForMs = keepOldForMs): void {
  const built = listFiles(out);
  const ordered = [...built.filter((p) => hashed.test(p)), ...built.filter((p) => !hashed.test(p))];
  for (const path of ordered) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    renameSync(join(out, path), join(dist, path));
  }
  const current = new Set(built);
  for (const path of listFiles(dist)) {
    if (path.startsWith('.') || current.has(path)) continue;
    const old = statSync(join(dist, path), { throwIfNoEntry: false });
    if (old && hashed.test(path) && Date.now() - old.mtimeMs < keepForMs) continue;
    rmSync(join(dist, path), { force: true });
  }
}

/** Removes `own` and what builds that were killed have left in `dist`. */
export function sweep(dist: string, own?: string): void {
  if (own) rmSync(own, { recursive: true, force: true });
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist)) {
    const pid = /^\.build-(\d+)$/.exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(join(dist, name), { recursive: true, force: true });
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
