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
    const { said, exit } = this.#type(code);
    await this.#wait(() => exit() !== null, limitMs, code, said);
    return { output: said(), exit: exit() ?? -1 };
  }

  /** Types lines of which the last one keeps running, and waits until it says that it is ready. */
  async leaveRunning(code: string, until: string, limitMs: number): Promise<void> {
    const { said, exit } = this.#type(code);
    await this.#wait(() => said().includes(until) || exit() !== null, limitMs, code, said);
    if (!said().includes(until)) throw new Error(`it ended with ${exit()}:\n${said()}`);
  }

  /** What has been said since, and the exit code once the lines are done. */
  #type(code: string) {
    this.#pasted += 1;
    const mark = `pasted-${this.#pasted}-ended`;
    const from = this.#output.length;
    this.#shell.stdin?.write(`${code.trimEnd()}\nprintf '\\n${mark} %s\\n' $?\n`);
    const ended = new RegExp(`^${mark} (\\d+)$`, 'm');
    const said = () => this.#output.slice(from);
    const exit = () => {
      const found = ended.exec(said())?.[1];
      return found === undefined ? null : Number(found);
    };
    return { said, exit };
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

  async #wait(
    isDone: () => boolean,
    limitMs: number,
    code: string,
    said: () => string,
  ): Promise<void> {
    const deadlineMs = performance.now() + limitMs;
    while (!isDone()) {
      if (this.#shell.exitCode !== null || performance.now() > deadlineMs) {
        const end = said().slice(-3000);
        throw new Error(`no end of it after ${limitMs / 1000} s:\n${code}\n--\n${end}`);
      }
      await new Promise((resolve) => setTimeout(resolve, checkMs));
    }
  }
}
