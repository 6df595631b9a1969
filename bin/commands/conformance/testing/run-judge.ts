// Runs `conformance run` inside a test: options as commander hands them over, output kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../../../conformance/reports/report.ts';
import { type ExploreGiven, readExploreOptions } from '../explore-options.ts';
import { exploreTarget } from '../explore-target.ts';
import type { JudgeIo } from '../io.ts';
import { judgeTarget } from '../judge-target.ts';
import { readRunOptions } from '../options.ts';

const TOKEN = 'tok_under_test_0123456789';

export interface JudgeRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The JSON report of standard output, where `json` was asked for. */
  readonly report: Report;
}

export type Given = Parameters<typeof readRunOptions>[0];

export async function runJudge(
  given: Given,
  over: Partial<JudgeIo> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<JudgeRun> {
  const { io, said } = keptIo(over);
  const code = await judgeTarget(readRunOptions(given, io.env), io, signal);
  const report = (given.json ? JSON.parse(said.out) : undefined) as Report;
  return { code, ...said, report };
}

/** `conformance explore` in the same way. */
export async function runExplore(
  given: Partial<ExploreGiven>,
  over: Partial<JudgeIo> = {},
): Promise<Omit<JudgeRun, 'report'>> {
  const { io, said } = keptIo(over);
  const options = readExploreOptions(given, io.env);
  const code = await exploreTarget(options, io, new AbortController().signal);
  return { code, ...said };
}

function keptIo(over: Partial<JudgeIo>) {
  const said = { out: '', err: '' };
  const io: JudgeIo = {
    env: { TOKEN },
    cwd: process.cwd(),
    version: '0.0.0',
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    isTerminal: false,
    color: false,
    columns: 100,
    nowMs: () => Date.now(),
    ...over,
  };
  return { io, said };
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

/** A folder for a test's files, gone afterwards. */
export async function withFolder<T>(play: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'judge-'));
  try {
    return await play(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
