// One run of the command: in a new world, behind a new gateway, with one fault. The command runs in a
// separate process group, and is ended at its time limit.
import { type ChildProcess, spawnSync } from 'node:child_process';
// Finds npm.cmd and quotes for cmd.exe on Windows, where Node's own spawn does neither.
import spawn from 'cross-spawn';
import { EventLoopMonitor } from '../engine/pace/event-loop-monitor.ts';
import type { Fault } from './faults.ts';
import { openGateway } from './gateway.ts';
import type { Ending, Recording } from './recording.ts';

/** The interface of a sandbox for the judge of clients; the command provides it. */
export interface SandboxWorld {
  /** Answers a call of the API or of the control plane; rejects if the connection is cut. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Serves the same world over a socket, for everything except calls. */
  readonly listen: () => Promise<{ readonly host: string; readonly port: number }>;
  /** The environment of the command, except for the two URLs. */
  readonly variables: Readonly<Record<string, string>>;
  /** Tokens and secrets that a client may have received, each with its owner. */
  readonly secrets: readonly { readonly value: string; readonly clientId: string }[];
  /** A token of another client that may change every account of the first firm. */
  readonly otherToken: string;
  readonly close: () => Promise<void>;
}

/** A new world for each run; the same seed gives the same world. */
export type OpenWorld = (seed: string) => Promise<SandboxWorld>;

export interface PlayOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly openWorld: OpenWorld;
  readonly seed: string;
  readonly fault: Fault;
  /** The sites where the fault happens. */
  readonly aimed?: readonly string[];
  readonly signal: AbortSignal;
}

export async function play(options: PlayOptions): Promise<Recording> {
  const { fault } = options;
  const world = await options.openWorld(options.seed);
  const enough = new AbortController();
  const gateway = await openGateway(world, fault, options.aimed, (calls) => {
    if (!fault.seenEnough?.(calls)) return;
    gateway.freeze();
    enough.abort();
  });
  const eventLoop = new EventLoopMonitor();
  eventLoop.start();
  try {
    const { variables } = world;
    const ended = await runCommand({
      ...options,
      env: {
        ...options.env,
        ...(fault.variables?.(variables) ?? variables),
        SANDBOX_BASE_URL: gateway.url,
        SANDBOX_CONTROL_URL: `${gateway.url}/_sandbox`,
      },
      mayGoOn: () => fault.needsMoreTime?.(gateway.calls) ?? false,
      onKill: gateway.freeze,
      signal: AbortSignal.any([options.signal, enough.signal]),
    });
    // A connection that the command reset while it ended is reported in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    const { worstMs: lagMs } = eventLoop.since(0);
    // On the clock of the calls, and not before the last of them was noticed.
    const ending = { ...ended, durationMs: gateway.nowMs() };
    return { calls: [...gateway.calls], ending, lagMs, ...gateway.seen() };
  } finally {
    eventLoop.stop();
    await gateway.close();
    await world.close();
  }
}

interface CommandOptions extends Pick<PlayOptions, 'command' | 'cwd' | 'env' | 'timeoutMs'> {
  /** Called at the time limit: whether to extend it once by the same time. */
  readonly mayGoOn: () => boolean;
  /** Called before it is ended at its time limit. */
  readonly onKill: () => void;
  /** Ends it immediately. */
  readonly signal: AbortSignal;
}

/** The command cannot be run at all. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

const outputKept = 32 * 1024;
/** How long a command may take to end after SIGTERM. */
const graceMs = 500;

const running = new Set<ChildProcess>();

// No command outlives this program.
process.once('exit', () => {
  for (const child of running) endGroup(child, 'SIGKILL');
});

async function runCommand(options: CommandOptions): Promise<Omit<Ending, 'durationMs'>> {
  const [name = '', ...words] = options.command;
  const child = spawn(name, words, {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    // A separate process group; on Windows that would open a window.
    detached: process.platform !== 'win32',
  });
  running.add(child);
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputKept);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  let killed = false;
  const kill = () => {
    killed = true;
    options.onKill();
    endGroup(child, 'SIGTERM');
    setTimeout(() => endGroup(child, 'SIGKILL'), graceMs);
  };
  let time = setTimeout(() => {
    if (options.mayGoOn()) time = setTimeout(kill, options.timeoutMs);
    else kill();
  }, options.timeoutMs);
  const stop = () => endGroup(child, 'SIGKILL');
  if (options.signal.aborted) stop();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    const { code, signal } = await ended(child, name);
    const cutShort = options.signal.aborted;
    return { code, signal, killed, cutShort, output };
  } finally {
    clearTimeout(time);
    options.signal.removeEventListener('abort', stop);
    // Also ends programs that it started and left running.
    endGroup(child, 'SIGKILL');
    running.delete(child);
  }
}

function ended(child: ChildProcess, name: string) {
  return new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(new CommandError(`${name} cannot be run: ${whyNot(error, name)}`));
    });
    child.once('exit', (code, signal) => {
      const finish = () => resolve({ code, signal });
      // A child process may keep its output open indefinitely.
      const waited = setTimeout(finish, graceMs);
      child.once('close', () => {
        clearTimeout(waited);
        finish();
      });
    });
  });
}

function whyNot({ code, message }: NodeJS.ErrnoException, name: string): string {
  if (code === 'EACCES') return 'it is not a program; add what runs it, such as node or python3';
  if (code !== 'ENOENT') return code ?? message;
  if (!/\s/.test(name)) return 'there is no such command';
  return 'it came as one word. Remove the quotes, or pass the line to a shell: -- sh -c "…"';
}

/** Ends a process and all its children. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    const args = ['/pid', String(pid), '/t', '/f'];
    spawnSync('taskkill', args, { stdio: 'ignore', windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
