// Declarations of the public doors, for those who import the package from TypeScript.
import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../root.ts';
import { compiler } from '../tools.ts';

const doors = ['simulator/index.ts', 'simulator/msw.ts', 'simulator/webhooks.ts'];

/** Writes `types/` under `out`; what is wrong with the types is for `npm test` to say. */
export async function writeDeclarations(out: string): Promise<string> {
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
  return present.map((door) => door.replace(/\.ts$/, '.d.ts')).join(' ');
}
