// What a client did after one of its calls had failed: repeated it, changed it, renamed it, or left
// it.
import type { ApiCall, Recording } from './call.ts';
import { sameButForReferences, sameRequest } from './intents.ts';
import { callsAt, different, type Observation, type Site, sitesOf } from './observation.ts';

export interface FollowUp {
  readonly struck: ApiCall;
  /** The same request under the same key. */
  readonly repeats: readonly ApiCall[];
  /** Another body under the same key, beyond what the first run shows under one. */
  readonly changed: readonly ApiCall[];
  /** The same under another key, beyond what the first run shows on purpose. */
  readonly rekeyed: readonly ApiCall[];
  /** As if it were something else: under a new reference. */
  readonly renamed: readonly ApiCall[];
  /** What was answered to the last of the repeats; null where no answer was given. */
  readonly last: number | null;
}

/** null: the fault was not met. */
export function followUp(recording: Recording, site: Site, seen: Observation): FollowUp | null {
  const calls = callsAt(recording, site.id);
  const struck = calls.find((call) => call.struck !== null);
  if (struck === undefined) return null;
  const later = calls.filter(({ n }) => n > struck.n);
  const sameKey = later.filter(({ key }) => key === struck.key);
  const repeats = sameKey.filter((call) => sameRequest(struck, call));
  const others = later.filter(({ key }) => key !== struck.key);
  const keys = new Set(calls.map(({ key }) => key)).size;
  const requests = different(calls).length;
  const last = repeats.at(-1);
  return {
    struck,
    repeats,
    changed: requests > site.requests ? sameKey.filter((call) => !sameRequest(struck, call)) : [],
    rekeyed: keys > site.keys ? others : [],
    renamed: repeats.length > 0 ? [] : renamedAfter(recording, struck, seen),
    last: last?.answeredAtMs == null ? null : (last.response?.status ?? null),
  };
}

/** More calls of one operation than the first run made, the same except for their names. */
function renamedAfter(recording: Recording, struck: ApiCall, seen: Observation): ApiCall[] {
  if (struck.operation === null) return [];
  const now = sitesOf(recording, struck.operation).length;
  if (now <= sitesOf(seen.first, struck.operation).length) return [];
  const firsts = sitesOf(recording, struck.operation).flatMap(
    (site) => callsAt(recording, site)[0] ?? [],
  );
  return firsts.filter((call) => call.n > struck.n && sameButForReferences(struck, call));
}
