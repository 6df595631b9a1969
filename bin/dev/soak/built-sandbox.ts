// The built sandbox in a process of its own, with a gauge of what that process holds.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { conformingBehaviour } from '../../../simulator/core/policies/conforming.ts';
import { loadWorld } from '../../../simulator/core/state/snapshot.ts';
import type { World } from '../../../simulator/core/world.ts';
import { root } from '../root.ts';

interface Ready {
  readonly base_url: string;
  readonly control_url: string;
  readonly credentials: readonly {
    readonly name: string;
    readonly client_id: string;
    readonly token: string;
  }[];
}

/** What the process holds after a garbage collection. */
export interface Gauge {
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Timers, servers, sockets, requests and open files. */
  readonly handles: number;
}

/** Preloaded into the process: answers each message, and keeps nothing alive. */
const gauge = `data:text/javascript,${encodeURIComponent(`
process.on('message', () => {
  gc(); gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  process.send({ heapBytes: heapUsed + external, residentBytes: rss, handles });
});
process.channel.unref();`)}`;

const behaviour = conformingBehaviour(defaultSettings);
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** The control plane has refused something. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, words: string) {
    super(`${status} ${words}`);
    this.status = status;
  }
}

export class BuiltSandbox {
  readonly ready: Ready;
  readonly #child: ChildProcess;
  #stderr = '';

  /** Starts `sandbox start` with these options and waits until it serves. */
  static async start(...options: readonly string[]): Promise<BuiltSandbox> {
    const args = ['bin/sandbox.js', 'start', '--port', '0', '--json', '--quiet', '--plan', 'pro'];
    const child = spawn(process.execPath, ['--expose-gc', '--import', gauge, ...args, ...options], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children.add(child);
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    for await (const line of lines) return new BuiltSandbox(child, JSON.parse(line) as Ready);
    throw new Error('the sandbox ended before it served');
  }

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child;
    this.ready = ready;
    child.stdout?.resume();
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk).slice(-20_000);
    });
    child.once('exit', () => children.delete(child));
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get stderr(): string {
    return this.#stderr;
  }

  tokenOf(name: string): string {
    return this.ready.credentials.find((each) => each.name === name)?.token ?? '';
  }

  async gauge(): Promise<Gauge> {
    if (!this.isAlive) throw new Error(`the sandbox has ended: ${this.#stderr}`);
    this.#child.send('gauge');
    const [measured] = (await once(this.#child, 'message')) as [Gauge];
    const files = `/proc/${this.#child.pid}/fd`;
    const open = existsSync(files) ? readdirSync(files).length : 0;
    return { ...measured, handles: measured.handles + open };
  }

  /** One request to the control plane; throws if it is refused. */
  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.ready.control_url}/${path}`, {
      method,
      // A connection that is kept open would count as a handle.
      headers: { 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status, `${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async world(path = 'state'): Promise<World> {
    return loadWorld(await this.control('GET', path), behaviour);
  }

  /** Lifts the limits of the firms and of these credentials, in the world at `prefix`. */
  async liftLimits(prefix: string, isLifted: (name: string) => boolean): Promise<void> {
    const unlimited = { rate_per_second: 1_000_000 };
    for (const firm of ['1', '2']) await this.control('PATCH', `${prefix}firms/${firm}`, unlimited);
    const listed = await this.control('GET', `${prefix}credentials`);
    for (const { client_id: id, name } of (listed as Ready).credentials) {
      if (isLifted(name)) await this.control('PATCH', `${prefix}credentials/${id}`, unlimited);
    }
  }

  /** Answers its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.isAlive) {
      const ended = once(this.#child, 'exit');
      this.#child.kill(signal);
      await ended;
    }
    return this.#child.exitCode;
  }
}
