// A sandbox and a browser for tests: started for a suite, and closed after it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';

const root = join(import.meta.dirname, '../..');

/** The timeout of any step, long enough for a busy machine. */
const patienceMs = 15_000;
const quietMs = 150;

/** The path of Chromium, or null if it is not installed. */
export function findChromium(): string | null {
  const path = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return existsSync(path) ? path : null;
}

/** Disables background requests: a browser under test must not contact other servers. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--in-process-gpu',
  '--renderer-process-limit=1',
  // Hostile pages come from these names.
  '--host-resolver-rules=MAP *.evil.example 127.0.0.1',
];

let shared: Promise<Browser> | null = null;
let closing: NodeJS.Timeout | undefined;
/** The next suite of the same process starts within this time. */
const closesAfterMs = 1_000;

/** The browser of this process, shared because starting one takes longer than most tests. */
export function launch(executablePath: string): Promise<Browser> {
  clearTimeout(closing);
  shared ??= chromium.launch({ executablePath, args: flags });
  return shared;
}

/** Closes all pages, and the browser if no other suite uses it. */
export async function release(browser: Browser | undefined): Promise<void> {
  for (const context of browser?.contexts() ?? []) await context.close();
  closing = setTimeout(() => {
    shared = null;
    void browser?.close();
  }, closesAfterMs);
}

/** A sandbox, and the browser of this process. */
export interface Bench {
  browser: Browser;
  served: Served;
}

type Hook = (run: () => Promise<void>) => void;

/**
 * Starts a sandbox and the browser before the tests of a suite, and stops them afterwards. Skips the
 * suite if Chromium is not installed; returns null then.
 */
export function startBench(tests: {
  before: Hook;
  after: Hook;
  skip: (name: string) => void;
}): Bench | null {
  const executable = findChromium();
  if (executable === null) {
    tests.skip('Chromium is not installed');
    return null;
  }
  const bench = {} as Bench;
  tests.before(async () => {
    bench.served = await startSandbox();
    bench.browser = await launch(executable);
  });
  tests.after(async () => {
    await release(bench.browser);
    await bench.served?.stop();
  });
  return bench;
}

export interface Credential {
  readonly name: string;
  readonly token: string;
}

// biome-ignore lint/suspicious/noExplicitAny: responses of any operation and row.
type Answer = any;

export interface Served {
  readonly base: string;
  readonly port: number;
  readonly credentials: readonly Credential[];
  readonly stop: () => Promise<void>;
  /** Calls the control plane; any response is accepted. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Calls the API as the firm. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

export { depositOf, personOf } from '../../fixtures/testing/bodies.ts';

/** The built program, on a free port. */
export async function startSandbox(...more: readonly string[]): Promise<Served> {
  const args = ['start', '--port', '0', '--json', '--clock', 'frozen', '--plan', 'pro', ...more];
  const child = spawn(process.execPath, [join(root, 'bin/sandbox.js'), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = await firstLine(child);
  const { base_url, credentials } = JSON.parse(ready) as {
    base_url: string;
    credentials: Credential[];
  };
  const token = credentials[0]?.token ?? '';
  let keys = 0;
  return {
    base: base_url,
    port: Number(new URL(base_url).port),
    credentials,
    stop: () => stop(child),
    ask: (method, path, body) => send(`${base_url}/_sandbox/${path}`, method, {}, body),
    call: (method, path, body) => {
      keys += 1;
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `key-${keys}` };
      return send(`${base_url}/api/v1/${path}`, method, headers, body);
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the sandbox has no output');
  // Keep reading, or the sandbox would block on its output.
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (exitCode) => reject(new Error(`the sandbox ended with ${exitCode}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === '' ? null : JSON.parse(text);
}

export interface DashboardPage {
  readonly page: Page;
  /** Resolves when the page has no open request and has sent none for a while. */
  readonly settled: () => Promise<void>;
  /** Problems that the page reported: errors, and violations of the content policy. */
  readonly complaints: string[];
}

export async function openPage(browser: Browser, url: string): Promise<DashboardPage> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (said) => {
    // The page itself reports a lost server.
    if (said.type() === 'error' && !said.text().includes('Failed to load resource')) {
      complaints.push(said.text());
    }
  });
  page.setDefaultTimeout(patienceMs);
  const settled = watchCalls(page);
  await page.goto(url);
  return { page, settled, complaints };
}

/** Detects when the page waits for no response; the stream, which never ends, does not count. */
function watchCalls(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let changedMs = performance.now();
  const note = (request: Request, isOpen: boolean) => {
    if (new URL(request.url()).pathname.endsWith('/stream')) return;
    if (isOpen) open.add(request);
    else open.delete(request);
    changedMs = performance.now();
  };
  page.on('request', (request) => note(request, true));
  page.on('requestfinished', (request) => note(request, false));
  page.on('requestfailed', (request) => note(request, false));
  return async () => {
    const startedMs = performance.now();
    changedMs = startedMs;
    while (open.size > 0 || performance.now() - changedMs < quietMs) {
      if (performance.now() - startedMs > patienceMs) throw new Error('the page never rests');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
}

/** Reads until the value is as expected, because a page renders asynchronously. */
export async function eventually<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  let found = await read();
  while (found !== wanted && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    found = await read();
  }
  if (found !== wanted) throw new Error(`expected ${wanted}, and it stayed ${found}`);
}
