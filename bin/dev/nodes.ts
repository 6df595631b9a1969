// `npm run nodes [-- PART…]`: the package as it would be published, on every Node, compiler and
// runtime that it is meant for. What it needs comes from the registry into a folder for the time.
import { rmSync } from 'node:fs';
import { build } from './build/build.ts';
import { compilers } from './nodes/compilers.ts';
import { type Check, makeConsumer } from './nodes/consumer.ts';
import { closeDoors } from './nodes/doors.ts';
import { otherRuntimes } from './nodes/other-runtimes.ts';
import { shortSuite } from './nodes/short-suite.ts';
import { readArgs, refuse } from './read-args.ts';

type Part = (folder: string) => AsyncIterable<Check>;

const parts: Readonly<Record<string, Part>> = {
  suite: shortSuite,
  compilers,
  doors: closeDoors,
  others: otherRuntimes,
};

async function main(): Promise<number> {
  const tool = import.meta.url;
  const { positionals: names } = readArgs(tool, { allowPositionals: true });
  const unknown = names.filter((name) => !(name in parts)).join(', ');
  if (unknown !== '') refuse(tool, `no ${unknown}: there are ${Object.keys(parts).join(', ')}`);
  const log = (line: string) => console.log(line);
  if (!(await build({ onlyIfStale: true, log }))) return 1;
  const folder = await makeConsumer(log);
  const count = { passed: 0, failed: 0 };
  try {
    for (const name of names.length > 0 ? names : Object.keys(parts)) {
      for await (const { what, problem } of parts[name]?.(folder) ?? []) {
        count[problem === null ? 'passed' : 'failed'] += 1;
        console.log(problem === null ? `ok   ${what}` : `FAIL ${what}\n${problem}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\n${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0 ? 0 : 1;
}

process.exitCode = await main();
