// The programs under measurement, on a separate core.
import { execFileSync, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Program } from '../program.ts';

const canPin =
  availableParallelism() >= 2 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** Servers run on the first core; the load generator, which is this process, on the second. */
export function pinSelf(): void {
  if (canPin) execFileSync('taskset', ['-a', '-cp', '1', String(process.pid)], { stdio: 'ignore' });
}

/** The command that runs `node ARGS…` on the core of the servers. */
export function nodeCommand(...args: readonly string[]): [string, ...string[]] {
  return canPin ? ['taskset', '-c', '0', process.execPath, ...args] : [process.execPath, ...args];
}

export const startBare = () => Program.start(nodeCommand('bin/dev/bench/node-http.js'));

export const startSandbox = () =>
  Program.start(nodeCommand('bin/sandbox.js', 'start', '--port', '0', '--json'));

export function residentBytes({ child }: Program): number {
  const args = ['-o', 'rss=', '-p', String(child.pid)];
  return Number(execFileSync('ps', args, { encoding: 'utf8' })) * 1024;
}

/** A sandbox with a token without a rate limit. */
export class FastSandbox {
  readonly program: Program;
  readonly token: string;
  #made = 0;

  static async start(): Promise<FastSandbox> {
    const start = ['bin/sandbox.js', 'start', '--port', '0', '--json', '--quiet', '--plan', 'pro'];
    const program = await Program.start(nodeCommand('--max-old-space-size=8192', ...start));
    return new FastSandbox(program, await program.makeToken());
  }

  private constructor(program: Program, token: string) {
    this.program = program;
    this.token = token;
  }

  async post(path: string, body: unknown): Promise<void> {
    this.#made += 1;
    const response = await fetch(`${this.program.ready.base_url}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        'idempotency-key': `bench-${this.#made}`,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
  }

  async createAccounts(count: number): Promise<void> {
    const most = 1000;
    for (let from = 0; from < count; from += most) {
      const accounts = Array.from({ length: Math.min(most, count - from) }, (_, row) => {
        const reference = `bulk-${this.#made}-${row}`;
        return { client_reference_id: reference, email: `${reference}@example.com` };
      });
      await this.post('accounts/bulk', { accounts });
    }
  }
}
