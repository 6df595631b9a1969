// The build as one function: readers first, then bundles, declarations and dashboard side by side.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { bundle } from './bundle.ts';
import { buildDashboard } from './dashboard.ts';
import { writeDeclarations } from './declarations.ts';
import { fingerprint } from './fingerprint.ts';
import { publish, sweep } from './publish.ts';
import { writeReaders } from './readers.ts';

export interface BuildOptions {
  /** Does nothing when dist/ was built from the sources as they are now. */
  readonly onlyIfStale?: boolean;
  readonly log: (line: string) => void;
}

type Part = (out: string) => Promise<string>;

const dist = join(root, 'dist');
const markFile = join(dist, '.built-from');

/**
 * Builds into a folder of its own inside dist/ and moves the files over when all parts are done,
 * so neither a failed build nor two at once leave a running program without its files.
 * Answers false when a part failed; the reason has been logged and dist/ is as it was.
 */
export async function build({ onlyIfStale = false, log }: BuildOptions): Promise<boolean> {
  const sources = fingerprint();
  if (onlyIfStale && readMark() === sources) return true;
  const startedAtMs = performance.now();
  const out = join(dist, `.build-${process.pid}`);
  sweep(dist);
  mkdirSync(out, { recursive: true });
  try {
    const done = await runParts(out, log);
    if (done) {
      publish(out, dist);
      writeFileSync(markFile, sources);
      log(`build: done in ${seconds(startedAtMs)}`);
    }
    return done;
  } finally {
    sweep(dist, out);
  }
}

async function runParts(out: string, log: (line: string) => void): Promise<boolean> {
  const run = async (name: string, part: Part): Promise<boolean> => {
    const startedAtMs = performance.now();
    try {
      log(`build: ${name}: ${await part(out)} (${seconds(startedAtMs)})`);
      return true;
    } catch (error) {
      log(`build: ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  };
  // The bundles contain the readers, so these come first.
  if (!(await run('readers', writeReaders))) return false;
  const rest = [run('programs', bundle), run('types', writeDeclarations)];
  const results = await Promise.all([...rest, run('dashboard', buildDashboard)]);
  return results.every(Boolean);
}

function readMark(): string | undefined {
  try {
    return readFileSync(markFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
