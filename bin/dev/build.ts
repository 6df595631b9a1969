// `npm run build`, and what `npm ci` runs through `prepare`: writes everything under dist/.
import { build } from './build/build.ts';

const onlyIfStale = process.argv.includes('--if-stale');
// For a package: nothing of an earlier build stays.
const clean = process.argv.includes('--clean');
process.exitCode = (await build({ onlyIfStale, clean, log: (line) => console.log(line) })) ? 0 : 1;
