// Runs `conformance run` inside a test: options as commander hands them over, output kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../../../conformance/reports/report.ts';
import type { JudgeIo } from '../io.ts';
import { judgeTarget } from '../judge-target.ts';
import { readRunOptions } from '../run-options.ts';

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
  let out = '';
  let err = '';
  const io: JudgeIo = {
    env: { TOKEN },
    cwd: process.cwd(),
    version: '0.0.0',
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal: false,
    color: false,
    columns: 100,
    nowMs: () => Date.now(),
    ...over,
  };
  const code = await judgeTarget(readRunOptions(given, io.env), io, signal);
  const report = (given.json ? JSON.parse(out) : undefined) as Report;
  return { code, out, err, report };
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
