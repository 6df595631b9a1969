// Outcomes and differences for tests of the explorer.
import { type HeaderLine, Headers } from '../../engine/send/headers.ts';
import type { Json } from '../../engine/send/json.ts';
import type { Difference } from '../compare/difference.ts';
import type { Basis, CallOutcome } from '../play/outcome.ts';

interface Answered {
  readonly n?: number;
  readonly as?: string;
  /** Path and query of the request. */
  readonly target?: string;
  readonly sent?: readonly HeaderLine[];
  readonly sentBody?: Json | undefined;
  readonly headers?: readonly HeaderLine[];
  readonly json?: Json | undefined;
  /** The bytes of the answer, if they are not those of `json`. */
  readonly text?: string;
  readonly basis?: Partial<Basis> | undefined;
}

const bytesOf = (json: Json | undefined) => Buffer.from(JSON.stringify(json) ?? '');

/** `201`, `422 validation_failed` (a problem with this code), or `400 text`. */
export function answered(summary: string, answer: Answered = {}): CallOutcome {
  const { n = 1, as = 'firm', target = '/', sent = [], sentBody, headers = [], basis } = answer;
  const [status = '', code] = summary.split(' ');
  const isProblem = code !== undefined && code !== 'text';
  const type = isProblem ? 'application/problem+json' : code && 'text/plain';
  const json = isProblem ? { code, status: Number(status), ...Object(answer.json) } : answer.json;
  const lines: HeaderLine[] = [['content-type', type ?? 'application/json']];
  const body = sentBody === undefined ? undefined : bytesOf(sentBody);
  return {
    ...{ kind: 'answer', n, status: Number(status), json, sentAtMs: 0, answeredAtMs: 0 },
    sent: { as, method: 'POST', target, headers: sent, body },
    headers: new Headers([...lines, ...headers]),
    body: answer.text === undefined ? bytesOf(json) : Buffer.from(answer.text),
    basis: basis && { cites: [], idempotency: null, step: '', ...basis },
  };
}

export const differing = (parts: Partial<Difference> = {}): Difference => ({
  ...{ n: 1, operation: 'createAccount', at: 'status', model: 'a', target: 'b', basis: undefined },
  ...{ modelAnswer: '201', targetAnswer: '201' },
  ...parts,
});
