// Files with tokens and secrets in them: ordinary files that only their owner can read.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Windows has neither flag, and no way for another user to plant such a file.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export const privateMode = 0o600;

const notOrdinary = 'is no ordinary file; name a file of its own';

/** Why a file cannot be used, for the user who named it. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** For `catch`: null for an error with one of these codes. */
export function nullOn(...codes: readonly string[]): (error: NodeJS.ErrnoException) => null {
  return (error) => {
    if (codes.includes(error.code ?? '')) return null;
    throw error;
  };
}

/** Why a file cannot be read, for the user who named it. Throws what is no error of the system. */
export function unreadableWords(error: unknown): string {
  if (error instanceof FileProblem) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  if (code === 'EISDIR') return 'it is a folder';
  return code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
}

/** Why a file cannot be written, for the user who named it. */
export function unwritableWords(error: NodeJS.ErrnoException): string {
  const { code, message, path } = error;
  if (error instanceof FileProblem) return message;
  if (code === 'ENOENT' && path !== undefined) return `there is no folder ${dirname(path)}`;
  if (code === 'EISDIR') return 'it is a folder';
  return `cannot be written (${code ?? message})`;
}

/**
 * The file that a path leads to, which need not exist: a symbolic link is followed, so that the
 * link itself is never replaced. Throws a FileProblem if it is not an ordinary file.
 */
export async function findRealFile(path: string): Promise<string> {
  const real = await followLinks(resolve(path));
  const found = await statOf(real);
  if (found === null || found.isFile()) return real;
  throw new FileProblem(notOrdinary);
}

/** The same for a file that will be replaced: other hard links would keep the old content. */
export async function findReplaceableFile(path: string): Promise<string> {
  const real = await findRealFile(path);
  if (((await statOf(real))?.nlink ?? 1) === 1) return real;
  throw new FileProblem('has another name (a hard link), which saving would part from it');
}

async function followLinks(path: string): Promise<string> {
  const real = await realpath(path).catch(nullOn('ENOENT'));
  if (real !== null) return real;
  const link = await lstat(path).catch(() => null);
  if (link?.isSymbolicLink()) {
    throw new FileProblem('is a symbolic link to a file that is not there');
  }
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

const statOf = (path: string) => stat(path).catch(nullOn('ENOENT'));

/**
 * Opens a file that was checked before. In a folder that others can write, another user may have
 * replaced it since: links are not followed and pipes are not waited for. Throws a FileProblem if
 * it is not an ordinary file or belongs to none of `owners`.
 */
export async function openPlain(
  path: string,
  access: number,
  owners?: readonly number[],
): Promise<FileHandle> {
  const file = await open(path, access | O_NOFOLLOW | O_NONBLOCK).catch(refuseLink);
  const found = await file.stat();
  const isOurs = owners?.includes(found.uid) ?? true;
  if (found.isFile() && isOurs) return file;
  await file.close();
  throw new FileProblem(isOurs ? notOrdinary : 'belongs to another user');
}

function refuseLink(error: NodeJS.ErrnoException): never {
  // ELOOP: a link; ENXIO: a pipe or a socket without a reader.
  if (!['ELOOP', 'EMLINK', 'ENXIO'].includes(error.code ?? '')) throw error;
  throw new FileProblem(notOrdinary);
}

/** The text of an ordinary file that belongs to one of `owners`, if they are given. */
export async function readPlain(path: string, owners?: readonly number[]): Promise<string> {
  const file = await openPlain(path, constants.O_RDONLY, owners);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Creates a file; if anything exists under its name, even a link, that is an error (EEXIST). */
export function createPrivate(path: string): Promise<FileHandle> {
  return open(path, 'wx', privateMode);
}

/** The temporary name of a file: unpredictable, so that no link can be planted there. */
export function halfOf(path: string): string {
  const name = `.${basename(path)}.${process.pid}.${randomBytes(8).toString('hex')}.saving`;
  return join(dirname(path), name);
}

/**
 * Replaces the file at this real path as a whole or not at all. Only the owner can read it;
 * stricter permissions of the old file are kept.
 */
export async function replacePrivately(
  path: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const half = halfOf(path);
  const file = await createPrivate(half);
  try {
    try {
      await write(file);
      await file.chmod(((await statOf(path))?.mode ?? privateMode) & privateMode);
      await file.sync();
    } finally {
      await file.close();
    }
    await replaceFile(half, path);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** Windows refuses briefly while another program, such as a virus scanner, reads the file. */
async function replaceFile(half: string, path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(half, path);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (tries === 10 || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
      await sleep(20 * tries);
    }
  }
}

/** Identifies the content of a file without reading it; null if there is no file. */
export async function versionOf(path: string): Promise<string | null> {
  const found = await statOf(path);
  return found === null ? null : `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`;
}
