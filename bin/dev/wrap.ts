// `npx tsx bin/dev/wrap.ts FILE…`: breaks comments that pass 100 columns, which the formatter
// leaves.
import { readFileSync, writeFileSync } from 'node:fs';
import { wrapComments } from './tidy/wrap.ts';

for (const path of process.argv.slice(2)) {
  const text = readFileSync(path, 'utf8');
  const wrapped = wrapComments(text);
  if (wrapped !== text) {
    writeFileSync(path, wrapped);
    console.log(`wrapped ${path}`);
  }
}
