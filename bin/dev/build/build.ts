// The build as one function: readers first, then bundles, declarations and dashboard side by side.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root, sourceFiles } from '../root.ts';
import { compiler } from '../tools.ts';
import { bundle } from './bundle.ts';
import { buildDashboard } from './dashboard.ts';
import { keepOldForMs, publish, sweep } from './publish.ts';
import { writeReaders } from './readers.ts';

export interface BuildOptions {
  /** Does nothing when dist/ was built from the sources as they are now. */
  readonly onlyIfStale?: boolean;
  /** Leaves nothing of earlier builds, even where a program may still run from one. */
  readonly clean?: boolean;
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
export async function build({
  onlyIfStale = false,
  clean = false,
  log,
}: BuildOptions): Promise<boolean> {
  const sources = fingerprint();
  if (onlyIfStale && readMark() === sources) return true;
  const startedAtMs = performance.now();
  const out = join(dist, `.build-${process.pid}`);
  sweep(dist);
  mkdirSync(out, { recursive: true });
  try {
    const done = await runParts(out, log);
    if (done) {
      publish(out, dist, clean ? 0 : keepOldForMs);
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

const doors = ['simulator/index.ts', 'simulator/msw.ts', 'simulator/webhooks.ts'];

/** Writes `types/` under `out`; what is wrong with the types is for `npm test` to say. */
async function writeDeclarations(out: string): Promise<string> {
  const present = doors.filter((door) => existsSync(join(root, door)));
  if (present.length === 0) return 'no public door yet';
  const project = join(out, '.tsconfig.types.json');
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: root,
      outDir: join(out, 'types'),
    },
    include: [],
    files: present.map((door) => join(root, door)),
  };
  writeFileSync(project, JSON.stringify(settings));
  try {
    await promisify(execFile)(process.execPath, [compiler, '-p', project], { cwd: root });
  } catch (error) {
    const { stdout = '', message } = error as Error & { stdout?: string };
    throw new Error(stdout || message);
  } finally {
    rmSync(project);
  }
  const types = join(out, 'types');
  keepReachable(
    types,
    present.map((door) => join(types, door.replace(/\.ts$/, '.d.ts'))),
  );
  return present.map((door) => door.replace(/\.ts$/, '.d.ts')).join(' ');
}

/** Removes the declarations that no public door leads to. */
function keepReachable(folder: string, doors: readonly string[]): void {
  const reached = new Set<string>();
  const queue = [...doors];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      queue.push(join(dirname(file), specifier.replace(/\.(?:ts|js)$/, '.d.ts')));
    }
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(path)) rmSync(path);
  }
}

const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];

/** Changes whenever a source or a setting changes; tests are not part of what is built. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const path of [...settings, ...sourceFiles()]) {
    if (/\.test\.tsx?$/.test(path)) continue;
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}
