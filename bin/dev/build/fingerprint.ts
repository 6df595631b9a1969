// One hash over everything a build reads, so that a fresh dist/ need not be built again.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sourceFiles } from '../root.ts';

const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];

/** Changes whenever a source or a setting changes; tests are not part of what is built. */
export function fingerprint(): string {
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
