// `tsx bin/dev/ready-to-publish.ts [FOLDER]`: run by `npm publish`, which it ends while the package
// does not say what this tree cannot know: where it is kept, and what is new in its version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArgs } from './read-args.ts';
import { root } from './root.ts';

interface Manifest {
  readonly version: string;
  readonly repository?: { readonly url?: unknown } | null;
}

const { positionals } = readArgs(import.meta.url, { allowPositionals: true });
const folder = positionals[0] ?? root;
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

/** A sentence for each thing to fill in. */
function* missing(): Generator<string> {
  const { version, repository }: Manifest = JSON.parse(read('package.json'));
  const url = repository?.url;
  if (typeof url !== 'string' || !URL.canParse(url)) {
    yield 'package.json: "repository" is missing: name the address that the source is kept at, ' +
      'as in {"type": "git", "url": "git+https://example.com/owner/name.git"}.';
  }
  const news = read('simulator/CHANGELOG.md').split('\n');
  if (!news.includes(`## ${version}`)) {
    yield `simulator/CHANGELOG.md: there is no "## ${version}": say what is new in it.`;
  }
}

for (const each of missing()) {
  console.error(each);
  process.exitCode = 1;
}
