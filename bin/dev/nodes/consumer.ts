// A project that has the packed package, and everything that it is tried with, installed beside it.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';

export interface Check {
  readonly what: string;
  /** Null when nothing is wrong. */
  readonly problem: string | null;
}

export interface Ran {
  readonly code: number;
  readonly said: string;
}

/** The folder's name of each Node, and what is asked of the registry. */
export const nodes = {
  'node-18': '18',
  'node-20': '20.19.0',
  'node-22': '22',
  'node-24': '24',
  'node-newest': 'latest',
} as const;

export const typescripts = { 'ts-5.4': '5.4', 'ts-5.9': '5.9', 'ts-6': '6', 'ts-7': '7' } as const;

const system = process.platform === 'win32' ? 'win' : process.platform;
// The packages of `node`, `bun` and `deno` bring their program by a script of the install, which
// many switch off; these are the packages that hold the program itself.
const nodePackage = `node-${system}-${process.arch}`;
const bunPackage = `@oven/bun-${system}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`;
const libc = system === 'linux' ? '-glibc' : '';
const denoPackage = `@deno/${process.platform}-${process.arch}${libc}`;

/** Runs a program to its end, at most ten minutes. */
export function run(file: string, args: readonly string[], cwd: string): Promise<Ran> {
  const options = { cwd, timeout: 600_000, maxBuffer: 1e8, env: { ...process.env, NO_COLOR: '1' } };
  return new Promise((resolve) => {
    execFile(file, args, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, said: `${out}${err}` });
    });
  });
}

export const nodeIn = (folder: string, name: string): string =>
  join(folder, 'node_modules', name, system === 'win' ? 'node.exe' : 'bin/node');

export async function makeConsumer(log: (line: string) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nodes-'));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const packed = await run(npm, ['pack', '--pack-destination', folder, '--silent'], root);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (packed.code !== 0 || archive === undefined) throw new Error(`npm pack: ${packed.said}`);
  const alias = (name: string) => (entry: readonly [string, string]) => {
    return [entry[0], `npm:${name}@${entry[1]}`] as const;
  };
  const dependencies = {
    'trading-platform-sandbox': `file:${archive}`,
    ...Object.fromEntries(Object.entries(nodes).map(alias(nodePackage))),
    ...Object.fromEntries(Object.entries(typescripts).map(alias('typescript'))),
    bun: `npm:${bunPackage}@latest`,
    deno: `npm:${denoPackage}@latest`,
    '@types/node': '20',
    msw: '2',
    jest: 'latest',
    publint: 'latest',
    '@arethetypeswrong/cli': 'latest',
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  log('nodes: packed; now installing Nodes, compilers and runtimes (1.3 GB, for the time)');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
  const installed = await run(npm, args, folder);
  if (installed.code !== 0) throw new Error(`npm install: ${installed.said}`);
  return folder;
}
