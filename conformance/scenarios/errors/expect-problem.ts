// The error table as scenarios hold refusals against it: one form, and each code under its status.

import { problemFormError, problemLinkError } from '../../engine/judge/problem-form.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';

/**
 * The table of codes. Which refusal a request deserves is for the rule of that refusal to judge.
 */
const TABLE: Readonly<Record<number, readonly string[]>> = {
  400: ['idempotency_key_required'],
  403: ['forbidden', 'read_only_credential'],
  404: ['not_found'],
  409: ['idempotency_in_flight', 'invalid_state'],
  412: ['revision_conflict'],
  413: ['scope_too_wide'],
  422: ['validation_failed'],
  429: ['rate_limited'],
  500: ['internal_error'],
  501: ['not_implemented'],
  503: ['write_contention'],
};

/**
 * ERR-1, ERR-3: a refusal in the form of the table, under a code of the table. What was not refused
 * at all is no refusal with a wrong form.
 */
export function expectProblem(t: ScenarioContext, answer: Answer): void {
  if (answer.status < 400) return;
  // NS-14: a content type that is not taken may be refused in plain text.
  if (answer.status === 415 && answer.code === undefined) {
    throw new Blocked(`refused before it was looked at: ${answer.summary}`);
  }
  const amiss = problemFormError(answer);
  t.expect('ERR-1a', answer).is(
    'application/problem+json with type, title, status, code, detail, request_id, errors',
    amiss === undefined,
    amiss,
  );
  const misled = problemLinkError(answer);
  const words = 'type ending in /errors/ and the code, status as sent';
  t.expect('ERR-1b', answer).is(words, misled === undefined, misled);
  const codes = TABLE[answer.status] ?? [];
  const listed = answer.code === undefined || codes.includes(answer.code);
  const rows = Object.entries(TABLE).find(([, each]) => each.includes(answer.code ?? ''));
  const where = rows === undefined ? 'in no row of it' : `which the table has under ${rows[0]}`;
  t.expect('ERR-3', answer)
    .is('a status of the error table', codes.length > 0)
    .is(
      `${answer.status} with ${codes.join(' or ')}`,
      listed,
      `${answer.status} ${answer.code}, ${where}`,
    );
}
