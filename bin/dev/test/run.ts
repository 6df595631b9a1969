// Runs one child of the test command to its end or its time limit, with everything it started.
import { type ChildProcess, spawn } from 'node:child_process';
import { root } from '../root.ts';

/** What is left of a child that has ended. */
export interface Run {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Standard output and standard error as they came. */
  readonly output: string;
  readonly durationMs: number;
  /** Of it and of all that it started and waited for; null where it was not measured. */
  readonly processorMs: number | null;
  readonly limitMs: number;
}

const running = new Set<ChildProcess>();

// Only a shell tells what its children have used.
const measured = ['sh', '-c', '"$@" 3>&-; code=$?; times >&3; exit $code', 'sh'] as const;

/** Starts Node with `args` in the checkout and waits; nothing it started outlives it. */
export function run(
  args: readonly string[],
  limitMs: number,
  { node = process.execPath, measure = false } = {},
): Promise<Run> {
  const startedAtMs = performance.now();
  const { FORCE_COLOR: _, ...env } = process.env;
  // Detached: a process group of its own, so that its servers can be ended with it.
  const [program = node, ...rest] = measure ? [...measured, node, ...args] : [node, ...args];
  const child = spawn(program, rest, {
    cwd: root,
    detached: true,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe', measure ? 'pipe' : 'ignore'],
  });
  running.add(child);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  let times = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    times += chunk.toString('utf8');
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, limitMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // A server left behind holds the pipes open: end it first, then `close` comes.
    child.on('exit', () => endGroup(child));
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      running.delete(child);
      const output = Buffer.concat(chunks).toString('utf8');
      const durationMs = performance.now() - startedAtMs;
      resolve({ exitCode, timedOut, output, durationMs, processorMs: readTimes(times), limitMs });
    });
  });
}

/** The second line of what a shell's `times` says: user and system time of its children. */
function readTimes(said: string): number | null {
  const spans = [...(said.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  if (spans.length === 0) return null;
  return spans.reduce((sum, [, minutes, seconds]) => {
    return sum + Number(minutes) * 60_000 + Number(seconds) * 1000;
  }, 0);
}

/** Ends every child that still runs. */
export function endAll(): void {
  for (const child of running) endGroup(child);
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
