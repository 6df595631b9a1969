// Allows only one sandbox for each state file: a lock file next to it names the process.
import { execFile } from 'node:child_process';
import { lstat, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StateError } from '../../core/state/snapshot.ts';
import { createPrivate, FileProblem, halfOf, nullOn, readPlain } from './private-file.ts';

/** A further try is only needed if another process took over a stale lock first. */
const maxTries = 4;
const justMadeMs = 50;

/** Locks of this process: the process in a lock file does not tell its sandboxes apart. */
const ownLocks = new Set<string>();

const lockOf = (path: string) => join(dirname(path), `.${basename(path)}.lock`);

/**
 * Locks a state file, given by its real path. The lock of a process that has ended is taken over,
 * and its half-written files are removed. Throws a StateError when another sandbox has the lock.
 */
export async function lockState(path: string): Promise<void> {
  const lock = lockOf(path);
  if (ownLocks.has(lock)) {
    throw new StateError(
      'is in use by another sandbox of this process: close that sandbox, or name another file',
    );
  }
  ownLocks.add(lock);
  await lockFile(path, lock).catch((error: unknown) => {
    ownLocks.delete(lock);
    throw error;
  });
}

async function lockFile(path: string, lock: string): Promise<void> {
  for (let tries = 1; !(await makeLock(lock)); tries += 1) {
    const text = await readLock(lock);
    if (text === '' && tries === 1) {
      // The lock may have just been created, and not be written yet.
      await sleep(justMadeMs);
      continue;
    }
    const [pid = '', ...start] = text.trim().split(' ');
    if (tries > maxTries || (await isKeptBy(Number(pid), start.join(' ')))) {
      const owner = /^\d{1,10}$/.test(pid) ? `process ${pid}` : 'another process';
      throw new StateError(
        `is in use by ${owner}: stop that sandbox, or name another file (if that is no sandbox, remove ${lock})`,
      );
    }
    await removeStale(lock, text);
  }
  await sweepHalves(path);
}

/**
 * If the disk is read-only by now the lock stays; the next sandbox sees that its process ended.
 */
export async function unlockState(path: string): Promise<void> {
  const lock = lockOf(path);
  const remove = async () => {
    const pid = Number((await readLock(lock)).trim().split(' ')[0]);
    if (pid === process.pid) await rm(lock, { force: true });
  };
  await remove()
    .catch(nullOn('EACCES', 'EPERM', 'EROFS'))
    .finally(() => ownLocks.delete(lock));
}

/** False if anything exists under the lock's name. */
async function makeLock(lock: string): Promise<boolean> {
  const ours = `${process.pid} ${(await startOf(process.pid)) ?? ''}\n`;
  const file = await createPrivate(lock).catch(nullOn('EEXIST'));
  if (file === null) return false;
  await file.writeFile(ours).finally(() => file.close());
  return true;
}

/** Empty for anything that we did not write, such as a link or a pipe. */
async function readLock(lock: string): Promise<string> {
  try {
    return await readPlain(lock);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof FileProblem || code === 'ENOENT' || code === 'EISDIR') return '';
    throw error;
  }
}

/**
 * If two processes do this at the same time, the second could remove the new lock of the first: the
 * lock is moved away first, and compared again there.
 */
async function removeStale(lock: string, text: string): Promise<void> {
  const moved = halfOf(lock);
  const isGone = (await rename(lock, moved).catch(nullOn('ENOENT'))) === null;
  if (isGone) return;
  const isStale = (await readLock(moved)) === text && !(await lstat(moved)).isDirectory();
  await (isStale ? rm(moved, { force: true }) : rename(moved, lock));
}

async function sweepHalves(path: string): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const entry of await readdir(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    if (!name.startsWith(start) || entry.isDirectory()) continue;
    const pid = /^(\d+)\.[0-9a-f]{16}\.saving$/.exec(name.slice(start.length))?.[1];
    if (pid === undefined || isAnother(Number(pid))) continue;
    await rm(join(dirname(path), name), { force: true });
  }
}

/** Process ids are reused: a process with another start time did not write the lock. */
async function isKeptBy(pid: number, start: string): Promise<boolean> {
  if (!isAnother(pid)) return false;
  const now = await startOf(pid);
  return start === '' || now === null || now === start;
}

/** Whether this is another running process; a process of another user refuses the signal. */
function isAnother(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process started, as the system reports it; null if it does not, as on Windows. */
export async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // The name, in brackets, may contain spaces; the start time is the 20th word after it.
  if (stat !== null) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  const args = ['-o', 'lstart=', '-p', String(pid)];
  const listed = await promisify(execFile)('ps', args, { windowsHide: true }).catch(() => null);
  return listed?.stdout.trim() || null;
}
