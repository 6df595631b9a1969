// What Windows does to files and locks, by doubles of its disk and its processes.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Disk, replacePrivately } from './private-file.ts';
import { lockState, type System, startOf } from './state-lock.ts';

const refusals = suite<{ folder: string; path: string }>('what Windows refuses');

refusals.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'refusals-'));
  place.path = join(place.folder, 'state.json');
});
refusals.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const refused = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

/** Writes a file; the disk refuses to rename with each of the codes in turn. */
async function save(path: string, codes: readonly string[]): Promise<number> {
  const left = [...codes];
  let asked = 0;
  const disk: Disk = {
    rename: async (from, to) => {
      asked += 1;
      const code = left.shift();
      if (code !== undefined) throw refused(code);
      await rename(from, to);
    },
  };
  await replacePrivately(path, (file) => file.writeFile('the new one'), disk);
  return asked;
}

refusals('a file that another program reads is replaced a moment later', async ({ path }) => {
  writeFileSync(path, 'the one before');
  assert.is(await save(path, ['EPERM', 'EBUSY', 'EACCES']), 4);
  assert.is(readFileSync(path, 'utf8'), 'the new one');
});

refusals('what stays refused is told, and the file before is whole', async ({ folder, path }) => {
  writeFileSync(path, 'the one before');
  const codes = Array.from({ length: 10 }, () => 'EPERM');
  const error = await save(path, codes).catch((each: Error) => each);
  assert.match((error as Error).message, 'EPERM');
  assert.is(readFileSync(path, 'utf8'), 'the one before');
  assert.equal(readdirSync(folder), ['state.json'], 'nothing half written is left');
});

refusals('another trouble is told at once', async ({ folder, path }) => {
  const error = await save(path, ['ENOSPC']).catch((each: Error) => each);
  assert.match((error as Error).message, 'ENOSPC');
  assert.equal(readdirSync(folder), []);
});

/** A Windows on which every other process began at this time. */
function windowsWhere(beganAt: string | null): System {
  return {
    platform: 'win32',
    run: async (file, [, , , question]) => {
      assert.is(file, 'powershell.exe');
      assert.match(question ?? '', `-Id ${process.ppid})`);
      if (beganAt === null) throw refused('ENOENT');
      return { stdout: `${beganAt}\r\n` };
    },
  };
}

const lockOf = (folder: string) => join(folder, '.state.json.lock');

refusals('a lock tells when its process began, by the clock', async ({ folder, path }) => {
  await lockState(path, windowsWhere(null));
  const [pid, began = ''] = readFileSync(lockOf(folder), 'utf8').trim().split(' ');
  assert.is(Number(pid), process.pid);
  assert.ok(Math.abs(Date.parse(began) - performance.timeOrigin) < 2, began);
});

refusals('the lock of a process that is there is kept', async ({ folder, path }) => {
  const kept = `${process.ppid} 2026-03-01T10:00:00.100Z\n`;
  // Measured by the process itself and by the system; and by a system that does not tell.
  for (const beganAt of ['2026-03-01T10:00:01.2345678Z', '2026-03-01T09:59:59.0000000Z', null]) {
    writeFileSync(lockOf(folder), kept);
    const error = await lockState(path, windowsWhere(beganAt)).catch((each: Error) => each);
    assert.match((error as Error)?.message ?? '', `is in use by process ${process.ppid}`);
    assert.is(readFileSync(lockOf(folder), 'utf8'), kept);
  }
});

refusals(
  'the lock of a process whose id is another’s by now is taken',
  async ({ folder, path }) => {
    writeFileSync(lockOf(folder), `${process.ppid} 2026-03-01T10:00:00.100Z\n`);
    await lockState(path, windowsWhere('2026-03-01T10:07:00.0000000Z'));
    assert.match(readFileSync(lockOf(folder), 'utf8'), new RegExp(`^${process.pid} `));
  },
);

refusals('where there is no /proc, ps tells of a start', async () => {
  const mac: System = {
    platform: 'darwin',
    run: async (file, args) => {
      assert.equal([file, ...args], ['ps', '-o', 'lstart=', '-p', '99999999']);
      return { stdout: 'Sun Mar  1 10:00:00 2026\n' };
    },
  };
  assert.is(await startOf(99_999_999, mac), 'Sun Mar  1 10:00:00 2026');
});

refusals.run();
