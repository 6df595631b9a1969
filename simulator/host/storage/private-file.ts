// Files with tokens and secrets in them: an ordinary file under one name, for its owner alone.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Windows has neither, and no way to plant such a file for another person.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Only the owner reads or writes it. */
export const privateMode = 0o600;

/** Why a file cannot be kept, in words for the person who named it. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** Why a file cannot be written, for the person who named it. */
export function unwritableWords({ code, message, path }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' && path !== undefined) return `there is no folder ${dirname(path)}`;
  if (code === 'EISDIR') return 'it is a folder';
  return `cannot be written (${code ?? message})`;
}

/**
 * Where the file really lies: a symbolic link is followed, so that it is never replaced itself. The
 * file need not be there yet. Throws a FileProblem for what is no ordinary file.
 */
export async function findRealFile(path: string): Promise<string> {
  const real = await followLinks(resolve(path));
  const found = await statOf(real);
  if (found === null) return real;
  if (!found.isFile()) throw new FileProblem(noPlainFile);
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

/**
 * Opens a file that the caller has looked at before. Between that and this, another user may have
 * put something else there, in a folder that others may write: a link is not followed, and a pipe
 * is not waited for. Throws a FileProblem for what is no ordinary file, or belongs to none of
 * `owners`, and the system's errors.
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
  throw new FileProblem(isOurs ? noPlainFile : 'belongs to another user');
}

const noPlainFile = 'is no ordinary file; name a file of its own';

function refuseLink(error: NodeJS.ErrnoException): never {
  // ELOOP: a link; ENXIO: a pipe or a socket without a reader.
  if (!['ELOOP', 'EMLINK', 'ENXIO'].includes(error.code ?? '')) throw error;
  throw new FileProblem(noPlainFile);
}

/** The text of a file that is neither link nor pipe, and belongs to one of `owners` if given. */
export async function readPlain(path: string, owners?: readonly number[]): Promise<string> {
  const file = await openPlain(path, constants.O_RDONLY, owners);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Makes a file that is not there yet; what is there already, even a link, is an error (EEXIST). */
export function createPrivate(path: string): Promise<FileHandle> {
  return open(path, 'wx', privateMode);
}

/** Where a file is written before it replaces another: an unpredictable name, so that no link is there. */
export function halfOf(path: string, pid = process.pid): string {
  const name = `.${basename(path)}.${pid}.${randomBytes(8).toString('hex')}.saving`;
  return join(dirname(path), name);
}

/** The part of `node:fs/promises` that Windows refuses for a moment; tests bring their own. */
export type Disk = Pick<typeof import('node:fs/promises'), 'rename'>;

/**
 * Puts a file in the place of the one at this path, whole or not at all; the path is where it
 * really lies. Only the owner may read it; where the old one was stricter it is as strict.
 */
export async function replacePrivately(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  disk: Disk = { rename },
): Promise<void> {
  const half = halfOf(path);
  const file = await createPrivate(half);
  try {
    try {
      await write(file);
      await file.chmod(await strictestMode(path));
      await file.sync();
    } finally {
      await file.close();
    }
    await replaceFile(half, path, disk);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

async function strictestMode(path: string): Promise<number> {
  const found = await statOf(path);
  return found === null ? privateMode : found.mode & privateMode;
}

/** Windows refuses for a moment while another program, such as a virus scanner, reads the file. */
async function replaceFile(half: string, path: string, disk: Disk): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await disk.rename(half, path);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (tries === 10 || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
      await sleep(20 * tries);
    }
  }
}

/** What tells one content of a file from another without reading it; null where there is none. */
export async function versionOf(path: string): Promise<string | null> {
  const found = await statOf(path);
  return found === null ? null : `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`;
}
