// The form of a problem by the table of its members: describes the first error.

import { parseUrl } from '../../../fixtures/parse-url.ts';
import type { Answer } from '../send/answer.ts';
import { printJson } from '../send/json.ts';

/** ERR-1a: the members of a problem with their types. */
const MEMBERS: readonly [name: string, words: string, test: (value: unknown) => boolean][] = [
  ['type', 'a string', isText],
  ['title', 'a string', isText],
  ['status', 'an integer', Number.isInteger],
  ['code', 'a string', isText],
  ['detail', 'a string', isText],
  ['request_id', 'a string', isText],
  ['errors', 'an array', Array.isArray],
];

/** ERR-1a: the error in its content type or in a member; undefined if there is none. */
export function problemFormError(answer: Answer): string | undefined {
  const type = answer.headers.mediaType();
  if (type !== 'application/problem+json') return `content type: ${type || 'none'}`;
  for (const [name, words, test] of MEMBERS) {
    const value = answer.at(name);
    if (test(value)) continue;
    const seen = printJson(value);
    return `${name}, which should be ${words}: ${seen}`;
  }
  return undefined;
}

/**
 * ERR-1b: `type` does not end in the code under `/errors/`, or `status` is not the status. ERR-1a
 * judges a member that is missing or has another type.
 */
export function problemLinkError(answer: Answer): string | undefined {
  const { type, code, status } = (answer.json ?? {}) as Record<string, unknown>;
  if (isText(type) && isText(code) && !endsInCode(type, code)) return `type: ${type}`;
  if (Number.isInteger(status) && status !== answer.status) {
    return `status ${status} in the body of a ${answer.status}`;
  }
  return undefined;
}

function endsInCode(type: string, code: string): boolean {
  return parseUrl(type) !== null && code !== '' && type.endsWith(`/errors/${code}`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
