// `npm run build`, and what `npm ci` runs through `prepare`: writes everything under dist/.
import { build } from './build/build.ts';

const onlyIfStale = process.argv.includes('--if-stale');
process.exitCode = (await build({ onlyIfStale, log: (line) => console.log(line) })) ? 0 : 1;
