// `npm test [-- PATH…] [--case WORDS] [--watch]`: type check, lint and every test file; with PATHs only
// the test files whose path contains one of them, with --case only the tests whose name contains WORDS.
import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build/build.ts';
import { root, sourceFiles, sourceFolders } from './root.ts';
import { compileTests } from './test/compile.ts';
import type { FileResult } from './test/worker.ts';
import { compiler, linter } from './tools.ts';

// The slowest files take 30 s; a file that takes this long hangs.
const limitMs = 300_000;
// Two for each processor: many files wait most of the time.
const workerCount = 2 * availableParallelism();
// A larger young generation is collected less often.
const workerFlags = ['--enable-source-maps', '--max-semi-space-size=32'];
const typeCheck = ['--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types'];

const { values, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: { case: { type: 'string' }, watch: { type: 'boolean', default: false } },
});

const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const children = new Set<ChildProcess>();

/** Starts Node in a separate process group, so that `end` also ends the servers that it started. */
function startNode(args: readonly string[], ipc: 'ipc' | 'ignore' = 'ignore') {
  const { FORCE_COLOR: _, ...env } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    env: { ...env, NO_COLOR: '1', TEST_CASE: values.case ?? '' },
    stdio: ['ignore', 'pipe', 'pipe', ipc],
  });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output.text += chunk;
    });
  }
  children.add(child);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      end(child);
      resolve(signal ?? `exit code ${code}`);
    });
  });
  return { child, output, ended };
}

function end(child: ChildProcess): void {
  children.delete(child);
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Counts and prints one finished file or tool. */
function report(name: string, startedAtMs: number, result: FileResult, output: string): void {
  const { passed, failed, skipped, problem } = result;
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  const mark = failed > 0 ? 'FAIL' : skipped > 0 ? 'skip' : 'ok  ';
  const skips = skipped > 0 ? `, ${skipped} skipped` : '';
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${mark} ${name}  ${passed}/${passed + failed}${skips}  ${seconds} s`);
  if (failed === 0) return;
  failures.push(name);
  console.log(`${problem}\n${output}`.trimEnd().replace(/^/gm, '     '));
}

async function runTool(name: string, args: readonly string[]): Promise<void> {
  const startedAtMs = performance.now();
  const { output, ended } = startNode(args);
  const problem = await ended;
  const failed = problem === 'exit code 0' ? 0 : 1;
  report(name, startedAtMs, { passed: 1 - failed, failed, skipped: 0, problem }, output.text);
}

/** Runs files one after another in one process, and in a new one after a crash or a hang. */
async function work(queue: string[][], workerFile: string, compiled: (path: string) => string) {
  let group: string[] = [];
  const next = () => {
    if (group.length === 0) group = queue.shift() ?? [];
    return group.shift();
  };
  let worker: ReturnType<typeof startNode> | null = null;
  for (let path = next(); path !== undefined; path = next()) {
    worker ??= startNode([...workerFlags, workerFile], 'ipc');
    const { child, output, ended } = worker;
    output.text = '';
    const startedAtMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, limitMs, `not done after ${limitMs / 1000} s`);
    });
    const answers = new Promise<FileResult>((resolve) => child.once('message', resolve));
    child.send(compiled(path));
    const result = await Promise.race([answers, hangs, ended]);
    clearTimeout(timer);
    child.removeAllListeners('message');
    if (typeof result !== 'string') {
      report(path, startedAtMs, result, output.text);
      continue;
    }
    end(child);
    worker = null;
    report(path, startedAtMs, { passed: 0, failed: 1, skipped: 0, problem: result }, output.text);
  }
  if (worker !== null) end(worker.child);
}

async function main(): Promise<void> {
  if (!(await build({ onlyIfStale: true }))) throw new Error('the build failed');
  const all = sourceFiles().filter((path) => /\.test\.tsx?$/.test(path));
  const isChosen = (path: string) =>
    filters.length === 0 || filters.some((part) => path.includes(part.replace(/^\.\//, '')));
  const paths = all.filter(isChosen);
  if (paths.length === 0) throw new Error(`no test file matches ${filters.join(' ')}`);
  const { compiled, workerFile } = await compileTests(paths);
  // Tests of whole programs take longest: they start first, so that none runs alone at the end.
  const long = /^(?:bin\/(?:e2e|commands\/conformance)|ui|conformance\/(?:receiver|providers))\//;
  const isLong = (path: string) => Number(long.test(path));
  paths.sort((a, b) => isLong(b) - isLong(a));
  // The dashboard's tests share a browser, so one process runs them.
  const isDashboard = (path: string) => path.startsWith('ui/');
  const others = paths.filter((path) => !isDashboard(path)).map((path) => [path]);
  const queue = [paths.filter(isDashboard), ...others].filter((group) => group.length > 0);
  const isWhole = filters.length === 0 && values.case === undefined;
  await Promise.all([
    ...(isWhole ? [runTool('type check', [compiler, '-p', '.', ...typeCheck])] : []),
    ...(isWhole ? [runTool('lint', [linter, 'check', '--error-on-warnings', '.'])] : []),
    ...Array.from({ length: workerCount }, () => work(queue, workerFile, compiled)),
  ]);
  if (total.passed + total.failed + total.skipped === 0) {
    throw new Error(`no test is called "${values.case}"`);
  }
}

/** Runs the same command again whenever a source file changes. */
function runOnChange(): void {
  const args = [...process.execArgv, ...process.argv.slice(1).filter((each) => each !== '--watch')];
  let run: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  const again = () => {
    run?.kill();
    run = spawn(process.execPath, args, { stdio: 'inherit' });
  };
  for (const folder of sourceFolders) {
    watch(join(root, folder), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(again, 200);
    });
  }
  again();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of children) end(child);
    process.exit(130);
  });
}
if (values.watch) {
  runOnChange();
} else {
  await main().catch((error: Error) => {
    total.failed += 1;
    console.log(`FAIL ${error.message}`);
  });
  if (failures.length > 0) console.log(`\nFailed:\n  ${failures.join('\n  ')}`);
  const skips = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skips}`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}
