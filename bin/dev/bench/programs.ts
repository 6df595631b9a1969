// The programs under measurement: child processes on a core of their own, killed with the bench.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { root } from '../root.ts';

export interface Program {
  readonly port: number;
  /** Of the credential `brand-a`; `none` for a program without credentials. */
  readonly token: string;
  readonly controlUrl: string;
  residentBytes(): number;
  stop(): Promise<void>;
}

interface Ready {
  readonly port?: number;
  readonly base_url?: string;
  readonly control_url?: string;
  readonly credentials?: readonly { readonly name: string; readonly token: string }[];
}

/** Arguments of the bare server that ratios refer to. */
export const nodeHttp = ['bin/dev/bench/node-http.js'];
const unlimited = 100_000_000;

const canPin =
  availableParallelism() >= 2 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** Servers run on the first core, the load, which is this process, on the second. */
export function pinSelf(): void {
  if (canPin) execFileSync('taskset', ['-a', '-cp', '1', String(process.pid)], { stdio: 'ignore' });
}

export function onServerCore(command: readonly string[]): string[] {
  return canPin ? ['taskset', '-c', '0', ...command] : [...command];
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts `node ARGS…` and waits for the JSON line that says where it listens. */
export async function startProgram(args: readonly string[]): Promise<Program> {
  const [program = '', ...rest] = onServerCore([process.execPath, ...args]);
  const child = spawn(program, rest, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  child.stdout.resume();
  const ready = JSON.parse(line) as Ready;
  const brand = ready.credentials?.find(({ name }) => name === 'brand-a');
  return {
    port: ready.port ?? Number(new URL(ready.base_url ?? '').port),
    token: brand?.token ?? 'none',
    controlUrl: ready.control_url ?? '',
    residentBytes: () => {
      const args = ['-o', 'rss=', '-p', String(child.pid)];
      return Number(execFileSync('ps', args, { encoding: 'utf8' })) * 1024;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      children.delete(child);
    },
  };
}

/** A sandbox with a token that no rate limit stops. */
export class BenchSandbox implements Program {
  readonly port: number;
  readonly controlUrl: string;
  readonly residentBytes: () => number;
  readonly stop: () => Promise<void>;
  token = '';
  #made = 0;

  static async start(): Promise<BenchSandbox> {
    const args = ['bin/sandbox.js', 'start', '--port', '0', '--json', '--quiet', '--plan', 'pro'];
    const sandbox = new BenchSandbox(await startProgram(['--max-old-space-size=8192', ...args]));
    await sandbox.control('PATCH', 'firms/1', { rate_per_second: unlimited });
    const made = await sandbox.control('POST', 'credentials', {
      firm_id: '1',
      brand_id: '10',
      scopes: ['accounts:write', 'webhooks:manage'],
      rate_per_second: unlimited,
    });
    sandbox.token = (made as { token: string }).token;
    return sandbox;
  }

  private constructor(program: Program) {
    this.port = program.port;
    this.controlUrl = program.controlUrl;
    this.residentBytes = program.residentBytes;
    this.stop = program.stop;
  }

  control(method: string, path: string, body: unknown): Promise<unknown> {
    return send(method, `${this.controlUrl}/${path}`, body, {});
  }

  async post(path: string, body: unknown): Promise<void> {
    this.#made += 1;
    await send('POST', `http://127.0.0.1:${this.port}/api/v1/${path}`, body, {
      authorization: `Bearer ${this.token}`,
      'idempotency-key': `bench-${this.#made}`,
    });
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

async function send(method: string, url: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}
