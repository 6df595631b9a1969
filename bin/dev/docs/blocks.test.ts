// Every block of every document is run by `npm run docs`, held by a test that is named, or says why
// it is only to be read.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesUnder, root } from '../root.ts';
import { blocksOf, documents } from './blocks.ts';

const docs = suite('blocks of the documents');
const all = documents.flatMap((document) => blocksOf(document));

docs('each says what becomes of it', () => {
  const silent = all.filter(({ plan }) => plan === null);
  assert.equal(
    silent.map(({ document, line }) => `${document}:${line}`),
    [],
  );
  assert.ok(all.length > 20);
});

docs('no document with blocks is left out', () => {
  const others = ['bin', 'simulator', 'conformance', 'fixtures'].flatMap(filesUnder);
  for (const path of others.filter((each) => each.endsWith('.md'))) {
    if (documents.some((document) => document === path)) continue;
    assert.not.match(readFileSync(join(root, path), 'utf8'), /^```/m, path);
  }
});

docs('a test that holds a block is there, and names its file', () => {
  for (const { plan, file, document, line } of all) {
    if (plan?.kind !== 'held') continue;
    assert.ok(file !== null && existsSync(join(root, plan.test)), `${document}:${line}`);
    assert.ok(readFileSync(join(root, plan.test), 'utf8').includes(`'${file}'`), file ?? '');
  }
});

docs('what is only to be read says why', () => {
  for (const { plan, document, line } of all) {
    if (plan?.kind === 'read') assert.ok(plan.why.length >= 10, `${document}:${line}`);
  }
});

docs('a block without a word of what becomes of it is found', () => {
  const page = '```json\n{}\n```\n\n<!-- not run: it is an answer -->\n```text\n200\n```\n';
  const kinds = blocksOf('page.md', page).map(({ plan }) => plan?.kind ?? null);
  assert.equal(kinds, [null, 'read']);
});

docs('a file with a command, and lines for a shell, are run as they are', () => {
  const page = '```js\n// a.mjs: node a.mjs\n```\n```sh\nls\n```\n';
  const [file, lines] = blocksOf('page.md', page);
  assert.equal([file?.file, file?.command, file?.plan?.kind], ['a.mjs', 'node a.mjs', 'run']);
  assert.is(lines?.plan?.kind, 'run');
});

docs.run();
