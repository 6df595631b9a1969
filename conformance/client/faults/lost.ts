// Connections that break: before a write has run, after it has, or never.
import type { Fault, Treatment } from './fault.ts';

const words = {
  lose_answer: 'it ran, and the connection was cut instead of sending the response',
  lose_request: 'the connection was cut before it ran',
  stay_silent: 'it ran, and no answer was ever sent',
} as const;

/** Each of these sites loses its first call; what repeats it is served. */
export function loseFirst(kind: keyof typeof words, sites: ReadonlySet<string>): Fault {
  const treatment: Treatment = { kind, struck: words[kind] };
  return {
    meet: ({ site, isFirst }) => (isFirst && site !== null && sites.has(site) ? treatment : null),
  };
}
