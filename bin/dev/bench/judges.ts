// How long each judge takes over one that is right: a target, a receiver, a client; and how many
// requests a second the explorer compares.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, rightClients } from '../../../conformance/client/testing/sample-clients.ts';
import {
  correctSteps,
  startReceiver,
} from '../../../conformance/receiver/testing/sample-receivers.ts';
import { root } from '../root.ts';
import type { Figure } from './figures.ts';
import { startSandbox } from './sandbox.ts';

const explored = 2000;

interface Judged {
  readonly seconds: number;
  readonly isContent: boolean;
  readonly report: Readonly<Record<string, unknown>>;
}

export async function judges(log: (line: string) => void): Promise<Figure[]> {
  // One each: what a judge leaves behind is not the other's to begin with.
  const [sandbox, untouched] = [await startSandbox(), await startSandbox()];
  const folder = mkdtempSync(join(tmpdir(), 'judges-'));
  try {
    const at = ({ port }: { readonly port: number }) => ['--base-url', `http://127.0.0.1:${port}`];
    const api = await judge(['run', ...at(sandbox), '--json'], folder);
    log('judges: the judge of targets is through');
    const drawn = ['--requests', String(explored)];
    const explorer = await judge(['explore', ...at(untouched), ...drawn, '--json'], folder);
    log('judges: the explorer is through');
    const receiver = await judgeReceiver(folder);
    log('judges: the judge of receivers is through');
    const client = await judgeClient(folder);
    const { rules, requests } = api.report as { rules: unknown[]; requests: number };
    const compared = Number(explorer.report.requests);
    return [
      took(`conformance run: ${rules.length} rules, ${requests} requests`, api),
      took(`conformance receiver: ${countOf(receiver, 'rules', 'checks')} checks`, receiver),
      took(`conformance client: ${countOf(client, 'checks')} checks`, client),
      {
        name: `conformance explore: ${compared.toLocaleString('en')} requests`,
        value: `${Math.round(compared / explorer.seconds)} a second`,
        ...noteOf(explorer),
      },
    ];
  } finally {
    await Promise.all([sandbox.stop(), untouched.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function took(name: string, judged: Judged): Figure {
  return { name, value: `${judged.seconds.toFixed(1)} s`, ...noteOf(judged) };
}

function noteOf({ isContent }: Judged): { readonly note?: string } {
  return isContent ? {} : { note: 'found something to complain of: look into it' };
}

function countOf({ report }: Judged, ...names: readonly string[]): number {
  const found = names.map((name) => report[name]).find(Array.isArray);
  return found?.length ?? 0;
}

async function judgeReceiver(folder: string): Promise<Judged> {
  const { url, close } = await startReceiver({});
  try {
    const args = ['receiver', '--url', url, '--secret-env', 'BENCH_SECRET', '--json'];
    return await judge(args, folder, { BENCH_SECRET: correctSteps.secret });
  } finally {
    close();
  }
}

function judgeClient(folder: string): Promise<Judged> {
  const client = rightClients.find(({ program }) => program === 'node');
  if (client === undefined) throw new Error('there is a right client for Node');
  return judge(['client', '--json', '--', ...commandOf(client)], folder);
}

function judge(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Judged> {
  const startedAtMs = performance.now();
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1e9, timeout: 600_000 };
  const program = [join(root, 'bin/conformance.js'), ...args];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, program, options, (error, out, err) => {
      const seconds = (performance.now() - startedAtMs) / 1000;
      // What it holds against one that is right is for its own tests to say; 1 is such a verdict.
      if (error && error.code !== 1)
        reject(new Error(`conformance ${args.join(' ')}: ${error.code}\n${out}${err}`));
      else resolve({ seconds, isContent: error === null, report: JSON.parse(out) });
    });
  });
}
