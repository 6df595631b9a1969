// `npm test [-- FILTER…]`: builds if needed, then type check, lint and every test file; the last
// line counts them all. With filters, only the test files whose path contains one of them. With
// `--dearest` it says which took the most of the processor.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { build } from './build/build.ts';
import { readArgs } from './read-args.ts';
import { root, sourceFiles } from './root.ts';
import { compileTests } from './test/compile.ts';
import { endAll, type Run, run } from './test/run.ts';
import {
  defaultLimitMs,
  judgeFile,
  judgeTool,
  ownTimeLimitMs,
  patience,
  type Verdict,
} from './test/verdict.ts';
import { compiler, linter } from './tools.ts';

interface Job {
  readonly name: string;
  readonly args: readonly string[];
  readonly limitMs: number;
  readonly judge: (run: Run) => Verdict;
}

// Two for each processor: many files wait for most of their time.
const atOnce = 2 * availableParallelism();

const { values, positionals: filters } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: { dearest: { type: 'boolean', default: false } },
});
/** With `--dearest`: what each job cost, in processor time. */
const costs = values.dearest ? new Map<string, number>() : null;

const tools: readonly Job[] = [
  { name: 'type check', args: [compiler, '--noEmit', '-p', '.'] },
  { name: 'lint', args: [linter, 'check', '--error-on-warnings', '.'] },
].map((tool) => ({ ...tool, limitMs: 300_000, judge: judgeTool }));

async function testJobs(filters: readonly string[]): Promise<Job[]> {
  const paths = sourceFiles().filter((path) => /\.test\.tsx?$/.test(path));
  const chosen =
    filters.length > 0 ? paths.filter((p) => filters.some((f) => p.includes(f))) : paths;
  const argsOf = await compileTests(chosen);
  const jobs = chosen.map((path) => {
    const ownLimitMs = ownTimeLimitMs(readFileSync(join(root, path), 'utf8'));
    return {
      name: path,
      args: argsOf(path),
      limitMs: ownLimitMs ?? defaultLimitMs,
      judge: judgeFile,
      takesLong: ownLimitMs !== null ? 2 : Number(/^(?:bin\/e2e|ui)\//.test(path)),
    };
  });
  // What may take longest starts first, so that it does not run alone at the end.
  return jobs.sort((a, b) => b.takesLong - a.takesLong || b.limitMs - a.limitMs);
}

async function work(queue: Job[], verdicts: Map<string, Verdict>): Promise<void> {
  for (let job = queue.shift(); job; job = queue.shift()) {
    const done = await run(job.args, patience * job.limitMs, { measure: costs !== null });
    costs?.set(job.name, done.processorMs ?? 0);
    const verdict = job.judge(done);
    verdicts.set(job.name, verdict);
    const mark = verdict.failed > 0 ? 'FAIL' : 'ok  ';
    const count = `${verdict.passed}/${verdict.passed + verdict.failed}`;
    console.log(`${mark} ${job.name}  ${count}  ${(done.durationMs / 1000).toFixed(1)} s`);
    if (verdict.failed > 0) console.log(`${done.output.trimEnd()}\n${verdict.problem}\n`);
  }
}

function printDearest(costs: ReadonlyMap<string, number>): void {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const all = [...costs.values()].reduce((sum, each) => sum + each, 0);
  console.log(`\nProcessor time: ${seconds(all)} in all; the dearest:`);
  const ordered = [...costs].sort(([, a], [, b]) => b - a).slice(0, 40);
  for (const [name, ms] of ordered) console.log(`${seconds(ms).padStart(9)}  ${name}`);
}

async function main(filters: readonly string[]): Promise<Verdict> {
  const verdicts = new Map<string, Verdict>();
  const built = await build({ onlyIfStale: true, log: (line) => console.log(line) });
  if (!built) verdicts.set('build', { passed: 0, failed: 1, problem: 'the build failed' });
  const files = await testJobs(filters).catch((error: Error) => {
    verdicts.set('compile', { passed: 0, failed: 1, problem: error.message });
    return [];
  });
  if (files.length === 0 && !verdicts.has('compile')) {
    const problem = `no test file matches ${filters.join(' ') || '*.test.ts'}`;
    verdicts.set('test files', { passed: 0, failed: 1, problem });
  }
  const queue = filters.length > 0 ? files : [...tools, ...files];
  await Promise.all(Array.from({ length: atOnce }, () => work(queue, verdicts)));

  if (costs) printDearest(costs);
  const failures = [...verdicts].filter(([, verdict]) => verdict.failed > 0);
  if (failures.length > 0) console.log('\nFailed:');
  for (const [name, { problem }] of failures) console.log(`  ${name}: ${problem}`);
  const all = [...verdicts.values()];
  const sum = (pick: (v: Verdict) => number) => all.reduce((total, v) => total + pick(v), 0);
  return { passed: sum((v) => v.passed), failed: sum((v) => v.failed), problem: '' };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(130);
  });
}
const total = await main(filters);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
