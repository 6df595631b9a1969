// The top level is closed: what belongs to the project has a folder, and tools get one file each.

const top = new Set([
  'package.json',
  'tsconfig.json',
  'bin',
  'simulator',
  'conformance',
  'fixtures',
  'ui',
  'README.md',
  // What tools insist on.
  'package-lock.json',
  'biome.json',
  '.ci',
  '.gitignore',
]);

/** One line for each file that lies where nothing should. */
export function topLevelProblems(paths: readonly string[]): string[] {
  const found = new Set(paths.map((path) => path.split('/')[0] as string));
  return [...found]
    .filter((name) => !top.has(name))
    .map((name) => `${name}: does not belong at the top level`);
}
