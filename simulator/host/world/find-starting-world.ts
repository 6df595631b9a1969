// Finds the starting world that a name, a file's content or a program's own object means.
import { findWorld, parseWorld, type WorldFixture, worldNames } from '../../../fixtures/worlds.ts';
import { StartingWorldError } from '../../core/seed/start-world.ts';

/**
 * A name under fixtures, or a world written out; throws a StartingWorldError that names what is
 * wrong.
 */
export function findStartingWorld(given: unknown, field = 'world'): WorldFixture {
  if (typeof given === 'string') {
    const found = findWorld(given);
    if (found !== undefined) return found;
    throw new StartingWorldError(
      field,
      `there is no world "${given}"; there are ${worldNames.join(', ')}`,
    );
  }
  const parsed = parseWorld(given);
  if (parsed.world !== undefined) return parsed.world;
  const [first] = parsed.problems;
  throw new StartingWorldError(
    `${field}.${first?.field ?? ''}`,
    first?.message ?? 'is not a world',
  );
}
