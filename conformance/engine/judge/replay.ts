// Whether one answer is a replay of another, as for a repeat under an idempotency key.
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Json } from '../send/answer.ts';

/**
 * The same status and members, except for the request_id of a refusal. The bytes are compared
 * separately (IDEM-4b, IDEM-5).
 */
export function isReplayOf(answer: Answer, first: Answer): boolean {
  return answer.status === first.status && sameMembers(answer, first);
}

/** Whether the bodies have the same members, except for the request_id of a refusal. */
export function sameMembers(answer: Answer, first: Answer): boolean {
  if (answer.json === undefined) return answer.text === first.text;
  return isDeepStrictEqual(withoutRequestId(answer.json), withoutRequestId(first.json));
}

function withoutRequestId(json: Json | undefined): Json | undefined {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return json;
  const { request_id, ...rest } = json;
  return rest;
}

/** The text of an answer with its request_id replaced by that of another answer. */
export function bytesWithRequestIdOf(answer: Answer, first: Answer): string {
  const [own, others] = [answer.at('request_id'), first.at('request_id')];
  if (typeof own !== 'string' || typeof others !== 'string' || own === '') return answer.text;
  return answer.text.replaceAll(own, others);
}
