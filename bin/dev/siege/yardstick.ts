// A bare node:http that is asked while the siege goes on: how fast this machine answers right now.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { root } from '../root.ts';

/** Between one question and the next: often enough for a middle, too seldom to be a load. */
const everyMs = 25;

export class Yardstick {
  readonly #child: ChildProcess;
  readonly #pool: Pool;
  #tookMs: number[] = [];
  #stopping = false;
  #running: Promise<void> = Promise.resolve();

  static async start(): Promise<Yardstick> {
    const child = spawn(process.execPath, ['bin/dev/bench/servers/node-http.js'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.on('exit', () => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const { port } = JSON.parse(line) as { readonly port: number };
      return new Yardstick(child, port);
    }
    throw new Error('the yardstick ended before it served');
  }

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  }

  /** Asks again and again until it is stopped. */
  start(): void {
    this.#stopping = false;
    this.#tookMs = [];
    this.#running = this.#goOn();
  }

  /** Answers the middle of the answers' times since the start. */
  async stop(): Promise<number> {
    this.#stopping = true;
    await this.#running;
    const sorted = this.#tookMs.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
    this.#child.kill('SIGKILL');
  }

  async #goOn(): Promise<void> {
    while (!this.#stopping) {
      const beganMs = performance.now();
      const answer = await this.#pool.request({
        method: 'POST',
        path: '/',
        body: '{"name":"Ada"}',
      });
      await answer.body.dump();
      this.#tookMs.push(performance.now() - beganMs);
      await pause(everyMs);
    }
  }
}
