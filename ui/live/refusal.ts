// Why a call was refused, in one line: the code, the fields at fault, and the words of the answer.
import type { RequestShown } from '../api-client/answers.ts';

type Response = NonNullable<RequestShown['response']>;

export interface Refusal {
  /** `validation_failed`; null where the refusal is no problem document. */
  readonly code: string | null;
  readonly fields: readonly string[];
  readonly words: string;
}

/** Null for what is no refusal, and for one that says nothing. */
export function refusalOf({ status, body, headers }: Response): Refusal | null {
  if (status < 400) return null;
  const type = String((headers as Readonly<Record<string, unknown>>)['content-type'] ?? '');
  if (type.startsWith('application/problem+json')) return problemOf(body);
  const words = type.startsWith('text/plain') ? (body.trim().split('\n')[0] ?? '') : '';
  return words === '' ? null : { code: null, fields: [], words };
}

interface Problem {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly errors?: unknown;
}

function problemOf(body: string): Refusal | null {
  const problem = parse(body);
  if (problem === null || typeof problem.code !== 'string') return null;
  const errors = Array.isArray(problem.errors) ? problem.errors : [];
  const fields = errors.map((error: unknown) =>
    typeof error === 'string' ? error : (error as { field?: unknown } | null)?.field,
  );
  return {
    code: problem.code,
    fields: [...new Set(fields.filter((field) => typeof field === 'string'))],
    words: typeof problem.detail === 'string' ? problem.detail : '',
  };
}

/** Null where the body was cut, or a deviation wrote something else. */
function parse(body: string): Problem | null {
  try {
    return JSON.parse(body) as Problem | null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** `validation_failed · email: email must contain an @.` */
export function refusalLine({ code, fields, words }: Refusal): string {
  const head = [code, fields.join(', ')].filter(Boolean).join(' · ');
  return [head, words].filter(Boolean).join(': ');
}
