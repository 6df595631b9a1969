// `npx tsx bin/dev/rules-page.ts`: writes fixtures/README.md, every rule and open question in
// words, from the registers. A test holds the page to them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArgs } from './read-args.ts';
import { root } from './root.ts';
import { rulesPage } from './rules-page/page.ts';

readArgs(import.meta.url, {});
writeFileSync(join(root, 'fixtures/README.md'), rulesPage());
