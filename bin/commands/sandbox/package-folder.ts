// Where the package lies, from the source and from the built program alike.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder above this code that holds a package.json. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the program does not lie in its package');
    folder = above;
  }
  return folder;
}

/** The built dashboard, where there is one. */
export function dashboardFolder(): string | undefined {
  const folder = join(packageFolder(), 'dist', 'ui');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
