// Finds the development tools' own launchers, to run them without a shell or npx.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

function launcher(packageName: string, bin: string): string {
  return join(dirname(require.resolve(`${packageName}/package.json`)), bin);
}

/** Both are scripts for `process.execPath`. */
export const compiler = launcher('typescript', 'bin/tsc');
export const linter = launcher('@biomejs/biome', 'bin/biome');
