// `npm run build`, and what `npm ci` runs through `prepare`: writes everything under dist/.
// `-- --if-stale`: only where something has changed; `-- --clean`, for a package: nothing of an
// earlier build stays.
import { build } from './build/build.ts';
import { readArgs } from './read-args.ts';

const { 'if-stale': onlyIfStale, clean } = readArgs(import.meta.url, {
  options: {
    'if-stale': { type: 'boolean', default: false },
    clean: { type: 'boolean', default: false },
  },
}).values;
process.exitCode = (await build({ onlyIfStale, clean, log: (line) => console.log(line) })) ? 0 : 1;
