// One sandbox at a time for a state file: a lock beside it names the process that keeps it.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StateError } from '../../core/state/snapshot.ts';

/** The half-written file of a process, which takes the place of the whole one when it is done. */
export function halfOf(path: string, pid = process.pid): string {
  return beside(path, `${pid}.saving`);
}

/**
 * Locks a state file. The lock of a process that was killed is taken over, and what it had half
 * written is removed. Throws a StateError when another process keeps the file; errors of the disk
 * come through.
 */
export async function lockState(path: string): Promise<void> {
  const lock = beside(path, 'lock');
  try {
    await writeFile(lock, `${process.pid}\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (isAnother(pid)) {
      throw new StateError(`is in use by process ${pid}: stop that sandbox, or name another file`);
    }
    await writeFile(lock, `${process.pid}\n`);
  }
  await sweepHalves(path);
}

export async function unlockState(path: string): Promise<void> {
  await rm(beside(path, 'lock'), { force: true });
}

function beside(path: string, ending: string): string {
  return resolve(dirname(path), `.${basename(path)}.${ending}`);
}

async function sweepHalves(path: string): Promise<void> {
  const folder = resolve(dirname(path));
  const start = `.${basename(path)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(start) || !name.endsWith('.saving')) continue;
    const pid = Number(name.slice(start.length, -'.saving'.length));
    if (!isAnother(pid)) await rm(join(folder, name), { force: true });
  }
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
