// The walls between the folders: which folder may import which, and which packages.
import { posix } from 'node:path';
import type { Import } from './imports.ts';

interface Wall {
  /** The longest folder (or file) that a path starts with decides. */
  readonly folder: string;
  /** Folders it may import from, beside itself. */
  readonly ours: readonly string[];
  /** Folders of which it may know the types only. */
  readonly types?: readonly string[];
  /** Packages by name; `node:` stands for all of Node, `*` for any package. */
  readonly packages: readonly string[];
}

const simulatorParts = ['core', 'deviations', 'host', 'transports', 'control'];
const inSimulator = simulatorParts.map((part) => `simulator/${part}`);
const pure = ['big.js', 'libphonenumber-js', '#readers'];
const serving = ['fastify', '@fastify/static', 'msw', 'ws', 'node:'];

const walls: readonly Wall[] = [
  // Starting worlds are made with the generator, by whoever loads them.
  { folder: 'fixtures', ours: [], packages: ['json-schema-faker'] },
  { folder: 'simulator/core', ours: ['fixtures'], packages: pure },
  // A digest is a pure function of its bytes; nothing else of Node is.
  {
    folder: 'simulator/core/values/digest.ts',
    ours: ['simulator/core', 'fixtures'],
    packages: [...pure, 'node:crypto'],
  },
  { folder: 'simulator/deviations', ours: ['simulator/core', 'fixtures'], packages: [] },
  {
    folder: 'simulator/host',
    ours: ['simulator/core', 'simulator/deviations', 'fixtures'],
    packages: ['undici', 'lowdb', 'json-schema-faker', 'node:'],
  },
  {
    folder: 'simulator/transports',
    ours: ['simulator/host', 'simulator/control', 'fixtures'],
    types: ['simulator/core'],
    packages: serving,
  },
  {
    folder: 'simulator/control',
    ours: ['simulator/host', 'simulator/transports', 'fixtures'],
    types: ['simulator/core'],
    packages: serving,
  },
  // The public doors, which put the parts together.
  {
    folder: 'simulator',
    ours: [...inSimulator, 'fixtures'],
    packages: ['msw', 'fastify', 'node:'],
  },
  { folder: 'conformance', ours: ['fixtures'], packages: ['undici', 'chalk', 'node:'] },
  { folder: 'ui', ours: [], types: ['simulator', 'fixtures'], packages: ['preact'] },
  // What its tests and its pictures share: a browser and a sandbox.
  { folder: 'ui/testing', ours: ['ui'], packages: ['playwright-core', 'node:'] },
  { folder: 'bin', ours: ['simulator', 'conformance', 'fixtures'], packages: ['*'] },
];

// A test may bring what it needs to look from outside; the walls between our folders stand.
const testPackages = ['*'];

/** One line for each import that goes through a wall. */
export function wallProblems(path: string, imports: readonly Import[]): string[] {
  const wall = wallOf(path);
  if (!wall) return [`${path}: lies in no folder that the walls know`];
  return imports.flatMap(({ specifier, typeOnly }) => {
    if (specifier === undefined) {
      return wall.folder === 'bin' ? [] : [`${path}: imports something computed`];
    }
    const allowed = specifier.startsWith('.')
      ? mayImportOurs(path, wall, specifier, typeOnly)
      : mayImportPackage(path, wall, specifier);
    return allowed ? [] : [`${path}: ${wall.folder} may not import ${specifier}`];
  });
}

function wallOf(path: string): Wall | undefined {
  const around = walls.filter(({ folder }) => isIn(path, folder));
  return around.sort((a, b) => b.folder.length - a.folder.length)[0];
}

function mayImportOurs(path: string, wall: Wall, specifier: string, typeOnly: boolean): boolean {
  const target = posix.join(posix.dirname(path), specifier);
  if (target === 'package.json') return wall.folder !== 'simulator/core';
  const types = typeOnly ? (wall.types ?? []) : [];
  return [wall.folder, ...wall.ours, ...types].some((folder) => isIn(target, folder));
}

function mayImportPackage(path: string, wall: Wall, specifier: string): boolean {
  const packages = /\.test\.tsx?$/.test(path) ? testPackages : wall.packages;
  if (packages.includes('*')) return true;
  const name = packageOf(specifier);
  return packages.some((allowed) =>
    allowed === 'node:' ? specifier.startsWith('node:') : allowed === name,
  );
}

/** `@scope/name` or `name` of a specifier; Node's modules and `#names` as they are. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:') || specifier.startsWith('#')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
