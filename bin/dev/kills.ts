// `npm run kills [-- --kills N --seed N --state-sync]`: kills the built sandbox N times (300) while
// it writes. Ends with 1 when a write was lost that was promised to be kept.
import { build } from './build/build.ts';
import { type Kill, killOften, promisedMs } from './kills/kill-often.ts';
import { readArgs, wholeNumbers } from './read-args.ts';

const { 'state-sync': sync, ...numbers } = readArgs(import.meta.url, {
  options: {
    kills: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'state-sync': { type: 'boolean', default: false },
  },
}).values;
const { kills, seed } = wholeNumbers(import.meta.url, numbers, { seed: 0 });
if (!(await build({ onlyIfStale: true }))) process.exit(2);

const limitMs = sync ? 0 : promisedMs;
const sumOf = (all: readonly Kill[], read: (kill: Kill) => number) =>
  all.reduce((sum, kill) => sum + read(kill), 0);
const told: Kill[] = [];
const line = () => {
  const lost = told.flatMap(({ lostMs }) => lostMs);
  const oldest = lost.length === 0 ? '' : `, the oldest ${Math.max(...lost).toFixed(0)} ms`;
  const answered = sumOf(told, (kill) => kill.answered);
  return `${told.length} kills, ${answered} writes answered, ${lost.length} lost${oldest}`;
};
const all = await killOften({
  kills,
  seed,
  sync,
  onKill: (kill) => {
    told.push(kill);
    if (told.length % 10 === 0) console.log(line());
  },
});
const late = sumOf(all, ({ lostMs }) => lostMs.filter((ms) => sync || ms > limitMs).length);
const gone = sumOf(all, (kill) => kill.gone);
const losing = all.filter(({ lostMs }) => lostMs.length > 0).length;
const promise = sync ? 'nothing may be lost' : `up to ${limitMs} ms may be lost`;
console.log(`seed ${seed}: ${line()}, by ${losing} of the kills`);
console.log(`${promise}: ${late} writes beyond that, ${gone} of earlier kills gone`);
process.exitCode = late + gone === 0 ? 0 : 1;
