// A package is not published before it says where its source is kept and what is new.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from './root.ts';

const publishing = suite<{ folder: string }>('ready to publish');

publishing.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'publish-'));
  mkdirSync(join(place.folder, 'simulator'));
  writeFileSync(
    join(place.folder, 'simulator/CHANGELOG.md'),
    '# Changelog\n\n## 1.2.0\n\n- New.\n',
  );
});
publishing.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

function check(folder: string, manifest: object) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['--import', 'tsx', 'bin/dev/ready-to-publish.ts', folder];
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
}

publishing('says nothing of what is whole', ({ folder }) => {
  const repository = { type: 'git', url: 'git+https://example.com/owner/name.git' };
  const { status, stderr } = check(folder, { version: '1.2.0', repository });
  assert.equal([status, stderr], [0, '']);
});

publishing('asks for what is missing, by its name', ({ folder }) => {
  const { status, stderr } = check(folder, { version: '1.3.0', repository: { url: 'here' } });
  assert.is(status, 1);
  assert.match(stderr, /package\.json: "repository" is missing/);
  assert.match(stderr, /CHANGELOG\.md: there is no "## 1\.3\.0"/);
});

publishing.run();
