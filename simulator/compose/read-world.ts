// Finds the starting world that is asked for: one that comes with the sandbox, a file, or one
// written out.
import { resolve } from 'node:path';
import { isRecord } from '../../fixtures/settings/parse.ts';
import { findWorld, parseWorld, type WorldFixture, worldNames } from '../../fixtures/worlds.ts';
import { type Findings, say } from './findings.ts';
import { readJsonFile } from './json-file.ts';

export interface NamedWorld {
  /** As it was asked for; `custom` of one that is written out. */
  readonly name: string;
  readonly fixture: WorldFixture;
}

/** What a program or a command line asks for; nothing where it asks for nothing. */
export function readWorld(found: Findings, asked: unknown): NamedWorld | undefined {
  if (asked === undefined) return undefined;
  if (typeof asked === 'string') {
    const read = findNamedWorld(asked);
    if (read.fixture !== undefined) return { name: asked, fixture: read.fixture };
    for (const problem of read.problems) found.add('world', problem);
    return undefined;
  }
  if (!isRecord(asked)) {
    const forms = "a world's name, a file, or a world written out";
    found.add('world', `must be ${forms}, not ${say(asked)}`);
    return undefined;
  }
  const { world, problems = [] } = parseWorld(asked);
  for (const { field, message } of problems) found.add(`world.${field}`, message);
  return world === undefined ? undefined : { name: 'custom', fixture: world };
}

export type FoundWorld =
  | { readonly fixture: WorldFixture; readonly problems?: undefined }
  /** What is wrong, the name or the file first in each. */
  | { readonly fixture?: undefined; readonly problems: readonly string[] };

/** A name of ours comes first, so that a stray file cannot stand in for it. */
export function findNamedWorld(named: string, folder = process.cwd()): FoundWorld {
  const known = findWorld(named);
  if (known) return { fixture: known };
  const read = readJsonFile(resolve(folder, named), named);
  if (read.problem !== undefined) {
    const looksLikeName = /^[\w-]+$/.test(named);
    const ours = `the worlds that come with us are ${worldNames.join(', ')}`;
    return { problems: looksLikeName ? [`${named}: ${ours}`] : [read.problem] };
  }
  const { world, problems = [] } = parseWorld(read.value);
  if (world) return { fixture: world };
  return { problems: problems.map(({ field, message }) => `${named}: ${field} ${message}`) };
}
