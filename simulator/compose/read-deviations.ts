// Reads the deviations that a sandbox is to have: ids of the register, or a program's own.
import { findRule } from '../../fixtures/rules.ts';
import { findNearest, isRecord } from '../../fixtures/settings/parse.ts';
import type { Deviation } from '../deviations/deviation.ts';
import { type Findings, readList, say } from './findings.ts';

/** The register is loaded only where something is asked of it. */
export async function readDeviations(
  found: Findings,
  given: unknown,
): Promise<readonly Deviation[]> {
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return [];
  const { deviations, findDeviation } = await import('../deviations/register.ts');
  const ids = deviations.map(({ id }) => id);
  return readList(found, 'deviations', given, (each, field) => {
    if (typeof each !== 'string') return readOwnDeviation(found, each, field);
    const known = findDeviation(each);
    if (known === undefined) found.add(field, adviseOn(each, ids));
    return known ?? null;
  });
}

/** A deviation that a program has written itself. */
export function readOwnDeviation(found: Findings, given: unknown, field: string): Deviation | null {
  if (!isRecord(given)) {
    found.add(field, `must be a deviation {id, breaks, story, override}, not ${say(given)}`);
    return null;
  }
  const { id, breaks, story, override } = given;
  const isId = typeof id === 'string' && /^[\x21-\x7e]+$/.test(id);
  if (!isId) found.add(`${field}.id`, `must be words joined by hyphens, not ${say(id)}`);
  if (!Array.isArray(breaks)) {
    found.add(`${field}.breaks`, `must be a list of rule ids, not ${say(breaks)}`);
  } else {
    const odd = breaks.find((rule) => typeof rule !== 'string' || findRule(rule) === undefined);
    const form = 'must name rules of the specification, such as IDEM-4a; there is no';
    if (odd !== undefined) found.add(`${field}.breaks`, `${form} ${say(odd)}`);
  }
  if (typeof story !== 'string') found.add(`${field}.story`, `must be a text, not ${say(story)}`);
  if (typeof override !== 'function') {
    const form = 'must be a function from a behaviour to another one';
    found.add(`${field}.override`, `${form}, not ${say(override)}`);
  }
  return given as unknown as Deviation;
}

function adviseOn(id: string, ids: readonly string[]): string {
  // Names are compared with underscores, and ids have hyphens.
  const nearest = findNearest(
    id,
    ids.map((known) => known.replaceAll('-', '_')),
  );
  const advice = nearest === null ? '' : `did you mean "${nearest.replaceAll('_', '-')}"? `;
  return `names none: there is no ${say(id)}; ${advice}\`sandbox deviations\` lists them`;
}
