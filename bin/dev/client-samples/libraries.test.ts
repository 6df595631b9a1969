// The guide's table of libraries says what `npm run client-samples -- --libraries` holds them to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { libraryClients, libraryPackages } from './libraries.ts';

const libraries = suite('client: libraries');
const guide = readFileSync(
  join(import.meta.dirname, '../../../conformance/client/README.md'),
  'utf8',
);

libraries('each has its row in the guide, with the checks it fails', () => {
  const rows = guide.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const { title, fails } of libraryClients) {
    const row = rows.find((cells) => cells[1] === title);
    assert.ok(row, `the guide has no row "${title}"`);
    const said = (row[2] ?? '').split(', ').map((name) => `CLT-${name}`);
    assert.equal(said.sort(), [...fails].sort(), title);
  }
});

libraries('the guide names the versions', () => {
  for (const [name, version] of Object.entries(libraryPackages)) {
    assert.ok(guide.includes(`${name} ${version}`), `${name} ${version}`);
  }
});

libraries.run();
