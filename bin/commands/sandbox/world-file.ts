// Finds the starting world that `--world` names: one that comes with the sandbox, or a file.
import { resolve } from 'node:path';
import { findWorld, parseWorld, type WorldFixture, worldNames } from '../../../fixtures/worlds.ts';
import { readJsonFile } from './json-file.ts';

export type ReadWorld =
  | { readonly fixture: WorldFixture; readonly problems?: undefined }
  /** Lines for a person, the file named in each. */
  | { readonly fixture?: undefined; readonly problems: readonly string[] };

/** A name of ours comes first, so that a stray file cannot stand in for it. */
export function readWorld(named: string, folder: string): ReadWorld {
  const known = findWorld(named);
  if (known) return { fixture: known };
  const read = readJsonFile(resolve(folder, named), named);
  if (read.problem !== undefined) {
    const looksLikeName = /^[\w-]+$/.test(named);
    const ours = `the worlds that come with us are ${worldNames.join(', ')}`;
    return { problems: looksLikeName ? [`--world ${named}: ${ours}`] : [read.problem] };
  }
  const { world, problems = [] } = parseWorld(read.value);
  if (world) return { fixture: world };
  return { problems: problems.map(({ field, message }) => `${named}: ${field} ${message}`) };
}
