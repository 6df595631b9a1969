// The dashboard: static files that the simulator serves from dist/ui.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

const config = join(root, 'ui/vite.config.ts');

/** Builds ui/ into `ui/` under `out`, when there is one. */
export async function buildDashboard(out: string): Promise<string> {
  if (!existsSync(config)) return 'no source yet';
  const { build } = await import('vite');
  await build({
    root: join(root, 'ui'),
    configFile: config,
    logLevel: 'error',
    build: { outDir: join(out, 'ui'), emptyOutDir: true },
  });
  return 'ui/';
}
