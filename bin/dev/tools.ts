// Finds the development tools' own launchers, so that no shell and no npx stands between.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

function launcher(packageName: string, bin: string): string {
  return join(dirname(require.resolve(`${packageName}/package.json`)), bin);
}

/** Both are scripts for `process.execPath`. */
export const compiler = launcher('typescript', 'bin/tsc');
export const linter = launcher('@biomejs/biome', 'bin/biome');
