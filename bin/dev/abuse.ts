// `npm run abuse [-- --requests N --seed N]`: bad requests on the socket of the built sandbox, a
// million unless told otherwise. Ends with 1 and what broke, or with what was answered.
import { abuse } from './abuse/abuse.ts';
import { build } from './build/build.ts';
import { readArgs, wholeNumbers } from './read-args.ts';

const { values } = readArgs(import.meta.url, {
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const { requests, seed } = wholeNumbers(import.meta.url, values, { seed: 0 });
if (!(await build({ onlyIfStale: true }))) process.exit(2);

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
const beganMs = performance.now();
const report = await abuse({
  requests,
  seed,
  onProgress: ({ sent, residentBytes }) => {
    const perSecond = (1000 * sent) / (performance.now() - beganMs);
    console.log(`${sent} sent, ${perSecond.toFixed(0)} a second, ${mebibytes(residentBytes)}`);
  },
});
const { sent, statuses, before, after, mostResidentBytes, broken } = report;
const answers = [...statuses].sort(([a], [b]) => a.localeCompare(b));
console.log(`answers: ${answers.map(([status, many]) => `${status} ${many}`).join(', ')}`);
console.log(
  `heap ${mebibytes(before.heapBytes)} before and ${mebibytes(after.heapBytes)} after, ` +
    `at most ${mebibytes(mostResidentBytes)} resident, ${before.files} files before, ${after.files} after`,
);
if (broken.length === 0) console.log(`seed ${seed}: ${sent} bad requests, and everything held`);
else console.log(`seed ${seed}: ${broken.length} things broke:\n  ${broken.join('\n  ')}`);
process.exitCode = broken.length === 0 ? 0 : 1;
