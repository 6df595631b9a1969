// A configuration file is found, read, and refused with the file and the field in the message.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfigFile } from './config-file.ts';

const files = suite<{ folder: string }>('config file');

files.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'config-'));
});
files.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

files('found in the folder without an option', ({ folder }) => {
  writeFileSync(join(folder, 'sandbox.config.json'), '\uFEFF{"allow_local_webhooks": true}');
  const read = readConfigFile(undefined, folder);
  assert.is(read.config.allow_local_webhooks, true);
  assert.is(
    read.note,
    'sandbox.config.json in this folder was read, and sets allow_local_webhooks',
  );
});

files('the named file is used, and not the other', ({ folder }) => {
  writeFileSync(join(folder, 'sandbox.config.json'), '{broken');
  writeFileSync(join(folder, 'mine.json'), '{"settings": {}}');
  assert.is(readConfigFile('mine.json', folder).note, null);
});

const broken = [
  ['{"setings": {}}', /^--config mine\.json: setings /],
  ['{"settings": {"no_such": 1}}', /^--config mine\.json: settings\.no_such /],
  ['{"a": }', /^--config mine\.json: is not JSON/],
] as const;

for (const [text, expected] of broken) {
  files(`${text} is refused`, ({ folder }) => {
    writeFileSync(join(folder, 'mine.json'), text);
    assert.throws(() => readConfigFile('mine.json', folder), expected);
  });
}

files.run();
