// What Windows needs for a command to run as it does in its terminal: `npm` is npm.cmd there, which
// only cmd.exe can run, and no signal ends a program with all that it has started.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';

/** What these decisions rest on; tests bring another one. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  isFile(path: string): boolean;
  run(file: string, args: readonly string[]): void;
}

const thisMachine: Machine = {
  platform: process.platform,
  env: process.env,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  run: (file, args) => {
    spawnSync(file, args, { stdio: 'ignore', windowsHide: true });
  },
};

/** What is given to `spawn` for a command. */
export interface Spawned {
  readonly file: string;
  readonly args: readonly string[];
  /** The words are quoted already, as cmd.exe wants them. */
  readonly windowsVerbatimArguments: boolean;
}

/** How a command is started that was typed in `folder`. */
export function spawnedAs(
  [name = '', ...words]: readonly string[],
  folder: string,
  machine: Machine = thisMachine,
): Spawned {
  const asIs = { file: name, args: words, windowsVerbatimArguments: false };
  if (machine.platform !== 'win32') return asIs;
  const found = findProgram(name, folder, machine);
  // What is not there is for `spawn` to tell.
  if (found === undefined) return asIs;
  if (/\.(?:exe|com)$/i.test(found)) return { ...asIs, file: found };
  // The place of the batch file itself is read once.
  const line = [`"${found}"`, ...words.map(quoteForBatch)].join(' ');
  const shell = variable(machine, 'comspec') ?? 'cmd.exe';
  return { file: shell, args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** Ends a program and what it has started, or a group of processes where there are such. */
export function endFamily(
  pid: number,
  signal: NodeJS.Signals,
  machine: Machine = thisMachine,
): void {
  if (machine.platform === 'win32') {
    machine.run('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** As cmd.exe looks for it: in the folder, then along the path, with each ending in turn. */
function findProgram(name: string, folder: string, machine: Machine): string | undefined {
  const path = variable(machine, 'path')?.split(';') ?? [];
  const isPlace = /[\\/]/.test(name);
  const folders = isPlace ? [folder] : [folder, ...path.filter((each) => each !== '')];
  const known = (variable(machine, 'pathext') ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const endings = win32.extname(name) === '' ? known : ['', ...known];
  return folders
    .flatMap((each) => endings.map((ending) => win32.resolve(folder, each, `${name}${ending}`)))
    .find((file) => machine.isFile(file));
}

/** Windows takes the names of variables in any case. */
function variable({ env }: Machine, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toLowerCase() === name)?.[1];
}

/**
 * One word of a command line for cmd.exe that starts a batch file. The file hands its words on by
 * `%*`, which reads them once more: each sign that has a meaning is marked for both readings.
 */
function quoteForBatch(word: string): string {
  if (/^[\w+./:=@\\-]+$/.test(word)) return word;
  // Backslashes before a quote, or before the end, are read in pairs.
  const inner = word.replaceAll(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\+)$/, '$1$1');
  const quoted = `"${inner}"`;
  const mark = (text: string) => text.replaceAll(/[ !"%&()<>^|]/g, '^$&');
  return mark(mark(quoted));
}
