// Files with tokens and secrets in them: an ordinary file under one name, for its owner alone.
import { chmod, lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Nobody but the owner reads or writes it. */
export const privateMode = 0o600;

/** Why a file cannot be kept, in words for the person who named it. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/**
 * Where the file really lies: a symbolic link is followed, so that it is never replaced itself. The
 * file need not be there yet. Throws a FileProblem for what is no ordinary file.
 */
export async function findRealFile(path: string): Promise<string> {
  const real = await followLinks(resolve(path));
  const found = await statOf(real);
  if (found === null) return real;
  if (!found.isFile()) throw new FileProblem('is no ordinary file; name a file of its own');
  return real;
}

/** Throws a FileProblem for a file with a second name, which would stay with the old content. */
export async function refuseSecondName(path: string): Promise<void> {
  const found = await statOf(path);
  if (found !== null && found.nlink > 1) {
    throw new FileProblem('has another name (a hard link), which saving would part from it');
  }
}

async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const link = await lstat(path).catch(() => null);
  if (link?.isSymbolicLink()) {
    throw new FileProblem('is a symbolic link to a file that is not there');
  }
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Gives a file the mode of the one it replaces where that is stricter. */
export async function keepStricterMode(half: string, path: string): Promise<void> {
  const found = await statOf(path);
  const mode = found === null ? privateMode : found.mode & privateMode;
  await chmod(half, mode);
}

/** What tells one content of a file from another without reading it; null where there is none. */
export async function versionOf(path: string): Promise<string | null> {
  const found = await statOf(path);
  return found === null ? null : `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`;
}
