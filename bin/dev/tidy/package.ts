// The package as its users get it: what a program imports is installed, and its commands start.
import { isTest } from './habits.ts';
import type { Import } from './imports.ts';
import { packageOf } from './walls.ts';

export interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

// Used by the build and by tests; users never get them.
const forDevelopment = [/^bin\/dev\//, /^ui\//, /\.test\.tsx?$/];

/** Programs import only what an install without development packages brings. */
export function packageProblems(
  path: string,
  imports: readonly Import[],
  manifest: Manifest,
): string[] {
  const development = isTest(path) || forDevelopment.some((place) => place.test(path));
  const declared = new Set(
    Object.keys({
      ...manifest.imports,
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...(development ? manifest.devDependencies : {}),
    }),
  );
  return imports.flatMap(({ specifier, typeOnly }) => {
    if (!specifier || /^(\.|node:)/.test(specifier)) return [];
    const name = packageOf(specifier);
    if (declared.has(name) || (typeOnly && manifest.devDependencies?.[name])) return [];
    return [`${path}: ${name} is not a dependency of the package`];
  });
}

/**
 * Every command is a committed file that can be executed. `staged` is what `git ls-files --stage`
 * says.
 */
export function binProblems(manifest: Manifest, staged: readonly string[]): string[] {
  const modes = new Map(
    staged.map((line) => {
      const [mode = '', , , path = ''] = line.split(/\s+/);
      return [path, mode] as const;
    }),
  );
  const commands = Object.entries(manifest.bin ?? {});
  if (commands.length === 0) return ['package.json: has no command'];
  return commands.flatMap(([name, path]) => {
    const mode = modes.get(path);
    if (mode === undefined) return [`package.json: ${name}: ${path} is not committed`];
    return mode === '100755' ? [] : [`${path}: cannot be executed (mode ${mode})`];
  });
}
