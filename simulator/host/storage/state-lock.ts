// One sandbox at a time for a state file: a lock beside it names the process that keeps it.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StateError } from '../../core/state/snapshot.ts';
import { privateMode } from './private-file.ts';

const run = promisify(execFile);

/** The half-written file of a process, which takes the place of the whole one when it is done. */
export function halfOf(path: string, pid = process.pid): string {
  return beside(path, `${pid}.saving`);
}

/**
 * Locks a state file, which is named by where it really lies. The lock of a process that is gone is
 * taken over, even where another one has its id by now, and what it had half written is removed.
 * Throws a StateError when another process keeps the file; errors of the disk come through.
 */
export async function lockState(path: string): Promise<void> {
  const lock = beside(path, 'lock');
  const ours = `${process.pid} ${(await startOf(process.pid)) ?? ''}\n`;
  try {
    await writeFile(lock, ours, { flag: 'wx', mode: privateMode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const text = await readFile(lock, 'utf8').catch(() => '');
    const [pid = '', ...start] = text.trim().split(' ');
    if (await keepsIt(Number(pid), start.join(' '))) {
      throw new StateError(`is in use by process ${pid}: stop that sandbox, or name another file`);
    }
    await writeFile(lock, ours);
  }
  await sweepHalves(path);
}

/** On a disk that may only be read by now it stays: whoever comes next sees that we are gone. */
export async function unlockState(path: string): Promise<void> {
  try {
    await rm(beside(path, 'lock'), { force: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
  }
}

function beside(path: string, ending: string): string {
  return join(dirname(path), `.${basename(path)}.${ending}`);
}

async function sweepHalves(path: string): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(start) || !name.endsWith('.saving')) continue;
    const pid = Number(name.slice(start.length, -'.saving'.length));
    if (!isAnother(pid)) await rm(join(dirname(path), name), { force: true });
  }
}

/** Ids of processes are used again: one that began at another time is not who wrote the lock. */
async function keepsIt(pid: number, start: string): Promise<boolean> {
  if (!isAnother(pid)) return false;
  const now = await startOf(pid);
  return start === '' || now === null || now === start;
}

/** Whether this is another process that lives: one of somebody else's may not be asked. */
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
export async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // Its name, in brackets, may have spaces in it; the start is the 20th word after that.
  if (stat !== null) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  const said = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => null);
  return said?.stdout.trim() || null;
}
