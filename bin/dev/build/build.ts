// The build as one function: bundles, declarations and dashboard in parallel.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn, root, sourceFiles } from '../root.ts';
import { bundle } from './bundle.ts';
import { buildDashboard } from './dashboard.ts';
import { writeDeclarations } from './declarations.ts';

const dist = join(root, 'dist');
// The fingerprint of the sources of dist/, and the files of that build.
const markFile = join(dist, '.built');
// A program that was started from an earlier build may still load one of its chunks.
const keepOldForMs = 6 * 60 * 60 * 1000;

/**
 * Builds into a temporary folder and moves the files to dist/ when all parts are done, so that a
 * failed build changes nothing. With `onlyIfStale` it does nothing if no source has changed.
 */
export async function build({ onlyIfStale = false, clean = false }): Promise<boolean> {
  const sources = fingerprint();
  if (onlyIfStale && sourcesOfLastBuild() === sources) return true;
  const out = join(root, `node_modules/.cache/build-${process.pid}`);
  mkdirSync(out, { recursive: true });
  try {
    await Promise.all([
      timed('programs', bundle(out)),
      timed('types', writeDeclarations(out)),
      timed('dashboard', buildDashboard(out)),
    ]);
    const files = publish(out, clean ? 0 : keepOldForMs);
    writeFileSync(markFile, JSON.stringify({ sources, files }));
    return true;
  } catch (error) {
    console.error(error);
    return false;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function timed(name: string, part: Promise<unknown>): Promise<void> {
  const startedAtMs = performance.now();
  await part;
  console.log(`build: ${name} (${((performance.now() - startedAtMs) / 1000).toFixed(1)} s)`);
}

function sourcesOfLastBuild(): string | null {
  return existsSync(markFile) ? JSON.parse(readFileSync(markFile, 'utf8')).sources : null;
}

/** Changes with every source file and every setting of the build. */
function fingerprint(): string {
  const isBuilt = (path: string) =>
    !/\.test\.tsx?$|\/testing\/|^bin\/e2e\/|^bin\/dev\/(?!build)/.test(path);
  const hash = createHash('sha256');
  for (const path of ['package-lock.json', 'tsconfig.json', ...sourceFiles().filter(isBuilt)]) {
    hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

/** Moves the files of `out` to dist/, the imported ones first, and removes old files. */
function publish(out: string, keepForMs: number): string[] {
  const isImported = (path: string) => /^(?:chunks|ui)/.test(path);
  const built = filesIn(out).sort((a, b) => Number(isImported(b)) - Number(isImported(a)));
  for (const path of built) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    renameSync(join(out, path), join(dist, path));
  }
  for (const path of filesIn(dist).filter((each) => !built.includes(each))) {
    const ageMs = Date.now() - statSync(join(dist, path)).mtimeMs;
    if (ageMs >= keepForMs) rmSync(join(dist, path));
  }
  return built;
}
