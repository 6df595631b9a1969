// A program under load or measurement: a child process that prints its address, and is killed with this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './root.ts';

interface Ready {
  readonly port?: number;
  readonly base_url: string;
  readonly control_url: string;
  /** Undefined for a bare server. */
  readonly credentials?: readonly { readonly name: string; readonly token: string }[];
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** The control plane has refused a request. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, words: string) {
    super(`${status} ${words}`);
    this.status = status;
  }
}

export class Program {
  readonly child: ChildProcess;
  readonly ready: Ready;
  stderr = '';

  /** Starts this command and waits for its JSON line; with `ipc` it can also receive messages. */
  static async start(command: readonly string[], ipc: 'ipc' | 'ignore' = 'ignore') {
    const [name = '', ...args] = command;
    const child = spawn(name, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe', ipc] });
    children.add(child);
    child.once('exit', () => children.delete(child));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    for await (const line of lines) return new Program(child, JSON.parse(line) as Ready);
    throw new Error(`${command.join(' ')} ended before it served`);
  }

  private constructor(child: ChildProcess, ready: Ready) {
    this.child = child;
    this.ready = ready;
    child.stdout?.resume();
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk).slice(-20_000);
    });
  }

  get port(): number {
    return this.ready.port ?? Number(new URL(this.ready.base_url).port);
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  tokenOf(name: string): string {
    return this.ready.credentials?.find((each) => each.name === name)?.token ?? '';
  }

  /** One request to the control plane; throws if it is refused. */
  async control<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.ready.control_url}/${path}`, {
      method,
      // A kept-alive connection would count as a handle.
      headers: { 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status, `${method} ${path}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /** The token of a new credential without a rate limit. */
  async makeToken(): Promise<string> {
    const unlimited = { rate_per_second: 100_000_000 };
    await this.control('PATCH', 'firms/1', unlimited);
    const scopes = ['accounts:write', 'webhooks:manage'];
    const bound = { firm_id: '1', brand_id: '10', scopes };
    const credential = await this.control<{ token: string }>('POST', 'credentials', {
      ...bound,
      ...unlimited,
    });
    return credential.token;
  }

  /** Resolves to its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.isAlive) {
      const ended = once(this.child, 'exit');
      this.child.kill(signal);
      await ended;
    }
    return this.child.exitCode;
  }
}
