// The package as its users get it: it installs nothing but itself, since what its programs import
// is bundled, and its commands start.
import type { Import } from './imports.ts';
import { packageOf } from './walls.ts';

export interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Every import is declared; nothing is declared that an install would have to bring. */
export function packageProblems(
  path: string,
  imports: readonly Import[],
  manifest: Manifest,
): string[] {
  const declared = new Set(
    Object.keys({
      ...manifest.imports,
      ...manifest.peerDependencies,
      ...manifest.devDependencies,
    }),
  );
  return imports.flatMap(({ specifier }) => {
    if (!specifier || /^(\.|node:)/.test(specifier)) return [];
    const name = packageOf(specifier);
    return declared.has(name) ? [] : [`${path}: ${name} is not declared in package.json`];
  });
}

/** What is bundled is built in; a dependency would be installed beside it for nothing. */
export function dependencyProblems({ dependencies = {} }: Manifest): string[] {
  return Object.keys(dependencies).map((name) => `package.json: ${name}: bundle it instead`);
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
