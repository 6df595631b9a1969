// A starting world is loaded by name or from a file; an error names the file and the field.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findWorld } from '../../fixtures/worlds.ts';
import { findNamedWorld } from './options.ts';

const files = suite<{ folder: string }>('world file');

files.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'world-'));
});
files.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

files('a built-in name takes precedence over a file of that name', ({ folder }) => {
  writeFileSync(join(folder, 'default'), '{}');
  assert.is(findNamedWorld('default', folder).fixture, findWorld('default'));
});

files('a file that is missing, is not JSON or is not a world is refused', ({ folder }) => {
  assert.match(
    findNamedWorld('absent.json', folder).problems?.[0] ?? '',
    /^absent\.json: there is no such file/,
  );
  writeFileSync(join(folder, 'mine.json'), '{');
  assert.match(findNamedWorld('mine.json', folder).problems?.[0] ?? '', /^mine\.json: is not JSON/);
  writeFileSync(join(folder, 'mine.json'), '{"firms": 5}');
  assert.match(
    findNamedWorld('mine.json', folder).problems?.join('\n') ?? '',
    /^mine\.json: firms /m,
  );
});

if (process.platform !== 'win32') {
  files('an endless device is not read', () => {
    const { problems } = findNamedWorld('/dev/zero');
    assert.equal(problems, ['/dev/zero: is a device, and no file']);
  });
}

files.run();
