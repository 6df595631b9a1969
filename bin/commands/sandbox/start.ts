// `sandbox start`: reads the options, composes world, host and transport, and serves.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { type Composition, compose, KeptFileError } from '../../../simulator/compose/compose.ts';
import { OptionsError } from '../../../simulator/compose/options.ts';
import { FileProblem, unwritableWords } from '../../../simulator/host/storage/private-file.ts';
import type { Sandbox } from '../../../simulator/host/world/sandbox.ts';
import type { ControlPlane } from '../../../simulator/transports/control.ts';
import { endSignals } from '../end-signals.ts';
import { addHelp } from '../help-text.ts';
import { UsageError } from '../io.ts';
import { warn } from '../terminal.ts';
import { bannerLines } from './banner.ts';
import { logDeliveries } from './log/delivery-log.ts';
import { batchLines, logRequests, type Paint } from './log/request-log.ts';
import { type ReadyEvent, readyEvent, writeReadyFile } from './ready.ts';
import { addStartOptions, linesOf, readStartOptions, type StartOptions } from './start-options.ts';

// Contract: the meaning of each exit code.
const exits = { clean: 0, internal: 1, usage: 2, portInUse: 3, stateFile: 4 } as const;

export function defineStart(command: Command): void {
  addHelp(command, {
    examples: [
      'npx sandbox start --open',
      'npx sandbox start --clock frozen --plan pro --state world.json',
      'npx sandbox start --forward-to http://localhost:3000/hooks',
    ],
    exits: [
      '0 clean',
      '1 internal, or the last save failed',
      '2 usage or config',
      '3 port in use',
      '4 state file not usable',
    ],
  });
  addStartOptions(command).action(async () => start(await readStartOptions(command)));
}

/** A sandbox that is being served. */
export interface Served {
  readonly sandbox: Sandbox;
  readonly plane: ControlPlane;
  readonly ready: ReadyEvent;
  /** Finishes requests in flight, saves, and closes everything. */
  readonly close: () => Promise<void>;
}

async function start(options: StartOptions): Promise<void> {
  const { sandbox, ready, close } = await serveSandbox(options);
  // Before the ready message: a reader of that message may stop the program immediately.
  endOnSignal(async () => {
    await close();
    return sandbox.first.stateTrouble === null ? exits.clean : exits.internal;
  });
  announce(options, ready, notesOn(sandbox));
  if (options.open) openInBrowser(ready.dashboard_url);
  if (!options.quiet) {
    const paint = options.json ? undefined : await statusPaint();
    const log = { json: options.json === true, paint, print: batchLines(print) };
    logRequests(sandbox, log);
    logDeliveries(sandbox, log);
  }
}

/**
 * Everything except the output for users; exits with a contract code if it cannot be done.
 */
export async function serveSandbox(options: StartOptions): Promise<Served> {
  const composition = await compose(options.sandbox, {
    dashboard: options.ui ? dashboardFolder() : undefined,
    warn,
  }).catch(refuseOptions);
  const { sandbox, receiver, close } = composition;
  const baseUrl = await composition.listen(options.listen).catch(async (error) => {
    await composition.abandon();
    return refuseAddress(options, error);
  });
  const ready = readyEvent(sandbox, baseUrl, receiver);
  if (options.readyFile !== undefined) {
    await placeReadyFile(options.readyFile, ready, composition);
  }
  return { sandbox, plane: composition.plane, ready, close };
}

function refuseOptions(error: Error): never {
  if (error instanceof OptionsError) throw new UsageError(linesOf(error.problems).join('\n'));
  if (!(error instanceof KeptFileError)) throw error;
  const { option, message } = error;
  const code = option === 'state' ? exits.stateFile : exits.usage;
  throw new UsageError(`--${option} ${message}`, code);
}

/** Colours by status on a terminal; undefined otherwise. */
async function statusPaint(): Promise<Paint | undefined> {
  if (!process.stdout.isTTY) return undefined;
  const { default: chalk } = await import('chalk');
  return (text, status) => {
    if (status === null) return chalk.magenta(text);
    if (status < 400) return chalk.green(text);
    return status < 500 ? chalk.yellow(text) : chalk.red(text);
  };
}

/** The deviations of this sandbox from the conforming service. */
function notesOn({ options }: Sandbox): string[] {
  const local =
    'webhook URLs may be http:// and local here, which the platform refuses (HOOK-7, HOOK-8)';
  const deviations = (options.deviations ?? []).map(
    ({ id, story, breaks }) => `deviates on purpose: ${id} (breaks ${breaks.join(', ')}). ${story}`,
  );
  return [...(options.allowLocalWebhooks ? [local] : []), ...deviations];
}

/** Printed on standard error, because standard output belongs to others. */
export function printConfigNote({ configNote }: Pick<StartOptions, 'configNote'>): void {
  if (configNote !== null) warn(`${configNote}.`);
}

function announce(options: StartOptions, ready: ReadyEvent, notes: readonly string[]): void {
  const { configNote } = options;
  const all = configNote === null ? notes : [`${configNote}.`, ...notes];
  const banner = () => bannerLines(ready, all).join('\n');
  if (options.json) printConfigNote(options);
  print(`${options.json ? jsonText(ready) : banner()}\n`);
}

/** Written before the ready message: its readers may look for the file. */
async function placeReadyFile(
  path: string,
  ready: ReadyEvent,
  composition: Composition,
): Promise<void> {
  try {
    await writeReadyFile(path, ready);
  } catch (error) {
    const failed = error as NodeJS.ErrnoException;
    const isUnfit = error instanceof FileProblem;
    if (failed.code === undefined && !isUnfit) throw error;
    await composition.abandon();
    const why = isUnfit ? failed.message : unwritableWords(failed);
    throw new UsageError(`--ready-file ${path}: ${why}`);
  }
}

/** Whether another sandbox answers at this address. */
async function isSandboxAt({ host, port }: StartOptions['listen']): Promise<boolean> {
  const name = host.includes(':') ? `[${host.replace(/[[\]]/g, '')}]` : host;
  const signal = AbortSignal.timeout(1000);
  const response = await fetch(`http://${name}:${port}/_sandbox/health`, { signal }).catch(
    () => null,
  );
  // A sandbox with a control token answers 401.
  const isLocked = response?.headers.get('www-authenticate')?.includes('realm="control"') === true;
  return isLocked || (await response?.text())?.includes('"ready"') === true;
}

async function refuseAddress(
  { listen }: StartOptions,
  error: NodeJS.ErrnoException,
): Promise<never> {
  const { host, port } = listen;
  const { code = '' } = error;
  if (code === 'EADDRINUSE') {
    const another = 'give another --port (0 picks a free one)';
    const [user, remedy] = (await isSandboxAt(listen))
      ? [' by another sandbox', `use that one (npx sandbox info --port ${port}), or ${another}`]
      : ['', `stop what runs there, or ${another}`];
    throw new UsageError(`port ${port} on ${host} is in use${user}: ${remedy}`, exits.portInUse);
  }
  if (code === 'EACCES') {
    throw new UsageError(`--port ${port} is not allowed for this user; take 1024 or above`);
  }
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) {
    throw new UsageError(`--host ${host}: this machine has no such address (${code})`);
  }
  throw error;
}

/** The first signal ends the program gracefully, a second one immediately. */
function endOnSignal(end: () => Promise<number>): void {
  let ending = false;
  const stop = () => {
    if (ending) process.exit(exits.internal);
    ending = true;
    void end().then((code) => process.exit(code));
  };
  for (const signal of endSignals) process.on(signal, stop);
}

function print(text: string): void {
  process.stdout.write(text);
}

/** The nearest folder above this code with a package.json. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the program does not lie in its package');
    folder = above;
  }
  return folder;
}

/** The folder of the built dashboard, if it exists. */
function dashboardFolder(): string | undefined {
  const folder = join(packageFolder(), 'dist', 'ui');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}

const browsers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // The empty argument is the title: `start` uses its first quoted argument for it.
  win32: ['cmd', '/c', 'start', ''],
};

/** If no browser can be opened, the URL is printed; the sandbox is served anyway. */
function openInBrowser(url: string): void {
  const [command, ...words] = browsers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true });
  child.on('error', ({ message }) => {
    warn(`no browser could be opened (${message}); go to ${url}`);
  });
  child.unref();
}
