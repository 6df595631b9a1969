// A server under measurement: a child process on a core of its own, ended with the bench.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface, type Interface } from 'node:readline';
import { root } from '../root.ts';

export interface Subject {
  /** The first line that it printed, which says where it listens. */
  readonly ready: ReadyLine;
  readonly port: number;
  /** Resident memory in bytes. */
  residentBytes(): number;
  /** Bytes in use after a collection; only for a child that was started with `withScales`. */
  weigh(): Promise<number>;
  stop(): Promise<void>;
}

export interface ReadyLine {
  readonly port?: number;
  readonly base_url?: string;
  readonly control_url?: string;
  readonly credentials?: readonly { readonly name: string; readonly token: string }[];
}

const saysWithinMs = 20_000;

/** Arguments for Node with which a child collects garbage and says what is left, when asked. */
export const withScales: readonly string[] = [
  '--expose-gc',
  '--import',
  'data:text/javascript,' +
    "process.on('SIGUSR2',()=>{gc();gc();const{heapUsed,external}=process.memoryUsage();" +
    "process.stdout.write(JSON.stringify({event:'weight',bytes:heapUsed+external})+'\\n')})",
];

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const pinned = availableParallelism() >= 2 && hasTaskset();

/** Servers get the first core; the load, which is this process, moves to the second. */
export function pinSelf(): void {
  if (pinned) execFileSync('taskset', ['-a', '-cp', '1', String(process.pid)], { stdio: 'ignore' });
}

export const isPinned = (): boolean => pinned;

/** Starts `node ARGS…` and waits for the JSON line that says where it listens. */
export async function startSubject(args: readonly string[]): Promise<Subject> {
  const command = [...(pinned ? ['taskset', '-c', '0'] : []), process.execPath, ...args];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void ended.then(() => children.delete(child));
  const lines = createInterface({ input: child.stdout });
  const ready = await readEvent<ReadyLine>(lines, child, 'ready');
  const port = ready.port ?? Number(new URL(ready.base_url ?? '').port);
  // taskset becomes the program, so this is the server's own id.
  const pid = child.pid as number;
  return {
    ready,
    port,
    residentBytes: () => residentBytes(pid),
    weigh: async () => {
      const weighed = readEvent<{ bytes: number }>(lines, child, 'weight');
      child.kill('SIGUSR2');
      return (await weighed).bytes;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits for the next event of that name among the JSON lines that a child prints. */
function readEvent<T>(lines: Interface, child: ChildProcess, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      clearTimeout(timer);
      lines.off('line', read);
      child.off('close', ended);
      done();
    };
    const fail = (why: string) =>
      settle(() => reject(new Error(`${child.spawnargs.join(' ')} ${why}`)));
    const ended = () => fail(`ended before it said ${name}`);
    const timer = setTimeout(() => fail(`did not say ${name} in time`), saysWithinMs);
    const read = (line: string) => {
      const event = line.startsWith('{') ? (JSON.parse(line) as { event?: string }) : {};
      if (event.event === name) settle(() => resolve(event as T));
    };
    lines.on('line', read);
    child.once('close', ended);
  });
}

/** Of a process by its id. */
export function residentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
