// `npx tsx bin/dev/wrap.ts FILE…`: breaks comments that pass 100 columns, which the formatter
// leaves.
import { readFileSync, writeFileSync } from 'node:fs';
import { readArgs } from './read-args.ts';
import { wrapComments } from './tidy/wrap.ts';

for (const path of readArgs(import.meta.url, { allowPositionals: true }).positionals) {
  const text = readFileSync(path, 'utf8');
  const wrapped = wrapComments(text);
  if (wrapped !== text) {
    writeFileSync(path, wrapped);
    console.log(`wrapped ${path}`);
  }
}
