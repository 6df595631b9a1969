// A starting world is loaded by name or from a file; an error names the file and the field.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findWorld } from '../../fixtures/worlds.ts';
import { findNamedWorld } from './options.ts';

const files = suite('world file');

// [the name, the text of that file, what is wrong]
const refused: (readonly [string, string | null, RegExp])[] = [
  ['absent.json', null, /^absent\.json: there is no such file/],
  ['text.json', '{', /^text\.json: is not JSON/],
  ['number.json', '{"firms": 5}', /^number\.json: firms /m],
];
if (process.platform !== 'win32') {
  refused.push(['/dev/zero', null, /^\/dev\/zero: is a device, and no file$/]);
}

files('a file that is not a world is refused by its name, and an endless one is not read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'world-'));
  for (const [name, text, words] of refused) {
    if (text !== null) writeFileSync(join(folder, name), text);
    assert.match(findNamedWorld(name, folder).problems?.join('\n') ?? '', words);
  }
  // A built-in name takes precedence over a file of that name.
  writeFileSync(join(folder, 'default'), '{}');
  assert.is(findNamedWorld('default', folder).fixture, findWorld('default'));
  rmSync(folder, { recursive: true });
});

files.run();
