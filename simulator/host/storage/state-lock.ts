// One sandbox at a time for a state file: a lock beside it names the process that keeps it.
import { execFile } from 'node:child_process';
import { lstat, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StateError } from '../../core/state/snapshot.ts';
import { createPrivate, FileProblem, halfOf, readPlain } from './private-file.ts';

/** What tells of other processes; tests bring another system. */
export interface System {
  readonly platform: NodeJS.Platform;
  run(file: string, args: readonly string[]): Promise<{ readonly stdout: string }>;
}

const thisSystem: System = {
  platform: process.platform,
  run: (file, args) => promisify(execFile)(file, args, { windowsHide: true }),
};

/** On Windows the time of a start is measured in two ways, which differ by so much at most. */
const sameStartWithinMs = 10_000;

/** So often it is tried: each time another process was faster to take over what one had left. */
const mostTries = 4;
const justMadeMs = 50;

/**
 * Locks a state file, which is named by where it really lies. The lock of a process that is gone is
 * taken over, even where another one has its id by now, and what it had half written is removed.
 * Throws a StateError when another process keeps the file; errors of the disk come through.
 */
export async function lockState(path: string, system = thisSystem): Promise<void> {
  const lock = lockOf(path);
  for (let tries = 1; !(await makeLock(lock, system)); tries += 1) {
    const text = await readLock(lock);
    if (text === '' && tries === 1) {
      // Perhaps it was made a moment ago, and is about to be written.
      await sleep(justMadeMs);
      continue;
    }
    const [pid = '', ...start] = text.trim().split(' ');
    if (tries > mostTries || (await keepsIt(Number(pid), start.join(' '), system))) {
      const owner = /^\d{1,10}$/.test(pid) ? `process ${pid}` : 'another process';
      throw new StateError(`is in use by ${owner}: stop that sandbox, or name another file`);
    }
    await removeLeft(lock, text);
  }
  await sweepHalves(path);
}

/** On a disk that has become read-only the lock stays: the next sandbox sees that we are gone. */
export async function unlockState(path: string): Promise<void> {
  const lock = lockOf(path);
  try {
    const pid = Number((await readLock(lock)).trim().split(' ')[0]);
    if (pid === process.pid) await rm(lock, { force: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
  }
}

/** Whether the lock is ours now; false where there is one already, or anything else of its name. */
async function makeLock(lock: string, system: System): Promise<boolean> {
  const ours = `${process.pid} ${(await startOf(process.pid, system)) ?? ''}\n`;
  const file = await createPrivate(lock).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (file === null) return false;
  try {
    await file.writeFile(ours);
  } finally {
    await file.close();
  }
  return true;
}

/** Empty for what names no process: nothing that we wrote, such as a link or a pipe. */
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
 * Removes what a process that is gone has left. Of two that do so at once the second would remove
 * the lock that the first has made meanwhile: it is moved first, and looked at again.
 */
async function removeLeft(lock: string, text: string): Promise<void> {
  const moved = halfOf(lock);
  try {
    await rename(lock, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const isLeft = (await readLock(moved)) === text && !(await lstat(moved)).isDirectory();
  await (isLeft ? rm(moved, { force: true }) : rename(moved, lock));
}

function lockOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.lock`);
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

/** Ids of processes are used again: one that began at another time is not who wrote the lock. */
async function keepsIt(pid: number, start: string, system: System): Promise<boolean> {
  if (!isAnother(pid)) return false;
  const now = await startOf(pid, system);
  if (start === '' || now === null || now === start) return true;
  const apartMs = Math.abs(Date.parse(now) - Date.parse(start));
  return system.platform === 'win32' && apartMs <= sameStartWithinMs;
}

/** Whether this is another process that lives: a process of another user cannot be asked. */
function isAnother(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process began, as the system says it; null where it does not. */
export async function startOf(pid: number, system = thisSystem): Promise<string | null> {
  if (system.platform === 'win32') return startOnWindows(pid, system);
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // Its name, in brackets, may have spaces in it; the start is the 20th word after that.
  if (stat !== null) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  return said(system.run('ps', ['-o', 'lstart=', '-p', String(pid)]));
}

/** Asking takes Windows a second, so it is asked about others alone, when a lock names one. */
function startOnWindows(pid: number, { run }: System): Promise<string | null> {
  if (pid === process.pid) return Promise.resolve(new Date(performance.timeOrigin).toISOString());
  const question = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`;
  return said(run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', question]));
}

async function said(answer: Promise<{ readonly stdout: string }>): Promise<string | null> {
  const told = await answer.catch(() => null);
  return told?.stdout.trim() || null;
}
