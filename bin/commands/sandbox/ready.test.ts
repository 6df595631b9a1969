// The ready file: complete, readable only by its owner, and never a replacement of a special file.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ReadyEvent, writeReadyFile } from './ready.ts';

const ready = suite('ready file');
const folder = mkdtempSync(join(tmpdir(), 'ready-'));
const event = { event: 'ready', pid: 1 } as ReadyEvent;
const at = (name: string) => join(folder, name);
const modeOf = (name: string) => statSync(at(name)).mode & 0o777;

ready('only its owner can read it, and a stricter mode is kept', async () => {
  writeFileSync(at('open.json'), 'old');
  chmodSync(at('open.json'), 0o644);
  writeFileSync(at('strict.json'), 'old');
  chmodSync(at('strict.json'), 0o400);
  for (const name of ['new.json', 'open.json', 'strict.json']) {
    await writeReadyFile(at(name), event);
    assert.equal(JSON.parse(readFileSync(at(name), 'utf8')), event);
  }
  assert.equal([modeOf('new.json'), modeOf('open.json')], [0o600, 0o600]);
  assert.is(modeOf('strict.json'), 0o400);
});

ready('a symbolic link is followed, and stays one', async () => {
  mkdirSync(at('real'));
  symlinkSync(at('new.json'), at('real/link.json'));
  await writeReadyFile(at('real/link.json'), { ...event, pid: 2 });
  assert.is(readlinkSync(at('real/link.json')), at('new.json'));
  assert.is(JSON.parse(readFileSync(at('new.json'), 'utf8')).pid, 2);
});

ready('a special file is refused and unchanged', async () => {
  mkdirSync(at('folder'));
  const refused = ['folder'];
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [at('fifo')]);
    refused.push('fifo');
  }
  for (const name of refused) {
    const message = await writeReadyFile(at(name), event).catch((error: Error) => error.message);
    assert.is(message, 'is no ordinary file; name a file of its own');
    assert.not.ok(statSync(at(name)).isFile());
  }
  assert.not(readdirSync(folder).some((name) => name.endsWith('.saving')));
});

ready.after(() => rmSync(folder, { recursive: true }));
ready.run();
