// Runs the judged command in a separate process group, keeps its output, and ends it at its time
// limit.
import { type ChildProcess, spawnSync } from 'node:child_process';
// Finds npm.cmd and quotes for cmd.exe on Windows, where Node's own spawn does neither.
import spawn from 'cross-spawn';
import type { Ending } from './recording.ts';

export interface CommandOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Called at the time limit: whether to extend it once by the same time. */
  readonly mayGoOn?: () => boolean;
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

export async function runCommand(options: CommandOptions): Promise<Omit<Ending, 'durationMs'>> {
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
    if (options.mayGoOn?.()) time = setTimeout(kill, options.timeoutMs);
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
