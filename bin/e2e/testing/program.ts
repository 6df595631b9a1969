// Runs the built programs like a shell, and keeps their output.
import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { ReadyEvent } from '../../commands/sandbox/ready.ts';
import { root } from '../../dev/root.ts';

export const SANDBOX = join(root, 'bin/sandbox.js');
export const CONFORMANCE = join(root, 'bin/conformance.js');

export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In its own process group, like a program in a terminal. */
  readonly detached?: boolean;
}

export class Program {
  out = '';
  err = '';
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #watchers = new Set<() => void>();

  /** `args` are the arguments of Node: a file and its arguments. */
  constructor(args: readonly string[], options: ProgramOptions = {}) {
    const { cwd = root, env = {}, detached = false } = options;
    const child = spawn(process.execPath, args, {
      ...{ cwd, detached },
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const notify = () => {
      for (const watch of this.#watchers) watch();
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
      notify();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
      notify();
    });
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => {
        notify();
        resolve({ code, out: this.out, err: this.err });
      });
    });
    this.#child = child;
  }

  /** Waits until its output contains this. */
  says(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const hasEnded = this.#child.exitCode !== null || this.#child.signalCode !== null;
        if (this.out.includes(text) || this.err.includes(text)) resolve();
        else if (hasEnded) reject(new Error(`never said ${text}:\n${this.out}${this.err}`));
        else return;
        this.#watchers.delete(look);
      };
      this.#watchers.add(look);
      look();
    });
  }

  signal(name: NodeJS.Signals, toGroup = false): void {
    if (toGroup) process.kill(-(this.#child.pid as number), name);
    else this.#child.kill(name);
  }
}

/** A port of this machine that is free. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Resolves when a server listens on the port; `hasEnded` returns true if none will. */
export async function listens(port: number, hasEnded: () => boolean = () => false): Promise<void> {
  for (let turn = 0; turn < 600 && !hasEnded(); turn += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** The ready event of `sandbox start --json`. */
export async function ready(program: Program): Promise<ReadyEvent> {
  await program.says('"ready"');
  await program.says('\n');
  return JSON.parse(program.out.split('\n')[0] ?? '') as ReadyEvent;
}

/** Starts `sandbox start --json` on a free port and waits until it is ready. */
export async function startSandbox(args: readonly string[], options?: ProgramOptions) {
  const program = new Program([SANDBOX, 'start', '--port', '0', '--json', ...args], options);
  return { program, ready: await ready(program) };
}

export const run = (args: readonly string[], options?: ProgramOptions): Promise<Ended> =>
  new Program(args, options).ended;
