// A sandbox under siege: the built program in a process of its own, with a gauge inside it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { root } from '../root.ts';

export interface Ready {
  readonly base_url: string;
  readonly control_url: string;
  readonly credentials: readonly { readonly name: string; readonly token: string }[];
}

/** What the program holds at one moment, after its garbage was collected. */
export interface Gauge {
  /** In use on the heap and beside it. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Open files and sockets; null where the system does not say. */
  readonly files: number | null;
  /** Timers, servers, sockets and requests that keep the program alive, by their kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Preloaded into the program: answers when it is asked, and keeps nothing alive. */
const gauge =
  'data:text/javascript,' +
  encodeURIComponent(
    "process.on('message',()=>{gc();gc();const{heapUsed,external,rss}=process.memoryUsage();" +
      'const resources={};for(const each of process.getActiveResourcesInfo())' +
      'resources[each]=(resources[each]??0)+1;' +
      'process.send({heapBytes:heapUsed+external,residentBytes:rss,resources})});' +
      'process.channel.unref()',
  );

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export class Besieged {
  readonly ready: Ready;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #said = '';
  #endedWith: number | null | undefined;

  /** Starts `sandbox start` with these options, and waits until it serves. */
  static async start(options: readonly string[]): Promise<Besieged> {
    const args = ['bin/sandbox.js', 'start', '--port', '0', '--json', '--quiet', ...options];
    const child = spawn(process.execPath, ['--expose-gc', '--import', gauge, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children.add(child);
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    for await (const line of lines) return new Besieged(child, JSON.parse(line) as Ready);
    throw new Error(`it ended before it served: ${said}`);
  }

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child;
    this.ready = ready;
    child.stdout?.resume();
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk).slice(-20_000);
    });
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code) => {
        children.delete(child);
        this.#endedWith = code;
        resolve(code);
      });
    });
  }

  get port(): number {
    return Number(new URL(this.ready.base_url).port);
  }

  get isAlive(): boolean {
    return this.#endedWith === undefined;
  }

  /** What it has said on its standard error, the last of it. */
  get said(): string {
    return this.#said;
  }

  tokenOf(name: string): string {
    const found = this.ready.credentials.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no credential ${name}`);
    return found.token;
  }

  async gauge(): Promise<Gauge> {
    if (!this.isAlive) throw new Error(`the sandbox has ended: ${this.#said}`);
    const told = new Promise<Omit<Gauge, 'files'>>((resolve, reject) => {
      this.#child.once('message', (message) => resolve(message as Omit<Gauge, 'files'>));
      void this.#ended.then(() => reject(new Error(`the sandbox has ended: ${this.#said}`)));
    });
    this.#child.send('gauge');
    return { ...(await told), files: filesOf(this.#child.pid as number) };
  }

  /** One request to the control plane. Throws when it is refused. */
  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.ready.control_url}/${path}`, {
      method,
      // A connection that is kept would count among those that are left.
      headers: { 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status, `${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Answers its exit code. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#ended;
  }
}

/** The control plane has refused something. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, words: string) {
    super(`${status} ${words}`);
    this.status = status;
  }
}

function filesOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
