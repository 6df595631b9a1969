// Answers that say the same and look different: unknown members, another order, spaces.
import type { ApiResponse } from '../call.ts';
import { parseJson } from '../json.ts';
import type { Fault } from './fault.ts';

/** What a later version may add; no name of a member that there is. */
const unknown = { x_added_later: 'a member of a later version', x_more: { of: ['it', 1, null] } };

export const withUnknownMembers: Fault = {
  reshape: (answer: ApiResponse): ApiResponse => {
    const json = parseJson(answer.body);
    if (typeof json !== 'object' || json === null) return answer;
    return { ...answer, body: `${JSON.stringify(grown(json), null, 2)}\n` };
  },
};

function grown(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(grown);
  if (typeof json !== 'object' || json === null) return json;
  const own = Object.entries(json).map(([name, value]) => [name, grown(value)] as const);
  return Object.fromEntries([...Object.entries(unknown), ...own.reverse()]);
}
