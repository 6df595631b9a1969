// The page of rules is the one that the registers make now.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../root.ts';
import { rulesPage } from './page.ts';

const page = suite('page of rules');

page('fixtures/README.md is as the registers make it', () => {
  const written = readFileSync(join(root, 'fixtures/README.md'), 'utf8');
  assert.is(written, rulesPage(), 'write it anew: npx tsx bin/dev/rules-page.ts');
});

page('every rule and question is a row of its own', () => {
  const ids = [...rulesPage().matchAll(/^\| ([A-Z]+-\d+[a-z]?) \|/gm)].map(([, id]) => id);
  assert.is(new Set(ids).size, ids.length);
  assert.ok(ids.length > 200, `${ids.length} rows`);
});

page.run();
