// Runs a command of conformance inside a test: options by their names, output kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Report } from '../../../../conformance/reports/report.ts';
import type { CommandIo } from '../../io.ts';
import { exitCodeOf } from '../../program.ts';
import { defineExplore } from '../explore.ts';
import { defineRun } from '../run.ts';

const TOKEN = 'tok_under_test_0123456789';

export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface JudgeRun extends CommandRun {
  /** The JSON report of standard output, if `json` is given and the options are valid. */
  readonly report: Report;
}

/** Options by their names in code: `{ baseUrl: 'http://…', only: ['ACC-1'], json: true }`. */
export type Given = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export async function runJudge(
  given: Given,
  over: Partial<CommandIo> = {},
  stop?: AbortSignal,
): Promise<JudgeRun> {
  const ran = await runCommand(defineRun, given, { ...over, ...(stop ? { stop } : {}) });
  const isReport = given.json === true && ran.out !== '';
  const report = (isReport ? JSON.parse(ran.out) : undefined) as Report;
  return { ...ran, report };
}

export function runExplore(given: Given, over: Partial<CommandIo> = {}): Promise<CommandRun> {
  return runCommand(defineExplore, given, over);
}

/** Keeps nothing of what a command prints. */
export const testIo = (over: Partial<CommandIo>): CommandIo => ({
  env: { TOKEN },
  cwd: process.cwd(),
  version: '0.0.0',
  stdin: (async function* () {})(),
  out: () => {},
  err: () => {},
  isTerminal: false,
  color: false,
  columns: 100,
  nowMs: () => Date.now(),
  finish: () => {},
  ...over,
});

/** `words` follow the options unchanged. Invalid options give the exit code and words of a program. */
export async function runCommand(
  define: (command: Command, io: CommandIo) => void,
  given: Given,
  over: Partial<CommandIo> = {},
  words: readonly string[] = [],
): Promise<CommandRun> {
  const ran = { code: 0, out: '', err: '' };
  const command = new Command('conformance').exitOverride();
  command.configureOutput({ writeErr: (text) => (ran.err += text) });
  const io = testIo({
    out: (text) => {
      ran.out += text;
    },
    err: (text) => {
      ran.err += text;
    },
    finish: (code) => {
      ran.code = code;
    },
    ...over,
  });
  define(command, io);
  try {
    await command.parseAsync([...argumentsOf(given), ...words], { from: 'user' });
  } catch (error) {
    ran.code = exitCodeOf(error, (text) => (ran.err += text));
  }
  return ran;
}

function argumentsOf(given: Given): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [option];
    return [value].flat().map((each) => `${option}=${each}`);
  });
}

/** A server on a free port of this machine, for as long as `play` takes. */
export async function withServer<T>(
  listener: RequestListener,
  play: (url: string, server: Server) => Promise<T>,
): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    return await play(`http://127.0.0.1:${port}`, server);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A folder for a test's files, removed afterwards. */
export async function withFolder<T>(play: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'judge-'));
  try {
    return await play(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
