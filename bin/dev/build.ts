// `npm run build`, and `prepublish` (which `npm ci` and `npm install` run) and `prepack`: writes everything under dist/.
// `-- --if-stale`: only if a source has changed; `-- --clean`: keeps no file of an earlier build.
import { parseArgs } from 'node:util';
import { build } from './build/build.ts';

const { 'if-stale': onlyIfStale, clean } = parseArgs({
  options: {
    'if-stale': { type: 'boolean', default: false },
    clean: { type: 'boolean', default: false },
  },
}).values;
process.exitCode = (await build({ onlyIfStale, clean })) ? 0 : 1;
