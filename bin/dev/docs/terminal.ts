// A terminal as a reader has it: a shell that stays open, into which blocks are pasted.
import { type ChildProcess, spawn } from 'node:child_process';

export interface Pasted {
  readonly output: string;
  readonly exit: number;
}

const checkMs = 50;

export class Terminal {
  readonly #shell: ChildProcess;
  #output = '';
  #pasted = 0;

  constructor(folder: string, env: Readonly<Record<string, string | undefined>>) {
    // A group of its own, so that what runs in it can be ended as a whole.
    this.#shell = spawn('bash', ['--norc', '-s'], { cwd: folder, env, detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    }
  }

  /** Types the lines and waits until they are done. */
  async paste(code: string, limitMs: number): Promise<Pasted> {
    this.#pasted += 1;
    const mark = `pasted-${this.#pasted}-ended`;
    const from = this.#output.length;
    this.#shell.stdin?.write(`${code.trimEnd()}\necho; echo ${mark} $?\n`);
    const ended = new RegExp(`^${mark} (\\d+)$`, 'm');
    await this.#wait(() => ended.test(this.#output.slice(from)), limitMs, code, from);
    const said = this.#output.slice(from);
    return { output: said, exit: Number(ended.exec(said)?.[1]) };
  }

  /** Types lines of which the last one keeps running, and waits until it says that it is ready. */
  async leaveRunning(code: string, until: string, limitMs: number): Promise<string> {
    const from = this.#output.length;
    this.#shell.stdin?.write(`${code.trimEnd()}\n`);
    await this.#wait(() => this.#output.slice(from).includes(until), limitMs, code, from);
    return this.#output.slice(from);
  }

  /** Ends the shell with all that runs in it. */
  async end(): Promise<void> {
    const { pid } = this.#shell;
    if (pid === undefined || this.#shell.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#shell.once('close', resolve));
    process.kill(-pid, 'SIGTERM');
    const kill = setTimeout(() => process.kill(-pid, 'SIGKILL'), 5000);
    await gone;
    clearTimeout(kill);
  }

  async #wait(isDone: () => boolean, limitMs: number, code: string, from: number): Promise<void> {
    const deadlineMs = performance.now() + limitMs;
    while (!isDone()) {
      if (this.#shell.exitCode !== null || performance.now() > deadlineMs) {
        const said = this.#output.slice(from).slice(-3000);
        throw new Error(`no end of it after ${limitMs / 1000} s:\n${code}\n--\n${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, checkMs));
    }
  }
}
